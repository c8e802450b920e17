"""Titles by the model, where they are set: asked for while nothing else goes on, given up for anything that does."""

from __future__ import annotations

from collections.abc import Callable, Mapping

from PySide6.QtCore import QObject, QTimer, Signal

from llamachat.app import App
from llamachat.chat.titles import title_by_model, title_from
from llamachat.core.cancel import CancelToken
from llamachat.core.conversation import is_temporary
from llamachat.core.errors import UserFacingError
from llamachat.core.events import FinishReason
from llamachat.core.messages import StoredMessage
from llamachat.storage.database import Database
from llamachat.storage.naming import Unnamed, name_conversation, unnamed
from llamachat.ui.chat_worker import TurnEnded
from llamachat.ui.tasks import Tasks
from llamachat.ui.turn_control import TurnControl
from llamachat.ui.turns import Turns

SOON_MS = 500
QUIET_MS = 30_000  # where the question costs the chat what the server remembers of it
TRIES = 3  # at a server that works for others


class TitleControl(QObject):
    """One title at a time. A new turn in any chat ends the asking; it is begun anew after that turn."""

    named = Signal(int, str)  # a chat has this title now

    def __init__(
        self,
        app: App,
        control: TurnControl,
        *,
        turns: Turns,
        slots: Callable[[], Mapping[str, int]],
        store: Tasks[Database],
        lane: Tasks[CancelToken],
        parent: QObject,
    ) -> None:
        """slots: how many the server has, as `ServerWatch` knows it. lane: where the model is asked."""
        super().__init__(parent)
        self._app, self._control, self._turns, self._slots = app, control, turns, slots
        self._store, self._lane = store, lane
        self._wanted: dict[int, Unnamed] = {}
        self._tries: dict[int, int] = {}
        self._asking: CancelToken | None = None
        self._timer = QTimer(self)
        self._timer.setSingleShot(True)
        self._timer.timeout.connect(self._ask)
        control.ended.connect(self._ended)
        control.nothing_to_stop.connect(self._give_up)
        control.changed.connect(self._turn_changed)
        turns.changed.connect(self._turn_changed)

    def postpone(self) -> None:
        """Somebody types: the quiet begins anew."""
        if self._timer.isActive():
            self._wait()

    def _stop(self) -> None:
        asking, self._asking = self._asking, None
        if asking:
            asking.cancel()

    def _give_up(self) -> None:
        """Stop was pressed: the titles stay as they are."""
        if self._asking:
            self._wanted.clear()
            self._stop()

    def _ended(self, letter: TurnEnded) -> None:
        answer = letter.answer
        whole = letter.error is None and answer.finish_reason == FinishReason.STOP
        if self._app.config.titles == "model" and whole and not is_temporary(answer.conversation_id):
            self._want(answer)

    def _want(self, answer: StoredMessage) -> None:
        self._store.read(
            lambda db: unnamed(db, answer, title_from), lambda found: self._take(found) if found else None
        )

    def _take(self, found: Unnamed) -> None:
        self._wanted[found.conversation_id] = found
        self._turn_changed()

    def _turn_changed(self) -> None:
        if self._busy:
            self._timer.stop()
            self._stop()
        elif self._wanted and self._asking is None and not self._timer.isActive():
            self._wait()

    @property
    def _busy(self) -> bool:
        return bool(self._turns.conversations()) or self._control.turn is not None

    def _wait(self) -> None:
        slots = self._slots()
        self._timer.start(SOON_MS if slots and min(slots.values()) > 1 else QUIET_MS)

    def _ask(self) -> None:
        if self._app.config.titles != "model":
            self._wanted.clear()
        if self._busy or not self._wanted:
            return
        chat = next(iter(self._wanted.values()))
        token = self._asking = CancelToken()

        def ask(closing: CancelToken) -> str | None:
            with closing.on_cancel(token.cancel), self._app.models.aside_at_rest(chat.model, token) as aside:
                return title_by_model(aside, chat.question, chat.answer, token) if aside else None

        def done(title: str | None) -> None:
            if token is self._asking:
                self._asking = None
                self._answered(chat, title)

        def failed(_: UserFacingError) -> None:
            done("")

        self._lane.read(ask, done, failed, key="title")

    def _answered(self, chat: Unnamed, title: str | None) -> None:
        number = chat.conversation_id
        if title is None:  # the server works for others
            self._tries[number] = self._tries.get(number, 0) + 1
            self._timer.start(QUIET_MS)
        if title is not None or self._tries[number] >= TRIES:
            self._wanted.pop(number, None)
            self._tries.pop(number, None)
        if title:
            self._store.write(
                lambda db: name_conversation(db, chat, title),
                lambda given: self.named.emit(number, title) if given else None,
            )
        self._turn_changed()
