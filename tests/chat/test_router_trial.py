"""The trial of the router: labelled messages, judged as in a turn."""

from __future__ import annotations

from pathlib import Path

import pytest

from llamachat.chat.aside import Aside
from llamachat.chat.router_prompts import DECIDE
from llamachat.chat.router_trial import Sample, read_samples, try_router
from llamachat.core.cancel import CancelToken
from llamachat.core.errors import ServerCause, ServerError, UserFacingError
from tests.fakes.scripted_completer import ScriptedCompleter, refusal, says

LABELLED = Path(__file__).parents[1] / "data" / "router.jsonl"


def test_each_message_is_judged() -> None:
    completer = ScriptedCompleter(says("yes"), says("no"), says("no"))
    samples = [Sample("Who won?", search=True), Sample("When is high tide?", search=True), Sample("Hi", search=False)]
    trials = list(try_router(Aside(completer, "qwen"), samples, CancelToken()))
    assert [(trial.searches, trial.right) for trial in trials] == [(True, True), (False, False), (False, True)]
    asked = [request.messages[-1]["content"] for request in completer.requests]
    assert [str(text).endswith(sample.message) for text, sample in zip(asked, samples, strict=True)] == [True] * 3


def test_a_server_that_fails_is_no_answer() -> None:
    completer = ScriptedCompleter(says("yes"), [refusal(ServerCause.SERVER_FAULT)])
    trials = try_router(Aside(completer), [Sample("Who won?", search=True)] * 3, CancelToken())
    assert next(trials).right
    with pytest.raises(ServerError):
        next(trials)


@pytest.mark.parametrize(
    ("text", "words"),
    [
        ("", "no messages"),
        ("\n \n", "no messages"),
        ('{"message": "a", "search": true}\nx', "Line 2"),
        ('{"message": "", "search": true}', "Line 1"),
        ('{"message": "a", "search": "yes"}', "Line 1"),
        ('["a", true]', "Line 1"),
    ],
)
def test_a_file_of_another_form_is_refused(text: str, words: str) -> None:
    with pytest.raises(UserFacingError) as refused:
        read_samples(text)
    assert words in refused.value.sentence
    assert '"search": true' in refused.value.next_step


@pytest.mark.claim("OP-018")
def test_the_labelled_messages_are_many_of_both_kinds_and_none_is_an_example_of_the_router() -> None:
    samples = read_samples(LABELLED.read_text(encoding="utf-8"))
    assert len({sample.message for sample in samples}) == len(samples) >= 60
    assert 0.4 < sum(sample.search for sample in samples) / len(samples) < 0.6
    assert [sample.message for sample in samples if sample.message in DECIDE] == []
