"""Which acts a message has, and what they are called."""

from __future__ import annotations

import pytest

from llamachat.core.messages import StoredMessage
from llamachat.ui.transcript.message_acts import (
    SOMETIMES,
    Act,
    act_key,
    act_name,
    acts_of,
    version_beside,
    version_label,
)
from tests.ui.transcript_pages import answer, question


@pytest.mark.parametrize(
    ("message", "versions", "busy", "acts"),
    [
        (question(1), (), False, [Act.COPY, Act.EDIT, Act.DELETE]),
        (answer(2, "Text"), (), False, [Act.COPY, Act.REWRITE, Act.RETRY, Act.DELETE]),
        (answer(2, ""), (), False, [Act.REWRITE, Act.RETRY, Act.DELETE]),
        (answer(2, "Text"), (2, 7), True, [Act.COPY]),
        (answer(2, ""), (), True, []),
        (answer(2, "Text"), (2, 7), False, [Act.LATER, Act.COPY, Act.REWRITE, Act.RETRY, Act.DELETE]),
        (answer(7, "Text"), (2, 7), False, [Act.EARLIER, Act.COPY, Act.REWRITE, Act.RETRY, Act.DELETE]),
        (answer(5, "Text"), (2, 5, 7), False, [Act.EARLIER, Act.LATER, Act.COPY, Act.REWRITE, Act.RETRY, Act.DELETE]),
    ],
)
def test_what_can_be_done(message: StoredMessage, versions: tuple[int, ...], busy: bool, acts: list[Act]) -> None:
    assert list(acts_of(message, versions, busy=busy)) == acts


def test_versions_are_counted_from_the_oldest() -> None:
    versions = (2, 5, 7)
    assert [version_label(answer(number), versions) for number in versions] == ["1/3", "2/3", "3/3"]
    assert version_label(answer(9), versions) == ""
    assert [version_beside(answer(5), versions, act) for act in (Act.EARLIER, Act.LATER)] == [2, 7]
    assert [version_beside(answer(2), versions, act) for act in (Act.EARLIER, Act.LATER)] == [None, 5]
    assert version_beside(answer(9), versions, Act.LATER) is None


def test_every_act_has_a_name_and_keys_of_its_own() -> None:
    for texts in ([act_name(act) for act in Act], [act_key(act) for act in Act]):
        assert all(texts)
        assert len(set(texts)) == len(texts)


@pytest.mark.parametrize(
    ("message", "acts"),
    [
        (question(1, "Ask"), [Act.COPY, Act.EDIT, Act.RETRY, Act.MODELS, Act.FORK, Act.DELETE]),
        (answer(2, ""), [Act.REWRITE, Act.RETRY, Act.MODELS, Act.FORK, Act.DELETE]),
        (
            answer(2, "Text"),
            [Act.COPY, Act.REWRITE, Act.CONTINUE, Act.RETRY, Act.MODELS, Act.FORK, Act.DELETE],
        ),
    ],
)
def test_what_can_be_done_with_the_last_message_where_there_are_models(
    message: StoredMessage, acts: list[Act]
) -> None:
    assert list(acts_of(message, (), busy=False, is_last=True, offered=SOMETIMES)) == acts


@pytest.mark.parametrize("offered", [set[Act](), {Act.FORK}])
def test_what_makes_no_sense_now_is_not_offered(offered: set[Act]) -> None:
    acts = acts_of(answer(2, "Text"), (), busy=False, is_last=True, offered=offered)
    assert SOMETIMES & set(acts) == offered
