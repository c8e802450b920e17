"""Recorded turns with a router: what stands in the rows, and what the next request repeats."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest

from llamachat.chat.aside import Aside
from llamachat.core.cancel import CancelToken
from llamachat.core.completion import UsageDelta
from llamachat.core.conversation import SearchMode
from llamachat.core.events import Kind
from llamachat.core.messages import Usage, WireMessage
from llamachat.recorder import start_turn
from llamachat.storage.database import Database
from llamachat.storage.messages import load_branch
from llamachat.turn_parts import RouterParts, TurnParts
from llamachat.turn_rows import TurnRequest
from tests.fakes.scripted_completer import Choice, ScriptedCompleter, Step, calls, says
from tests.fakes.scripted_search import ScriptedSearch


@pytest.fixture
def db(tmp_path: Path) -> Iterator[Database]:
    """An empty database."""
    with Database.open(tmp_path / "history.db") as database:
        yield database


def take_turn(
    db: Database, request: TurnRequest, *answers: Choice, asides: list[Choice], takes_all: bool = True
) -> tuple[ScriptedCompleter, ScriptedCompleter]:
    """Run a turn; the completers of the answer and of the router."""
    main, aside = ScriptedCompleter(*answers), ScriptedCompleter(*asides)
    parts = TurnParts(main, search=ScriptedSearch(), router=RouterParts(Aside(aside), takes_all=takes_all))
    list(start_turn(db, request, prepare=lambda: parts, cancel=CancelToken()).events())
    return main, aside


def sent(completer: ScriptedCompleter) -> tuple[WireMessage, ...]:
    """The messages of the last request."""
    return completer.requests[-1].messages


SEND = TurnRequest("send", text="When is high tide?")
YES: list[Choice] = [says("yes"), says('{"query": "tide husum"}')]


def test_the_question_is_kept_as_it_was_sent_and_repeated_byte_for_byte(db: Database) -> None:
    first, _ = take_turn(db, SEND, says("At noon [1]."), asides=YES)
    question, answer = load_branch(db, 1)
    assert question.content == "When is high tide?"
    assert question.wire == sent(first)
    assert [(record.query, record.route) for record in answer.searches] == [("tide husum", "router")]
    second, _ = take_turn(db, TurnRequest("send", 1, "Thanks!"), says("Yes."), asides=[says("no")])
    assert sent(second)[:1] == sent(first)
    assert sent(second)[2] == {"role": "user", "content": "Thanks!"}


def test_a_question_that_cannot_be_written_for_a_moment_is_kept_and_written_later(db: Database) -> None:
    db.connection.execute("PRAGMA busy_timeout = 0")
    with Database.open(db.path) as other:

        def lock() -> None:
            other.connection.execute("BEGIN IMMEDIATE")

        def unlock() -> None:
            other.connection.execute("ROLLBACK")

        asides: list[Choice] = [says("yes"), [lock, *says('{"query": "tide husum"}')]]
        first, _ = take_turn(db, SEND, [unlock, *says("At noon [1].")], asides=asides)
    assert load_branch(db, 1)[0].wire == sent(first)
    second, _ = take_turn(db, TurnRequest("send", 1, "Thanks!"), says("Yes."), asides=[says("no")])
    assert sent(second)[:1] == sent(first)
    assert len(db.unsaved) == 0


def test_another_answer_to_it_has_the_same_results_and_searches_no_more(db: Database) -> None:
    first, _ = take_turn(db, SEND, says("At noon [1]."), asides=YES)
    second, aside = take_turn(db, TurnRequest("retry", 1), says("At six [1]."), asides=YES)
    assert sent(second) == sent(first)
    assert aside.requests == []
    assert [record.query for record in load_branch(db, 1)[-1].searches] == ["tide husum"]


def test_search_again_forgets_what_was_found(db: Database) -> None:
    take_turn(db, SEND, says("At noon [1]."), asides=YES)
    again, aside = take_turn(db, TurnRequest("retry", 1, fresh=True), says("At six [1]."), asides=YES)
    assert len(aside.requests) == 2
    assert [record.query for record in load_branch(db, 1)[-1].searches] == ["tide husum"]
    assert str(sent(again)[-1]["content"]).count("<web_search_results>") == 1


def test_the_router_offers_no_tools_and_always_keeps_them_where_the_model_can_call(db: Database) -> None:
    routed, _ = take_turn(db, SEND, says("Noon."), asides=[says("no")])
    assert routed.requests[0].tools == ()
    always = TurnRequest("send", text="When is high tide?", search_mode=SearchMode.ALWAYS)
    asked, _ = take_turn(db, always, says("Noon [1]."), asides=[says("tide")], takes_all=False)
    assert len(asked.requests[0].tools) == 1
    assert "<web_search_results>" in str(sent(asked)[-1])


def test_a_model_that_can_call_is_asked_nothing_aside_on_auto_nor_anybody_when_off(db: Database) -> None:
    _, aside = take_turn(db, SEND, says("Noon."), asides=YES, takes_all=False)
    off = TurnRequest("send", text="When?", search_mode=SearchMode.OFF)
    _, also = take_turn(db, off, says("Noon."), asides=YES)
    assert (aside.requests, also.requests) == ([], [])


def test_a_chat_whose_model_twice_called_in_its_text_goes_to_the_router(db: Database) -> None:
    call = '<tool_call>{"name": "web_search", "arguments": {"query": "%s"}}</tool_call>'
    for number in range(2):
        request = TurnRequest("send", 1 if number else None, f"Question {number}?")
        main, aside = take_turn(db, request, says(call % f"word{number}"), says("So."), asides=YES, takes_all=False)
        assert aside.requests == []
        assert main.requests[0].tools
    assert [record.route for row in load_branch(db, 1) for record in row.searches] == ["text", "text"]
    main, aside = take_turn(db, TurnRequest("send", 1, "And?"), says("So."), asides=[says("no")], takes_all=False)
    assert len(aside.requests) == 1
    assert main.requests[0].tools == ()


def test_structured_calls_are_the_models_own(db: Database) -> None:
    take_turn(db, SEND, calls({"query": "tide"}), says("Noon [1]."), asides=YES, takes_all=False)
    assert [record.route for record in load_branch(db, 1)[-1].searches] == ["model"]


def test_it_is_told_where_the_router_costs_the_chat_its_cached_prompt(db: Database) -> None:
    def counted(prompt: int, cached: int) -> list[Step]:
        return [*says("So."), UsageDelta(Usage(prompt_tokens=prompt, cache_n=cached))]

    def notices(request: TurnRequest, prompt: int, cached: int) -> list[str]:
        main, aside = ScriptedCompleter(counted(prompt, cached)), ScriptedCompleter(says("no"))
        router = RouterParts(Aside(aside), takes_all=True)
        parts = TurnParts(main, search=ScriptedSearch(), router=router)
        events = start_turn(db, request, prepare=lambda: parts, cancel=CancelToken()).events()
        return [str(data) for kind, data in events if kind is Kind.NOTICE]

    assert notices(SEND, 2000, 0) == []  # nothing was there before
    assert notices(TurnRequest("send", 1, "And?"), 2100, 1990) == []
    told = notices(TurnRequest("send", 1, "And now?"), 2200, 500)
    assert len(told) == 1
    assert "--parallel 2" in told[0]
