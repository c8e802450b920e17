"""What servers were seen to send, through whole turns: what is shown, searched, sent back and stored."""

from __future__ import annotations

import itertools
import json
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path
from typing import cast

import pytest

from llamachat.chat.prompt import GO_ON
from llamachat.core.cancel import CancelToken
from llamachat.core.clock import SystemClock
from llamachat.core.completion import CompletionRequest, ContentDelta, Endpoint
from llamachat.core.events import FinishReason, Kind
from llamachat.core.messages import JsonObject, Status, StoredMessage
from llamachat.llm.client import ChatClient
from llamachat.recorder import start_turn
from llamachat.storage.database import Database
from llamachat.storage.messages import get_message
from llamachat.turn_parts import TurnParts
from llamachat.turn_rows import TurnRequest
from tests.chat.running import TURN, run, search_box, sent_arguments
from tests.fakes.scripted_completer import ScriptedCompleter, Step, calls, says
from tests.fakes.scripted_search import ScriptedSearch
from tests.fakes.sse_server import DONE, SseServer, content, finish, http, stream_head
from tests.llm.cases import Run, runs
from tests.recorder_parts import finish_of

LAST_WORD = [stream_head(), content("The last word."), finish(), DONE]


@pytest.fixture
def db(tmp_path: Path) -> Iterator[Database]:
    """An empty database."""
    with Database.open(tmp_path / "history.db") as database:
        yield database


class Turns:
    """Turns over one server, and what they searched."""

    def __init__(self, db: Database, server: SseServer) -> None:
        self.db, self.server = db, server
        self.search = ScriptedSearch()

    def ask(self, request: TurnRequest) -> tuple[StoredMessage, FinishReason]:
        """Run one; the stored answer and how it ended."""
        client = ChatClient(Endpoint(self.server.base_url), clock=SystemClock())
        parts = TurnParts(client, search=self.search, keeps_reasoning=True, on_end=client.close)
        turn = start_turn(self.db, request, prepare=lambda: parts, cancel=CancelToken())
        ended = finish_of(list(turn.events()))
        stored = get_message(self.db, turn.answer.id)
        assert stored is not None
        assert stored == turn.stored_answer()
        return stored, ended.reason

    def sent(self, number: int) -> list[JsonObject]:
        """The messages of a request."""
        body = json.loads(self.server.requests[number].body)
        return cast("list[JsonObject]", body["messages"])


@pytest.mark.parametrize("case", runs("stream"))
def test_what_a_server_streams_becomes_a_turn(case: Run, db: Database) -> None:
    expect = case.expected
    error = cast("JsonObject | None", expect["error"])
    with SseServer([stream_head(), *case.reads], LAST_WORD) as server:
        turns = Turns(db, server)
        stored, reason = turns.ask(TurnRequest("send", text="Hi"))
        wanted = cast("list[JsonObject]", expect["calls"])
        if error:
            assert reason in (FinishReason.ERROR, FinishReason.CUT_OFF)
            assert stored.status is (Status.INTERRUPTED if expect["content"] else Status.FAILED)
            assert str(error["says"]) in stored.error.replace(",", "")  # of a large number
            assert (stored.content, stored.wire) == (expect["content"], ())
        elif not wanted:
            assert (stored.content, stored.reasoning) == (expect["content"], expect["reasoning"])
            assert (stored.status, reason) == (Status.COMPLETE, FinishReason.STOP)
        else:
            assert stored.content.split("\n\n") == [*filter(None, [expect["content"]]), "The last word."]
            assert sent_arguments(turns.sent(1)[1]) == [call["arguments"] for call in wanted]
            assert [m["role"] for m in turns.sent(1)] == ["user", "assistant", *["tool"] * len(wanted)]
        searches = [] if error else [call for call in wanted if call["name"] == "web_search"]
        assert turns.search.queries == [json.loads(str(call["arguments"]))["query"] for call in searches]


@pytest.mark.parametrize("case", runs("arguments"))
def test_arguments_are_used_or_refused_and_go_back_as_an_object(case: Run) -> None:
    search = ScriptedSearch()
    completer = ScriptedCompleter(calls(str(case.input)), says("Noon."))
    outcome = run(completer, toolbox=search_box(search))
    query = case.expected["query"]
    assert search.queries == ([query] if query is not None else [])
    assert [record.failed for record in outcome.searches] == [case.expected["outcome"] == "refused"]
    assert sent_arguments(completer.requests[1].messages[1]) == [case.expected["sent"]]
    assert outcome.content == "Noon."


@pytest.mark.parametrize("case", runs("loop"))
def test_a_model_that_never_stops_calling_comes_to_an_answer(case: Run) -> None:
    queries = itertools.cycle(cast("list[JsonObject]", case.given["with_tools"]))
    last_word = str(case.given["without_tools"])

    def choose(request: CompletionRequest) -> list[Step]:
        return calls(next(queries)) if request.tools else says(last_word)

    search, most = ScriptedSearch(), 3
    outcome = run(ScriptedCompleter(choose), turn=replace(TURN, max_searches=most), toolbox=search_box(search))
    searches = case.expected["searches"]
    assert len(search.queries) == (most if searches == "max_searches" else searches)
    assert outcome.content == case.expected["content"]
    assert outcome.finish.reason is FinishReason.STOP


@pytest.mark.parametrize("case", runs("thinking"))
def test_thinking_in_the_content_is_stored_as_thinking(case: Run, db: Database) -> None:
    with SseServer([stream_head(), *map(content, case.texts), finish(), DONE]) as server:
        stored, _ = Turns(db, server).ask(TurnRequest("send", text="Hi"))
    assert stored.content == case.expected["content"]
    assert set(stored.reasoning.split("\n\n")) == {case.expected["reasoning"]}
    assert stored.finish_reason == ("stop" if case.expected["content"] else "empty")


@pytest.mark.parametrize("case", runs("leak"))
def test_what_is_no_whole_call_does_not_run_and_is_shown(case: Run) -> None:
    search = ScriptedSearch()
    script: list[Step] = [*map(ContentDelta, case.texts), *says("")]
    outcome = run(ScriptedCompleter(script), toolbox=search_box(search))
    assert search.queries == []
    assert outcome.content.endswith(f"{case.expected['shown']}{case.expected['rest']}")
    broken = case.expected["broken"]
    assert outcome.finish.reason is (FinishReason.EMPTY if broken else FinishReason.STOP)
    assert bool(outcome.finish.error) == broken


@pytest.mark.parametrize("case", runs("refusal"))
def test_a_refused_prefill_is_asked_for_in_another_way(case: Run, db: Database) -> None:
    refused = http(str(case.given["body"]), status=400)
    half = [stream_head(), content("The first half")]
    rest = [stream_head(), content("and the second."), finish(), DONE]
    with SseServer(half, [refused], rest) as server:
        turns = Turns(db, server)
        stored, _ = turns.ask(TurnRequest("send", text="Write it"))
        assert (stored.content, stored.status) == ("The first half", Status.INTERRUPTED)
        stored, _ = turns.ask(TurnRequest("continue", stored.conversation_id))
        assert (stored.content, stored.status) == ("The first half and the second.", Status.COMPLETE)
        assert [message["role"] for message in turns.sent(1)] == ["user", "assistant"]
        assert [message["content"] for message in turns.sent(2)] == ["Write it", "The first half", GO_ON]


def test_the_next_turn_after_a_call_cut_off_by_the_token_limit_can_be_sent(db: Database) -> None:
    cut = calls('{"query": "long que', finish="length")
    completer = ScriptedCompleter(cut, says("Well."), says("Now."))
    parts = TurnParts(completer, search=ScriptedSearch())
    turn = start_turn(db, TurnRequest("send", text="Find it"), prepare=lambda: parts, cancel=CancelToken())
    events = list(turn.events())
    assert not any(event.kind is Kind.SEARCH_START for event in events)
    parts = replace(parts, search=ScriptedSearch())
    list(start_turn(db, TurnRequest("send", 1, "And now?"), prepare=lambda: parts, cancel=CancelToken()).events())
    assert [message["role"] for message in completer.requests[-1].messages] == ["user", "assistant", "user"]
