"""Turns of a temporary chat: its store is in memory, and what it searched for is remembered for it alone. No Qt."""

from __future__ import annotations

from llamachat.app import App
from llamachat.core.cancel import CancelToken
from llamachat.core.seams import Clock
from llamachat.recorder import RecordedTurn
from llamachat.storage.database import Database
from llamachat.storage.temporary import TemporaryHistory
from llamachat.turn_rows import TurnRequest


class TemporaryTurns:
    """The TurnSource of one temporary chat. Whoever lets go of it, and of all its databases, lets go of the chat."""

    def __init__(self, app: App, *, clock: Clock) -> None:
        self.history = TemporaryHistory(clock=clock)
        self._app = app
        self._guard = app.search.guard.apart()

    @property
    def chat_id(self) -> int:
        """The chat."""
        return self.history.chat_id

    def database(self) -> Database:
        """A new connection, for the thread that asks."""
        return self.history.database()

    def start_turn(self, db: Database, request: TurnRequest, cancel: CancelToken) -> RecordedTurn:
        """As the program does."""
        return self._app.start_turn(db, request, cancel, guard=self._guard)
