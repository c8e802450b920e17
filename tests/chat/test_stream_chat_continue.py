"""The loop of a turn: going on with a partial answer."""

from __future__ import annotations

from dataclasses import replace

import pytest

from llamachat.chat.prompt import GO_ON
from llamachat.core.cancel import CancelToken
from llamachat.core.completion import ContentDelta, ReasoningDelta
from llamachat.core.errors import ServerCause
from llamachat.core.events import FinishReason, Kind
from llamachat.core.messages import WireMessage
from tests.chat.running import QUESTION, TURN, roles, run
from tests.fakes.scripted_completer import ScriptedCompleter, Step, calls, refusal, says

PARTIAL: WireMessage = {"role": "assistant", "content": "The first half"}
CONTINUE = replace(TURN, continue_text="The first half")


def test_a_partial_answer_is_the_last_message_and_only_the_rest_comes() -> None:
    completer = ScriptedCompleter(says(" and the second."))
    outcome = run(completer, turn=CONTINUE)
    assert completer.requests[0].messages == (QUESTION, PARTIAL)
    assert outcome.content == " and the second."
    assert outcome.messages == [{"role": "assistant", "content": "The first half and the second."}]


def test_its_thinking_goes_along() -> None:
    completer = ScriptedCompleter(says(".", thinking="Again."))
    outcome = run(completer, turn=replace(CONTINUE, continue_reasoning="Hm."))
    assert completer.requests[0].messages[-1] == {**PARTIAL, "reasoning_content": "Hm."}
    assert outcome.reasoning == "\n\nAgain."
    assert outcome.messages[0]["reasoning_content"] == "Hm.\n\nAgain."


def test_a_server_that_refuses_is_asked_to_go_on_once() -> None:
    completer = ScriptedCompleter([refusal(ServerCause.PREFILL_REFUSED)], says("and the second."))
    outcome = run(completer, turn=CONTINUE)
    assert completer.requests[1].messages == (QUESTION, PARTIAL, {"role": "user", "content": GO_ON})
    assert outcome.content == " and the second."
    assert outcome.messages == [{"role": "assistant", "content": "The first half and the second."}]
    assert outcome.finish.reason is FinishReason.STOP


def test_a_server_that_refuses_again_ends_the_turn() -> None:
    completer = ScriptedCompleter([refusal(ServerCause.PREFILL_REFUSED)])
    outcome = run(completer, turn=CONTINUE)
    assert (len(completer.requests), outcome.finish.reason) == (2, FinishReason.ERROR)


def test_other_servers_are_asked_to_go_on_at_once() -> None:
    completer = ScriptedCompleter(says(", and the second."))
    outcome = run(completer, turn=replace(CONTINUE, keeps_cached_prompt=False))
    assert roles(completer.requests[0].messages) == ["user", "assistant", "user"]
    assert outcome.content == ", and the second."


def test_a_search_in_a_continued_answer_belongs_to_its_message() -> None:
    completer = ScriptedCompleter([ContentDelta(", let me look."), *calls({"query": "tide"})], says("Noon."))
    outcome = run(completer, turn=CONTINUE)
    assert outcome.messages[0]["content"] == "The first half, let me look."
    assert outcome.messages[-1] == {"role": "assistant", "content": "Noon."}
    assert outcome.content == ", let me look.\n\nNoon."
    assert roles(completer.requests[1].messages) == ["user", "assistant", "tool"]


def test_an_answer_that_goes_on_behind_its_searches_is_set_apart_from_them() -> None:
    rounds: tuple[WireMessage, ...] = (
        {"role": "assistant", "content": "Let me look.", "tool_calls": []},
        {"role": "tool", "tool_call_id": "x", "content": "{}"},
    )
    completer = ScriptedCompleter(says("Noon."))
    outcome = run(completer, turn=replace(TURN, messages=(QUESTION, *rounds)))
    assert completer.requests[0].messages == (QUESTION, *rounds)
    assert outcome.content == "\n\nNoon."


@pytest.mark.parametrize("script", [says("Noon."), says(""), [refusal(ServerCause.UNREACHABLE)]])
def test_without_a_partial_answer_no_request_ends_with_an_assistant_message(script: list[Step]) -> None:
    completer = ScriptedCompleter(calls({"query": "a"}), script)
    run(completer)
    assert {request.messages[-1]["role"] for request in completer.requests} == {"user", "tool"}


THOUGHT: WireMessage = {"role": "assistant", "content": "", "reasoning_content": "Hm. Let me"}
SKIP = replace(TURN, continue_reasoning="Hm. Let me", skip_thinking=True)


def test_thinking_that_used_up_the_limit_is_told_from_an_answer_that_did() -> None:
    outcome = run(ScriptedCompleter(says("", thinking="Hm. Let me", finish="length")))
    assert (outcome.finish.reason, outcome.messages) == (FinishReason.THINKING, [])
    assert run(ScriptedCompleter(says("Noon", thinking="Hm.", finish="length"))).finish.reason is FinishReason.LENGTH


def test_without_more_thinking_the_thought_is_closed_and_kept() -> None:
    completer = ScriptedCompleter(says("Noon."))
    outcome = run(completer, turn=SKIP)
    (request,) = completer.requests
    assert (request.messages, request.continues, request.thinking) == ((QUESTION, THOUGHT), "content", None)
    assert (outcome.content, outcome.reasoning) == ("Noon.", "")
    assert outcome.messages == [{"role": "assistant", "content": "Noon.", "reasoning_content": "Hm. Let me"}]


@pytest.mark.parametrize("cause", [ServerCause.PREFILL_REFUSED, ServerCause.BAD_REQUEST])
def test_a_server_that_cannot_close_it_is_asked_anew_and_not_to_think(cause: ServerCause) -> None:
    completer = ScriptedCompleter([refusal(cause)], says("Noon."))
    outcome = run(completer, turn=SKIP)
    request = completer.requests[-1]
    assert (request.messages, request.continues, request.thinking) == ((QUESTION,), "", False)
    assert outcome.messages == [{"role": "assistant", "content": "Noon.", "reasoning_content": "Hm. Let me"}]


def test_other_servers_are_asked_anew_at_once() -> None:
    completer = ScriptedCompleter(says("Noon."))
    run(completer, turn=replace(SKIP, keeps_cached_prompt=False))
    assert (completer.requests[0].messages, completer.requests[0].thinking) == ((QUESTION,), False)


def test_behind_a_search_it_may_think_again() -> None:
    completer = ScriptedCompleter(calls({"query": "tide"}), [ReasoningDelta("Ah."), *says("Noon.")])
    outcome = run(completer, turn=SKIP)
    assert (completer.requests[1].continues, completer.requests[1].thinking) == ("", None)
    assert outcome.messages[-1] == {"role": "assistant", "content": "Noon.", "reasoning_content": "Ah."}


def test_a_model_that_gives_nothing_behind_a_search_can_go_on_with_what_was_found() -> None:
    assert "Continue" in run(ScriptedCompleter(calls({"query": "tide"}), says(""))).finish.next_step
    assert "Continue" not in run(ScriptedCompleter(says(""))).finish.next_step


THINK = replace(TURN, continue_reasoning="Hm. Let me", thinks_on=lambda _: True)


def test_a_thought_that_broke_off_goes_on_in_the_middle_of_its_sentence() -> None:
    completer = ScriptedCompleter(says("Noon.", thinking=" see."))
    outcome = run(completer, turn=THINK)
    (request,) = completer.requests
    assert (request.messages, request.continues) == ((QUESTION, THOUGHT), "reasoning_content")
    assert (outcome.content, outcome.reasoning) == ("Noon.", " see.")
    assert outcome.messages == [{"role": "assistant", "content": "Noon.", "reasoning_content": "Hm. Let me see."}]


def test_behind_a_thought_that_went_on_a_search_is_made_as_ever() -> None:
    completer = ScriptedCompleter(
        [ReasoningDelta(" look."), *calls({"query": "tide"})], [ReasoningDelta("Ah."), *says("Noon.")]
    )
    outcome = run(completer, turn=THINK)
    assert outcome.messages[0]["reasoning_content"] == "Hm. Let me look."
    assert completer.requests[1].continues == ""
    assert outcome.messages[-1] == {"role": "assistant", "content": "Noon.", "reasoning_content": "Ah."}


def test_a_server_that_cannot_go_on_within_a_thought_is_asked_anew_and_that_is_said() -> None:
    completer = ScriptedCompleter(says("Noon.", thinking="Well."))
    outcome = run(completer, turn=replace(THINK, thinks_on=lambda _: False))
    (request,) = completer.requests
    assert (request.messages, request.continues) == ((QUESTION,), "")
    assert outcome.reasoning == "\n\nWell."
    (notice,) = outcome.texts(Kind.NOTICE)
    assert "cannot go on within the thinking" in notice


@pytest.mark.parametrize("cause", [ServerCause.PREFILL_REFUSED, ServerCause.BAD_REQUEST])
def test_a_server_that_refuses_to_go_on_within_a_thought_is_asked_anew(cause: ServerCause) -> None:
    completer = ScriptedCompleter([refusal(cause)], says("Noon.", thinking="Well."))
    outcome = run(completer, turn=THINK)
    assert [request.continues for request in completer.requests] == ["reasoning_content", ""]
    assert outcome.messages == [{"role": "assistant", "content": "Noon.", "reasoning_content": "Hm. Let me\n\nWell."}]
    assert len(outcome.texts(Kind.NOTICE)) == 1


def test_what_can_be_done_about_a_thought_is_not_asked_where_there_is_text() -> None:
    def fail(_: CancelToken) -> bool:
        raise AssertionError("the server is asked in vain")

    run(ScriptedCompleter(says(".")), turn=replace(CONTINUE, continue_reasoning="Hm.", thinks_on=fail))
    run(ScriptedCompleter(says(".")), turn=replace(SKIP, thinks_on=fail))
    run(ScriptedCompleter(says(".")), turn=replace(TURN, thinks_on=fail))


@pytest.mark.parametrize("keeps", [True, False])
def test_an_answer_that_is_whole_already_stays_as_it_is(*, keeps: bool) -> None:
    completer = ScriptedCompleter(says(""))
    outcome = run(completer, turn=replace(CONTINUE, keeps_cached_prompt=keeps))
    assert len(completer.requests) == 1
    assert outcome.finish.reason is FinishReason.STOP
    assert outcome.messages == [PARTIAL]
    assert outcome.texts(Kind.NOTICE) == ["The model has nothing to add."]
