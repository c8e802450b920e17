"""The loop of a turn: repeated calls, the cap, malformed calls, servers that refuse tools, answers without text."""

from __future__ import annotations

import itertools
import json
from dataclasses import replace

import pytest

from llamachat.chat.stream_chat import MAX_CALLS, Turn
from llamachat.chat.tools import Toolbox
from llamachat.core.cancel import CancelToken
from llamachat.core.completion import CompletionRequest, ContentDelta
from llamachat.core.errors import ServerCause
from llamachat.core.events import FinishReason, Kind
from llamachat.search import TOOL_SCHEMA
from tests.chat.running import QUESTION, TURN, roles, run, search_box, sent_arguments
from tests.fakes.scripted_completer import ScriptedCompleter, Step, calls, refusal, says
from tests.fakes.scripted_search import ScriptedSearch

OTHER_SERVER = replace(TURN, keeps_cached_prompt=False)


def offers(completer: ScriptedCompleter) -> list[str]:
    """What each request offered: tools, held tools or none."""
    names = {(True, None): "tools", (True, "none"): "held", (False, None): "bare"}
    return [names[bool(request.tools), request.tool_choice] for request in completer.requests]


def always_calls(queries: itertools.count[int] | None = None) -> ScriptedCompleter:
    """Calls whenever tools are offered, also where it must not; answers without."""

    def choose(request: CompletionRequest) -> list[Step]:
        query = f"tide table {next(queries)}" if queries else "tide table"
        return calls({"query": query}) if request.tools else says("Final.")

    return ScriptedCompleter(choose)


def test_a_repeated_call_is_not_searched_again_and_gets_its_results_with_a_note() -> None:
    search = ScriptedSearch()
    completer = ScriptedCompleter(calls({"query": "Tide  Table"}), calls({"query": "tide table"}), says("Noon [1]."))
    outcome = run(completer, turn=replace(TURN, max_searches=3), toolbox=search_box(search))
    assert search.queries == ["Tide Table"]
    first, again = (json.loads(str(m["content"]).partition("\n")[2]) for m in outcome.messages if m["role"] == "tool")
    assert again["results"] == first["results"]
    assert "note" not in first
    assert "Answer now" in again["note"]
    assert [record.first_number for record in outcome.searches] == [1, 1]


def test_a_model_that_always_makes_the_same_call_comes_to_an_answer() -> None:
    completer, search = always_calls(), ScriptedSearch()
    outcome = run(completer, toolbox=search_box(search))
    assert search.queries == ["tide table"]
    assert offers(completer) == ["tools", "tools", "held", "bare"]
    assert (outcome.content, outcome.finish.reason) == ("Final.", FinishReason.STOP)


@pytest.mark.claim("LC-016", "LC-021")
def test_a_model_that_always_makes_another_call_comes_to_an_answer() -> None:
    completer, search = always_calls(itertools.count()), ScriptedSearch()
    outcome = run(completer, turn=replace(TURN, max_searches=3), toolbox=search_box(search))
    assert len(search.queries) == 3
    assert offers(completer) == ["tools", "tools", "tools", "held", "bare"]
    assert outcome.content == "Final."


@pytest.mark.claim("LC-016")
def test_at_the_cap_other_servers_get_no_tools_at_once() -> None:
    completer = always_calls()
    outcome = run(completer, turn=OTHER_SERVER)
    assert offers(completer) == ["tools", "tools", "bare"]
    assert outcome.content == "Final."


def test_at_the_cap_an_answer_ends_the_turn() -> None:
    completer = ScriptedCompleter(calls({"query": "a"}), calls({"query": "b"}), says("Final."))
    run(completer)
    assert offers(completer) == ["tools", "tools", "held"]
    assert completer.requests[2].tools == (TOOL_SCHEMA,)
    assert roles(completer.requests[2].messages) == ["user", "assistant", "tool", "assistant", "tool"]


@pytest.mark.claim("OP-048", "AD-019")
def test_a_turn_makes_eight_calls_at_most() -> None:
    search = ScriptedSearch()
    completer = ScriptedCompleter(
        calls(*({"query": f"a{i}"} for i in range(5))), calls(*({"query": f"b{i}"} for i in range(5))), says("Done.")
    )
    outcome = run(completer, turn=replace(TURN, max_searches=5), toolbox=search_box(search))
    assert len(search.queries) == MAX_CALLS == 8
    assert offers(completer) == ["tools", "tools", "held"]
    assert roles(outcome.messages).count("tool") == 8


@pytest.mark.claim("OP-048")
def test_the_eighth_call_is_the_cap() -> None:
    fours = [calls(*({"query": f"{letter}{i}"} for i in range(4))) for letter in "ab"]
    completer = ScriptedCompleter(*fours, says("Done."))
    run(completer, turn=replace(TURN, max_searches=5))
    assert offers(completer) == ["tools", "tools", "held"]


def test_no_rounds_are_the_cap_from_the_start() -> None:
    completer = ScriptedCompleter(says("Done."))
    run(completer, turn=replace(TURN, max_searches=0))
    assert offers(completer) == ["held"]


def test_stop_between_rounds() -> None:
    cancel = CancelToken()
    completer = ScriptedCompleter([*calls({"query": "a"}), cancel.cancel], says("No."))
    outcome = run(completer, cancel=cancel)
    assert (outcome.finish.reason, len(completer.requests)) == (FinishReason.STOPPED, 1)


@pytest.mark.parametrize("arguments", ["", "null", '"tide table"', '["tide"]', "{}", '{"query": "   "}', "7", "true"])
def test_arguments_of_the_wrong_shape_are_told_to_the_model_which_may_try_again(arguments: str) -> None:
    search = ScriptedSearch()
    completer = ScriptedCompleter(calls(arguments), calls({"query": "tide"}), says("Noon."))
    outcome = run(completer, toolbox=search_box(search))
    assert search.queries == ["tide"]
    assert [record.cause for record in outcome.searches] == ["bad_call", ""]
    call, result = completer.requests[1].messages[1:]
    assert sent_arguments(call) in (["{}"], [arguments])
    assert isinstance(json.loads(sent_arguments(call)[0]), dict)
    assert '"query"' in json.loads(str(result["content"]).partition("\n")[2])["error"]
    assert offers(completer) == ["tools", "tools", "held"]
    assert outcome.content == "Noon."


@pytest.mark.parametrize(
    ("arguments", "query"), [('{"query": 42}', "42"), ('{"query": "tide", "max_results": "ten"}', "tide")]
)
def test_arguments_that_can_be_understood_are(arguments: str, query: str) -> None:
    search = ScriptedSearch()
    run(ScriptedCompleter(calls(arguments), says("Noon.")), toolbox=search_box(search))
    assert search.queries == [query]


@pytest.mark.claim("LC-050", "LC-051")
@pytest.mark.parametrize("finish", ["length", "tool_calls"])
def test_a_call_that_is_no_json_is_left_out_and_the_turn_goes_on_as_at_the_cap(finish: str) -> None:
    search = ScriptedSearch()
    broken = [ContentDelta("Let me look."), *calls('{"query": "ti', finish=finish)]
    completer = ScriptedCompleter(broken, says("Noon."))
    outcome = run(completer, toolbox=search_box(search))
    assert offers(completer) == ["tools", "held"]
    assert completer.requests[1].messages == (QUESTION,)
    assert (search.queries, outcome.content) == ([], "Let me look.\n\nNoon.")
    assert outcome.messages == [{"role": "assistant", "content": "Let me look.\n\nNoon."}]
    assert outcome.finish.reason is FinishReason.STOP


def test_whole_calls_beside_a_broken_one_run() -> None:
    search = ScriptedSearch()
    completer = ScriptedCompleter(calls({"query": "a"}, '{"query": "b'), says("Noon."))
    outcome = run(completer, turn=replace(TURN, max_searches=5), toolbox=search_box(search))
    assert search.queries == ["a"]
    assert offers(completer) == ["tools", "held"]
    assert sent_arguments(outcome.messages[0]) == ['{"query": "a"}']


def test_a_server_that_refuses_tools_is_asked_without_them() -> None:
    completer = ScriptedCompleter([refusal(ServerCause.TOOLS_REFUSED)], says("Noon."))
    outcome = run(completer)
    assert offers(completer) == ["tools", "bare"]
    assert len(outcome.texts(Kind.NOTICE)) == 1
    assert (outcome.content, outcome.finish.reason) == ("Noon.", FinishReason.STOP)


def test_a_server_that_refuses_tools_without_being_offered_any_is_believed() -> None:
    completer = ScriptedCompleter([refusal(ServerCause.TOOLS_REFUSED)])
    assert run(completer, toolbox=Toolbox()).finish.reason is FinishReason.ERROR
    assert len(completer.requests) == 1


@pytest.mark.claim("LC-060")
def test_an_answer_without_text_is_asked_for_again_step_by_step() -> None:
    completer = ScriptedCompleter(says("", thinking="Hm."), says(" \n"), says("Noon."))
    outcome = run(completer)
    assert offers(completer) == ["tools", "held", "bare"]
    assert outcome.content.strip() == "Noon."
    assert outcome.finish.reason is FinishReason.STOP


def test_no_text_after_results_is_asked_for_again() -> None:
    completer = ScriptedCompleter(calls({"query": "a"}), says(""), says("Noon."))
    outcome = run(completer)
    assert offers(completer) == ["tools", "tools", "held"]
    assert outcome.content == "Noon."


@pytest.mark.claim("LC-060")
@pytest.mark.parametrize(("turn", "requests"), [(TURN, 3), (OTHER_SERVER, 2)])
def test_a_turn_that_stays_empty_says_so(turn: Turn, requests: int) -> None:
    completer = ScriptedCompleter(says("", thinking="Hm."))
    outcome = run(completer, turn=turn)
    assert outcome.finish.reason is FinishReason.EMPTY
    assert outcome.finish.error
    assert outcome.finish.next_step
    assert outcome.messages == []
    assert len(completer.requests) == requests
