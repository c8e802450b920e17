"""Recorded turns on a real llama-server and a real SearXNG: what is in the database afterwards."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest

from llamachat.core.cancel import CancelToken
from llamachat.core.clock import SystemClock
from llamachat.core.events import Kind
from llamachat.core.messages import Status
from llamachat.llm.client import ChatClient
from llamachat.recorder import RecordedTurn, start_turn
from llamachat.storage.database import Database
from llamachat.storage.fulltext import search_history
from llamachat.storage.messages import get_message, load_branch
from llamachat.turn_parts import TurnParts
from llamachat.turn_rows import TurnRequest
from tests.fakes.searching import searxng_search
from tests.integration.llama_server import ParrotServer, script, thinking
from tests.integration.searxng_server import Searxng
from tests.recorder_parts import finish_of, shown

# What the server puts between the beginning of an answer and a partial text that it is to go on with. The parrot
# says its line from the beginning of the answer on, so the line has to have as much in that place.
BEFORE_PARTIAL = "<think>\n\n</think>\n\n"


@pytest.fixture
def db(tmp_path: Path) -> Iterator[Database]:
    """An empty database."""
    with Database.open(tmp_path / "history.db") as database:
        yield database


def begin(db: Database, server: ParrotServer, request: TurnRequest, searxng: Searxng | None = None) -> RecordedTurn:
    """A turn over real parts."""
    client = ChatClient(server.endpoint, clock=SystemClock())
    search = searxng_search(searxng.url) if searxng else None
    parts = TurnParts(client, search=search, keeps_reasoning=True, on_end=client.close)
    return start_turn(db, request, prepare=lambda: parts, cancel=CancelToken())


def test_a_turn_is_stored_as_it_was_shown_and_found_again(
    db: Database, parrot_server: ParrotServer, searxng: Searxng
) -> None:
    call = parrot_server.call("web_search", query="Copper Heron weight")
    question = script(thinking("I should look.") + call, thinking("Found.") + "About 900 grams [1].")
    turn = begin(db, parrot_server, TurnRequest("send", text=question), searxng)
    events = list(turn.events())
    stored = get_message(db, turn.answer.id)
    assert stored == turn.stored_answer()
    assert stored is not None
    assert stored.content == shown(events, Kind.CONTENT) == "About 900 grams [1]."
    assert stored.reasoning == shown(events, Kind.REASONING)
    assert [record.query for record in stored.searches] == ["Copper Heron weight"]
    assert "900 grams" in stored.searches[0].results[0].content
    assert stored.usage.predicted_n
    assert stored.status is Status.COMPLETE
    assert turn.answer.id in [hit.message_id for hit in search_history(db, "900 grams")]


def test_an_answer_that_was_stopped_goes_on_where_it_stopped(db: Database, parrot_server: ParrotServer) -> None:
    line = BEFORE_PARTIAL + "The quick brown fox jumps over the lazy dog, and then it sleeps."
    turn = begin(db, parrot_server, TurnRequest("send", text=line))
    events = turn.events()
    said = ""
    for kind, data in events:
        said += str(data) if kind is Kind.CONTENT else ""
        if len(said) >= 20:
            break
    events.close()
    stopped = get_message(db, turn.answer.id)
    assert stopped is not None
    assert (stopped.content, stopped.status) == (said, Status.STOPPED)

    rest = begin(db, parrot_server, TurnRequest("continue", turn.conversation.id))
    assert finish_of(list(rest.events())).reason == "stop"
    whole = get_message(db, turn.answer.id)
    assert whole is not None
    assert whole.content == "The quick brown fox jumps over the lazy dog, and then it sleeps."
    assert whole.status is Status.COMPLETE
    assert whole.wire == ({"role": "assistant", "content": whole.content},)


@pytest.mark.slow
def test_a_retry_asks_the_same_and_the_chat_goes_on_below_it(db: Database, parrot_server: ParrotServer) -> None:
    first = begin(db, parrot_server, TurnRequest("send", text="Say this."))
    list(first.events())
    list(begin(db, parrot_server, TurnRequest("retry", first.conversation.id)).events())
    list(begin(db, parrot_server, TurnRequest("send", first.conversation.id, text="And this.")).events())
    branch = load_branch(db, first.conversation.id)
    assert [message.content for message in branch] == ["Say this.", "Say this.", "And this.", "And this."]
    assert first.answer.id not in [message.id for message in branch]
