"""What the tests of recorded turns share: a turn over scripted parts on a real database, seen from beside."""

from __future__ import annotations

import time
from collections.abc import Callable
from pathlib import Path

from llamachat.core.cancel import CancelToken
from llamachat.core.events import Event, Finish, Kind
from llamachat.core.messages import StoredMessage
from llamachat.recorder import RecordedTurn, start_turn
from llamachat.storage.database import Database
from llamachat.storage.messages import get_message
from llamachat.turn_parts import TurnParts
from llamachat.turn_rows import TurnRequest
from tests.fakes.scripted_completer import Choice, ScriptedCompleter
from tests.fakes.scripted_search import ScriptedSearch

SEND = TurnRequest("send", text="When is high tide?\nIn Husum.", prompt="Be brief.", model="qwen")


def begin(
    db: Database,
    request: TurnRequest,
    *scripts: Choice,
    search: ScriptedSearch | None = None,
    cancel: CancelToken | None = None,
    on_end: Callable[[], None] = lambda: None,
) -> RecordedTurn:
    """A turn over these answers of the model."""
    parts = TurnParts(ScriptedCompleter(*scripts), search=search, on_end=on_end)
    return start_turn(db, request, prepare=lambda: parts, cancel=cancel or CancelToken())


def row(path: Path, message_id: int) -> StoredMessage:
    """The row as another connection sees it."""
    with Database.open(path) as other:
        found = get_message(other, message_id)
    assert found is not None
    return found


def shown(events: list[Event], kind: Kind) -> str:
    """All text of a kind."""
    return "".join(str(data) for seen, data in events if seen is kind)


def finish_of(events: list[Event]) -> Finish:
    """How the turn ended."""
    last = events[-1].data
    assert isinstance(last, Finish)
    return last


def wait_until(true: Callable[[], bool]) -> None:
    """Wait for what another thread does; a failure after ten seconds."""
    deadline = time.monotonic() + 10
    while not true():
        assert time.monotonic() < deadline, "it did not happen"
        time.sleep(0.01)
