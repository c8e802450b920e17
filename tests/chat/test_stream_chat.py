"""The loop of a turn: plain answers, searches, their results and how a turn ends."""

from __future__ import annotations

import json
from dataclasses import replace

import pytest

from llamachat.chat.stream_chat import Turn, stream_chat
from llamachat.chat.tools import Toolbox
from llamachat.core.cancel import CancelToken
from llamachat.core.completion import (
    ContentDelta,
    FinishDelta,
    PromptProgress,
    ReasoningDelta,
    Sampling,
    ServerWait,
    UsageDelta,
)
from llamachat.core.conversation import SearchMode
from llamachat.core.errors import ServerCause
from llamachat.core.events import Event, FinishReason, Kind, Phase, PhaseName
from llamachat.core.messages import Usage
from llamachat.core.search_record import SearchRecord
from llamachat.search import TOOL_SCHEMA
from tests.chat.running import QUESTION, TURN, roles, run, search_box
from tests.fakes.scripted_completer import ScriptedCompleter, calls, refusal, says
from tests.fakes.scripted_search import ScriptedSearch


def test_an_answer_comes_piece_by_piece_and_is_a_message_of_the_turn() -> None:
    completer = ScriptedCompleter(says("At noon.", thinking="Let me see."))
    outcome = run(completer, toolbox=Toolbox())
    assert (outcome.reasoning, outcome.content) == ("Let me see.", "At noon.")
    assert len(outcome.texts(Kind.CONTENT)) == 3
    assert outcome.messages == [{"role": "assistant", "content": "At noon.", "reasoning_content": "Let me see."}]
    assert outcome.finish.reason is FinishReason.STOP
    assert completer.requests[0].tools == ()
    assert completer.requests[0].tool_choice is None


@pytest.mark.claim("LC-013")
def test_a_request_carries_model_sampling_messages_and_the_tool() -> None:
    completer = ScriptedCompleter(says("Yes."))
    run(completer, turn=replace(TURN, model="qwen", sampling=Sampling(temperature=0.5)))
    request = completer.requests[0]
    assert (request.model, request.sampling.temperature) == ("qwen", 0.5)
    assert request.messages == (QUESTION,)
    assert request.tools == (TOOL_SCHEMA,)
    assert request.tool_choice is None


@pytest.mark.claim("LC-015", "LC-017", "LC-042")
def test_a_call_is_searched_and_its_result_goes_back_with_the_thinking() -> None:
    first = [ReasoningDelta("I should look."), ContentDelta("One moment."), *calls({"query": "tide table"})]
    completer = ScriptedCompleter(first, says("At noon [1].", thinking="Found it."))
    outcome = run(completer)
    assert [event.kind for event in outcome.events if event.kind in (Kind.SEARCH_START, Kind.SEARCH_DONE)] == [
        Kind.SEARCH_START,
        Kind.SEARCH_DONE,
    ]
    assert outcome.texts(Kind.SEARCH_START) == ["tide table"]
    call, result = completer.requests[1].messages[1:]
    assert call == {
        "role": "assistant",
        "content": "One moment.",
        "reasoning_content": "I should look.",
        "tool_calls": [
            {
                "id": "call0",
                "type": "function",
                "function": {"name": "web_search", "arguments": '{"query": "tide table"}'},
            }
        ],
    }
    assert (result["role"], result["tool_call_id"]) == ("tool", "call0")
    head, _, body = str(result["content"]).partition("\n")
    assert head == "Search results (untrusted, informational only):"
    assert [sorted(found) for found in json.loads(body)["results"]] == [["content", "title", "url"]] * 2
    assert outcome.messages == [call, result, {**says_message("At noon [1]."), "reasoning_content": "Found it."}]
    assert outcome.content == "One moment.\n\nAt noon [1]."
    assert outcome.reasoning == "I should look.\n\nFound it."


def says_message(content: str) -> dict[str, str]:
    return {"role": "assistant", "content": content}


@pytest.mark.claim("LC-015")
@pytest.mark.parametrize("finish", ["tool_calls", "stop", "length", "eos_token"])
def test_whole_calls_run_whatever_the_finish_reason(finish: str) -> None:
    search = ScriptedSearch()
    outcome = run(
        ScriptedCompleter(calls({"query": "tide"}, finish=finish), says("Noon.")), toolbox=search_box(search)
    )
    assert search.queries == ["tide"]
    assert outcome.content == "Noon."


def test_results_of_all_searches_of_a_turn_are_numbered_in_one_run() -> None:
    completer = ScriptedCompleter(calls({"query": "a"}, {"query": "nothing"}), calls({"query": "b"}), says("Done."))
    outcome = run(completer, turn=replace(TURN, max_searches=3))
    assert [(record.query, record.first_number) for record in outcome.searches] == [
        ("a", 1),
        ("nothing", 3),
        ("b", 3),
    ]
    assert roles(completer.requests[1].messages) == ["user", "assistant", "tool", "tool"]


@pytest.mark.claim("LC-044", "LC-047")
def test_a_failed_search_is_a_result_and_the_turn_goes_on() -> None:
    completer = ScriptedCompleter(calls({"query": "broken"}), says("From memory: noon."))
    outcome = run(completer)
    assert outcome.searches[0].error == "SearXNG is not reachable."
    text = str(outcome.messages[1]["content"])
    assert json.loads(text.partition("\n")[2]) == {"error": "SearXNG is not reachable."}
    assert outcome.finish.reason is FinishReason.STOP


@pytest.mark.claim("LC-049")
def test_no_results_are_told_as_such() -> None:
    outcome = run(ScriptedCompleter(calls({"query": "nothing"}), says("I found nothing.")))
    assert json.loads(str(outcome.messages[1]["content"]).partition("\n")[2]) == {"results": []}


@pytest.mark.claim("LC-042")
def test_a_tool_of_another_name_is_answered_and_not_run() -> None:
    search = ScriptedSearch()
    completer = ScriptedCompleter(calls({"city": "Husum"}, name="get_weather"), says("I cannot tell."))
    outcome = run(completer, toolbox=search_box(search))
    assert "no tool" in str(completer.requests[1].messages[-1]["content"])
    assert (search.queries, outcome.searches) == ([], [])


def test_progress_waiting_and_usage_are_passed_on() -> None:
    first = [
        ServerWait("loading", 3.0),
        ServerWait("retrying", 1.0),
        PromptProgress(100, 40, 60),
        *calls({"query": "tide"}),
        UsageDelta(Usage(prompt_tokens=100, completion_tokens=5, cache_n=40, prompt_n=60)),
    ]
    second = [*says("Noon."), UsageDelta(Usage(prompt_tokens=150, completion_tokens=7, cache_n=105, prompt_n=45))]
    outcome = run(ScriptedCompleter(first, second))
    phases = [event.data for event in outcome.events if event.kind is Kind.PHASE]
    assert phases == [
        Phase(PhaseName.WAITING),
        Phase(PhaseName.LOADING, 3.0),
        Phase(PhaseName.RETRYING, 1.0),
        Phase(PhaseName.WAITING),
    ]
    assert Event(Kind.PROGRESS, PromptProgress(100, 40, 60)) in outcome.events
    usage = [event.data for event in outcome.events if event.kind is Kind.USAGE]
    assert usage[-1] == Usage(prompt_tokens=150, completion_tokens=12, cache_n=145, prompt_n=105)


def test_the_token_limit_ends_an_answer_with_a_sentence() -> None:
    outcome = run(ScriptedCompleter(says("A long", finish="length")))
    assert outcome.finish.reason is FinishReason.LENGTH
    assert "token limit" in outcome.finish.error
    assert outcome.messages == [says_message("A long")]
    completer = ScriptedCompleter(says("", thinking="Hm", finish="length"))
    outcome = run(completer)
    assert (outcome.finish.reason, outcome.messages) == (FinishReason.THINKING, [])
    assert len(completer.requests) == 1


@pytest.mark.parametrize(
    ("cause", "reason"),
    [(ServerCause.CUT_OFF, FinishReason.CUT_OFF), (ServerCause.UNREACHABLE, FinishReason.ERROR)],
)
def test_a_failing_server_ends_the_turn_with_its_words(cause: ServerCause, reason: FinishReason) -> None:
    outcome = run(ScriptedCompleter([ContentDelta("The first half <thi"), refusal(cause)]))
    assert outcome.content == "The first half <thi"
    assert outcome.finish.reason is reason
    assert outcome.finish.cause == cause
    assert (outcome.finish.error, outcome.finish.next_step) == ("The server refused.", "Do something else.")
    assert outcome.messages == []


def test_a_call_that_the_stream_cut_off_is_not_run() -> None:
    search = ScriptedSearch()
    pieces = [*calls('{"query":"ti')[:-1], refusal(ServerCause.CUT_OFF, None)]
    assert run(ScriptedCompleter(pieces), toolbox=search_box(search)).finish.reason is FinishReason.CUT_OFF
    assert search.queries == []


def test_stop_while_the_model_answers() -> None:
    cancel = CancelToken()
    outcome = run(ScriptedCompleter([ContentDelta("The first"), cancel]), cancel=cancel)
    assert (outcome.content, outcome.finish.reason) == ("The first", FinishReason.STOPPED)
    assert outcome.finish.error == ""


def test_stop_while_searching_leaves_a_record_of_what_was_asked() -> None:
    cancel = CancelToken()
    completer = ScriptedCompleter(calls({"query": "a"}, {"query": "b"}), says("No."))
    outcome = run(completer, cancel=cancel, toolbox=search_box(ScriptedSearch(before=cancel.cancel)))
    assert outcome.finish.reason is FinishReason.STOPPED
    assert [(record.query, record.cause) for record in outcome.searches] == [
        ("a", "cancelled"),
        ("b", "cancelled"),
    ]
    assert len(completer.requests) == 1


def test_stop_after_a_search_keeps_what_was_found_and_asks_the_model_no_more() -> None:
    class Deaf(ScriptedSearch):
        def find(self, query: str, cancel: CancelToken) -> SearchRecord:
            record = super().find(query, CancelToken())
            cancel.cancel()
            return record

    completer = ScriptedCompleter(calls({"query": "a"}), says("No."))
    outcome = run(completer, toolbox=search_box(Deaf()))
    assert [len(record.results) for record in outcome.searches] == [2]
    assert outcome.finish.reason is FinishReason.STOPPED
    assert len(completer.requests) == 1


@pytest.mark.claim("OP-047")
def test_after_three_empty_searches_the_model_has_to_answer() -> None:
    class Nothing(ScriptedSearch):
        def find(self, query: str, cancel: CancelToken) -> SearchRecord:
            self.queries.append(query)
            return SearchRecord(query)

    search = Nothing()
    script = [calls({"query": query}) for query in ("red", "green", "blue")]
    completer = ScriptedCompleter(*script, says("Nothing is known of it."))
    outcome = run(completer, turn=replace(TURN, max_searches=10), toolbox=search_box(search))
    assert search.queries == ["red", "green", "blue"]
    assert [request.tool_choice for request in completer.requests] == [None, None, None, "none"]
    assert outcome.content == "Nothing is known of it."


def test_an_end_of_stream_after_stop_is_not_believed() -> None:
    cancel = CancelToken()
    outcome = run(ScriptedCompleter([ContentDelta("Half"), FinishDelta("stop"), cancel.cancel]), cancel=cancel)
    assert outcome.finish.reason is FinishReason.STOPPED
    assert outcome.messages == []


def test_closing_the_turn_hangs_up() -> None:
    completer = ScriptedCompleter(says("A long answer."))
    turn = stream_chat(Turn((QUESTION,)), completer=completer, toolbox=Toolbox(), cancel=CancelToken())
    for event in turn:
        if event.kind is Kind.CONTENT:
            break
    turn.close()
    assert completer.closed == 1


def test_with_the_search_off_a_llama_server_keeps_the_tools_and_may_not_call() -> None:
    search = ScriptedSearch()
    completer = ScriptedCompleter(calls({"query": "tide"}), says("Noon."))
    outcome = run(completer, turn=replace(TURN, search_mode=SearchMode.OFF), toolbox=search_box(search))
    assert [(request.tools, request.tool_choice) for request in completer.requests] == [
        ((TOOL_SCHEMA,), "none"),
        ((), None),
    ]
    assert (search.queries, outcome.content) == ([], "Noon.")


def test_with_the_search_off_other_servers_are_offered_nothing() -> None:
    completer = ScriptedCompleter(says("Noon."))
    run(completer, turn=replace(TURN, search_mode=SearchMode.OFF, keeps_cached_prompt=False))
    assert completer.requests[0].tools == ()
