"""Short questions beside a conversation. What the router asks: test_router."""

from __future__ import annotations

import itertools

import pytest

from llamachat.chat.aside import Aside
from llamachat.core.cancel import CancelToken
from llamachat.core.completion import ContentDelta, Delta, ReasoningDelta
from tests.fakes.scripted_completer import ScriptedCompleter, says


def test_a_server_that_binds_nothing_is_not_asked_how_its_model_thinks() -> None:
    asked: list[CancelToken] = []

    def always_thinks(cancel: CancelToken) -> bool:
        asked.append(cancel)
        return False

    completer = ScriptedCompleter(says("yes"))
    aside = Aside(completer, binds=False, always_thinks=always_thinks)
    assert aside.ask("Say yes.", "?", max_tokens=8, cancel=CancelToken(), grammar="root ::= x") == "yes"
    assert asked == []
    assert (completer.requests[0].grammar, completer.requests[0].sampling.max_tokens) == ("", 8)


@pytest.mark.parametrize("piece", [ContentDelta("bee " * 100), ReasoningDelta("bee " * 100)])
def test_an_answer_that_is_far_too_long_is_hung_up(piece: Delta) -> None:
    completer = ScriptedCompleter(itertools.repeat(piece, 2000))
    said = Aside(completer).ask("Name it.", "?", max_tokens=8, cancel=CancelToken())
    assert completer.closed == 1
    assert said == "" or said.startswith("bee bee")
