"""An answer that begins while the router decides: held unread, read from its beginning, or hung up."""

from __future__ import annotations

import threading
from collections.abc import Callable

import pytest

from llamachat.chat.aside import Aside
from llamachat.chat.query_writer import QueryWriter
from llamachat.chat.router import Router
from llamachat.chat.stream_chat import Turn, stream_chat
from llamachat.chat.tools import Toolbox
from llamachat.chat.web_search_tool import WebSearchTool
from llamachat.core.cancel import CancelToken
from llamachat.core.completion import ContentDelta
from llamachat.core.errors import ServerCause
from llamachat.core.events import Event, FinishReason, Kind
from tests.chat.running import QUESTION, Outcome
from tests.fakes.scripted_completer import Choice, ScriptedCompleter, Step, refusal, says
from tests.fakes.scripted_search import ScriptedSearch
from tests.fakes.still_clock import StillClock

WAIT_S = 20.0


def speculating(main: ScriptedCompleter, *asides: Choice) -> tuple[Router, ScriptedSearch]:
    """A router that lets `main` begin at once."""
    aside, search = Aside(ScriptedCompleter(*asides)), ScriptedSearch()
    writer = QueryWriter(aside, StillClock())
    return Router(aside, writer, WebSearchTool(search, clock=StillClock()), speculates=True), search


def run(main: ScriptedCompleter, router: Router, cancel: CancelToken | None = None) -> Outcome:
    turn = Turn((QUESTION,))
    events = stream_chat(turn, completer=main, toolbox=Toolbox(), router=router, cancel=cancel or CancelToken())
    return Outcome(list(events))


def reached(gate: threading.Event) -> Callable[[], None]:
    """Wait until a gate is open."""

    def wait() -> None:
        assert gate.wait(WAIT_S)

    return wait


def helpers() -> list[str]:
    return [thread.name for thread in threading.enumerate() if thread.name == "held answer"]


@pytest.mark.claim("OP-024")
def test_both_begin_at_once_and_nothing_is_told_before_the_decision() -> None:
    begun, decided = threading.Event(), threading.Event()
    main = ScriptedCompleter([ContentDelta("At "), begun.set, reached(decided), *says("noon.")])
    told: list[Event] = []

    def decide() -> None:
        assert begun.wait(WAIT_S)
        assert not [event for event in told if event.kind is Kind.CONTENT]
        decided.set()

    router, search = speculating(main, [decide, *says("no")])
    turn = stream_chat(Turn((QUESTION,)), completer=main, toolbox=Toolbox(), router=router, cancel=CancelToken())
    told.extend(turn)
    outcome = Outcome(told)
    assert (outcome.content, search.queries, len(main.requests)) == ("At noon.", [], 1)
    assert helpers() == []


@pytest.mark.claim("OP-025")
def test_a_yes_hangs_up_and_sends_the_request_anew_with_what_was_found() -> None:
    begun, hung_up = threading.Event(), threading.Event()
    speculative: list[Step] = [ContentDelta("I guess"), begun.set, reached(hung_up), *says("!")]
    main = ScriptedCompleter(speculative, says("At noon [1]."))
    router, search = speculating(main, [reached(begun), *says("yes")], [hung_up.set, *says("tide")])
    outcome = run(main, router)
    assert (outcome.content, search.queries) == ("At noon [1].", ["tide"])
    assert "I guess" not in str(outcome.events)
    assert len(main.requests) == 2
    assert helpers() == []


def test_an_answer_that_failed_while_it_was_held_ends_the_turn_as_it_would_have() -> None:
    main = ScriptedCompleter([ContentDelta("At "), refusal(ServerCause.CUT_OFF)])
    router, _ = speculating(main, says("no"))
    outcome = run(main, router)
    assert (outcome.content, outcome.finish.reason) == ("At ", FinishReason.CUT_OFF)


def test_stop_while_it_is_held_leaves_no_thread() -> None:
    cancel, begun = CancelToken(), threading.Event()
    main = ScriptedCompleter([begun.set, ContentDelta("At "), ContentDelta("noon")])
    router, _ = speculating(main, [reached(begun), cancel])
    outcome = run(main, router, cancel)
    assert (outcome.content, outcome.finish.reason) == ("", FinishReason.STOPPED)
    assert helpers() == []


def test_closing_the_turn_while_it_is_held_hangs_up() -> None:
    main = ScriptedCompleter(says("At noon."))
    router, _ = speculating(main, says("no"))
    turn = stream_chat(Turn((QUESTION,)), completer=main, toolbox=Toolbox(), router=router, cancel=CancelToken())
    next(turn)
    turn.close()
    assert helpers() == []
