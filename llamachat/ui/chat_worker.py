"""One turn in its own thread: pulls the recorder's events into a mailbox that the GUI thread empties.

Nothing crosses threads but frozen values in the mailbox and the `CancelToken`. The worker has no slots: while it is
inside the generator none would run.
"""

from __future__ import annotations

import logging
from collections import deque
from contextlib import closing
from dataclasses import dataclass
from typing import Protocol, TypeAlias

from PySide6.QtCore import QObject, QThread

from llamachat.core.cancel import CancelToken
from llamachat.core.conversation import Conversation
from llamachat.core.errors import UserFacingError
from llamachat.core.events import Event
from llamachat.core.messages import StoredMessage
from llamachat.core.text import tr
from llamachat.recorder import RecordedTurn
from llamachat.storage.database import Database
from llamachat.turn_rows import TurnRequest

log = logging.getLogger(__name__)


class TurnSource(Protocol):
    """What a worker needs of the program."""

    def database(self) -> Database:
        """A new connection, for the thread that asks."""
        ...

    def start_turn(self, db: Database, request: TurnRequest, cancel: CancelToken) -> RecordedTurn:
        """Store the question and a row for the answer."""
        ...


@dataclass(frozen=True, slots=True)
class TurnStarted:
    """The question is stored (`user`; None where an answer is made anew or goes on) and the answer's row stands."""

    conversation: Conversation
    user: StoredMessage | None
    answer: StoredMessage


@dataclass(frozen=True, slots=True)
class TurnEnded:
    """The answer as it is stored now. `error` is set where the program, not the model server, failed."""

    answer: StoredMessage
    error: UserFacingError | None = None


@dataclass(frozen=True, slots=True)
class TurnRefused:
    """Nothing was stored: the text stays in the composer."""

    error: UserFacingError


Letter: TypeAlias = TurnStarted | Event | TurnEnded | TurnRefused


class ChatWorker(QThread):
    """Runs one turn. The last letter in `mailbox` is a TurnEnded or a TurnRefused."""

    def __init__(self, source: TurnSource, request: TurnRequest, *, cancel: CancelToken, parent: QObject) -> None:
        super().__init__(parent)
        self.mailbox: deque[Letter] = deque()
        self._source, self._request, self._cancel = source, request, cancel
        self._turn: RecordedTurn | None = None

    def run(self) -> None:
        """The thread: every way out puts a last letter into the mailbox."""
        try:
            with self._source.database() as db:
                self._run(db)
        except UserFacingError as error:
            self._give_up(error)
        except Exception:  # the outermost frame of the thread
            log.exception("a turn failed")
            self._give_up(UserFacingError(tr("Something went wrong inside the program."), tr("The log has details.")))

    def _run(self, db: Database) -> None:
        turn = self._turn = self._source.start_turn(db, self._request, self._cancel)
        self.mailbox.append(TurnStarted(turn.conversation, turn.user, turn.answer))
        with closing(turn.events()) as events:
            self.mailbox.extend(events)
        self.mailbox.append(TurnEnded(turn.stored_answer()))

    def _give_up(self, error: UserFacingError) -> None:
        turn = self._turn
        self.mailbox.append(TurnEnded(turn.stored_answer(), error) if turn else TurnRefused(error))
