"""The loop of a turn: calls that came as text, and thinking that came as content."""

from __future__ import annotations

from dataclasses import replace

import pytest

from llamachat.chat.tools import Toolbox
from llamachat.core.completion import ContentDelta, FinishDelta, ReasoningDelta
from llamachat.core.errors import Cancelled, ServerCause
from llamachat.core.events import FinishReason, Kind
from tests.chat.running import TURN, Outcome, roles, run, search_box, sent_arguments
from tests.fakes.scripted_completer import ScriptedCompleter, Step, calls, refusal, says
from tests.fakes.scripted_search import ScriptedSearch

CALL = '<tool_call>\n{"name": "web_search", "arguments": {"query": "tide"}}\n</tool_call>'
XML_CALL = "<tool_call>\n<function=web_search>\n<parameter=query>\ntide\n</parameter>\n</function>\n</tool_call>"
FENCED_CALL = '```json\n{"name": "web_search", "arguments": {"query": "tide"}}\n```'
CUT_OFF = 'Let me check.\n<tool_call>\n{"name": "web_search", "arguments": {"query": "tide'


def pieces(text: str, size: int, kind: type[ContentDelta] | type[ReasoningDelta] = ContentDelta) -> list[Step]:
    return [*(kind(text[at : at + size]) for at in range(0, len(text), size)), FinishDelta("stop")]


def offered(completer: ScriptedCompleter) -> list[tuple[bool, str | None]]:
    return [(bool(request.tools), request.tool_choice) for request in completer.requests]


def assert_ran_as_structured(outcome: Outcome, completer: ScriptedCompleter) -> None:
    call, result = completer.requests[1].messages[1:]
    assert sent_arguments(call) == ['{"query": "tide"}']
    assert result["role"] == "tool"
    assert outcome.messages[:2] == [call, result]
    assert [record.query for record in outcome.searches] == ["tide"]
    assert "tool_call" not in outcome.content + outcome.reasoning


@pytest.mark.claim("OP-027", "LC-021")
@pytest.mark.parametrize("call", [CALL, XML_CALL, FENCED_CALL], ids=["json", "xml", "fenced"])
@pytest.mark.parametrize("size", [1, 7, 1000])
def test_a_call_in_the_content_runs_as_if_it_had_been_structured(call: str, size: int) -> None:
    completer = ScriptedCompleter(pieces(f"Let me look.\n{call}", size), says("Noon [1]."))
    outcome = run(completer)
    assert_ran_as_structured(outcome, completer)
    assert outcome.content.split() == ["Let", "me", "look.", "Noon", "[1]."]
    assert outcome.finish.reason is FinishReason.STOP


@pytest.mark.claim("LC-058")
@pytest.mark.parametrize("call", [CALL, XML_CALL], ids=["json", "xml"])
@pytest.mark.parametrize("size", [1, 7, 1000])
def test_a_call_in_the_thinking_runs_where_no_answer_came(call: str, size: int) -> None:
    completer = ScriptedCompleter(pieces(f"I should look.\n{call}", size, ReasoningDelta), says("Noon [1]."))
    outcome = run(completer)
    assert_ran_as_structured(outcome, completer)
    assert outcome.reasoning.strip() == "I should look."


def test_a_call_in_the_thinking_is_a_thought_where_an_answer_followed() -> None:
    search = ScriptedSearch()
    script = [ReasoningDelta(f"I could write {CALL}, but why."), *says("Noon.")]
    outcome = run(ScriptedCompleter(script), toolbox=search_box(search))
    assert (search.queries, outcome.content) == ([], "Noon.")
    assert outcome.finish.reason is FinishReason.STOP


@pytest.mark.claim("LC-059")
def test_a_call_that_cannot_be_read_is_held_back_and_asked_about_again() -> None:
    completer = ScriptedCompleter(pieces(CUT_OFF, 5), says("Noon."))
    outcome = run(completer)
    assert offered(completer) == [(True, None), (True, "none")]
    assert outcome.content.split() == ["Let", "me", "check.", "Noon."]
    assert outcome.searches == []
    assert roles(completer.requests[1].messages) == ["user"]


def test_a_call_that_stays_unreadable_is_shown_as_it_came() -> None:
    search = ScriptedSearch()
    completer = ScriptedCompleter(pieces(CUT_OFF, 5))
    outcome = run(completer, toolbox=search_box(search))
    assert offered(completer) == [(True, None), (True, "none"), (False, None)]
    assert outcome.content.endswith(CUT_OFF.partition("\n")[2])
    assert outcome.finish.reason is FinishReason.EMPTY
    assert "cannot be read" in outcome.finish.error
    assert search.queries == []


def test_at_the_cap_calls_as_text_do_not_run_and_are_not_shown() -> None:
    search = ScriptedSearch()
    completer = ScriptedCompleter(pieces(CALL, 5), pieces(CALL, 5), pieces(f"Noon.\n{CALL}", 5))
    outcome = run(completer, turn=replace(TURN, max_searches=1), toolbox=search_box(search))
    assert offered(completer) == [(True, None), (True, "none"), (False, None)]
    assert search.queries == ["tide"]
    assert (outcome.content.strip(), outcome.finish.reason) == ("Noon.", FinishReason.STOP)


def test_without_tools_such_text_is_text() -> None:
    outcome = run(ScriptedCompleter(pieces(CUT_OFF, 5)), toolbox=Toolbox())
    assert outcome.content == CUT_OFF
    assert outcome.finish.reason is FinishReason.STOP


def test_stray_closing_tags_and_code_are_text() -> None:
    text = 'Done with that.\n</parameter>\n</function>\n</tool_call>\n\n```json\n{"name": "tide"}\n```\nSo it is.'
    completer = ScriptedCompleter(pieces(text, 4))
    assert run(completer).content == text
    assert len(completer.requests) == 1


def test_text_that_is_held_back_is_shown_when_the_stream_breaks_off() -> None:
    script = [*pieces("See this:\n```json\n{", 5)[:-1], refusal(ServerCause.CUT_OFF)]
    outcome = run(ScriptedCompleter(script))
    assert outcome.content == "See this:\n```json\n{"
    assert outcome.finish.reason is FinishReason.CUT_OFF


@pytest.mark.parametrize("end", [refusal(ServerCause.CUT_OFF), Cancelled()], ids=["cut off", "stopped"])
@pytest.mark.parametrize("kind", [ContentDelta, ReasoningDelta])
def test_half_a_call_is_not_shown_when_the_stream_ends_in_it(
    kind: type[ContentDelta] | type[ReasoningDelta], end: Exception
) -> None:
    outcome = run(ScriptedCompleter([*pieces(CUT_OFF, 5, kind)[:-1], end]))
    assert (outcome.content + outcome.reasoning).strip() == "Let me check."
    assert outcome.finish.reason in (FinishReason.CUT_OFF, FinishReason.STOPPED)


@pytest.mark.parametrize("size", [1, 3, 1000])
def test_thinking_between_tags_in_the_content_is_thinking(size: int) -> None:
    outcome = run(ScriptedCompleter(pieces("<think>Hm</think>\n\nYes, `<think>` is a tag.", size)))
    assert (outcome.reasoning.strip(), outcome.content) == ("Hm", "Yes, `<think>` is a tag.")
    assert outcome.messages[0]["content"] == "Yes, `<think>` is a tag."
    assert outcome.messages[0]["reasoning_content"] == "Hm"


@pytest.mark.parametrize("size", [1, 3, 1000])
def test_a_closing_tag_alone_makes_thinking_of_what_was_shown(size: int) -> None:
    outcome = run(ScriptedCompleter(pieces("Count the letters.</think>\n\nThree.", size)))
    assert outcome.messages == [{"role": "assistant", "content": "Three.", "reasoning_content": "Count the letters."}]
    assert "</think>" not in outcome.content


@pytest.mark.parametrize("said", ["I could look. ", ""])
@pytest.mark.parametrize("size", [1, 7, 1000])
def test_a_call_before_a_closing_tag_alone_is_a_thought_where_an_answer_follows(said: str, size: int) -> None:
    search = ScriptedSearch()
    completer = ScriptedCompleter(pieces(f"{said}{CALL}\n</think>\n\nNoon.", size))
    outcome = run(completer, toolbox=search_box(search))
    assert (search.queries, len(completer.requests)) == ([], 1)
    answer = {"role": "assistant", "content": "Noon."}
    assert outcome.messages == [answer | {"reasoning_content": said} if said else answer]


def test_a_call_before_a_closing_tag_alone_runs_where_no_answer_follows() -> None:
    completer = ScriptedCompleter(pieces(f"I should look. {CALL}\n</think>\n", 5), says("Noon [1]."))
    outcome = run(completer)
    assert_ran_as_structured(outcome, completer)
    assert outcome.messages[0]["reasoning_content"] == "I should look. "
    assert outcome.messages[-1]["content"] == "Noon [1]."


def test_a_closing_tag_with_nothing_behind_it_leaves_no_answer() -> None:
    outcome = run(ScriptedCompleter(pieces("Count the letters.</think>\n\n", 5)), toolbox=Toolbox())
    assert outcome.finish.reason is FinishReason.EMPTY


def test_tags_are_text_where_thinking_comes_in_a_field_of_its_own() -> None:
    text = "<think>\nThis is how thinking is marked.\n</think>\nSo it is."
    outcome = run(ScriptedCompleter([ReasoningDelta("Hm."), *pieces(text, 5)]), toolbox=Toolbox())
    assert (outcome.content, outcome.reasoning) == (text, "Hm.")


def test_a_structured_call_wins_over_its_copy_in_the_text() -> None:
    completer = ScriptedCompleter(
        [ContentDelta(f"Let me look.\n{CALL}"), *calls({"query": "tide table"})], says("Noon.")
    )
    outcome = run(completer)
    assert [record.query for record in outcome.searches] == ["tide table"]


def test_thinking_that_never_ends_is_no_answer() -> None:
    completer = ScriptedCompleter(pieces("<think>Count the letters and", 5))
    outcome = run(completer, toolbox=Toolbox())
    assert (outcome.reasoning, outcome.content) == ("Count the letters and", "")
    assert outcome.finish.reason is FinishReason.EMPTY
    assert outcome.texts(Kind.NOTICE) == []
