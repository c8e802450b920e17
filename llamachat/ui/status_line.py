"""The line at the bottom. It gathers what `status.status_text` needs, and asks it ten times a second in a turn."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace

from PySide6.QtCore import QTimer, Signal
from PySide6.QtWidgets import QWidget

from llamachat.core.seams import Clock
from llamachat.core.text import tr
from llamachat.turn_rows import TurnRequest
from llamachat.ui.chat_worker import TurnEnded
from llamachat.ui.labels import ElidedLabel
from llamachat.ui.server_watch import ServerWatch
from llamachat.ui.status import Doing, TurnStatus, status_text, usage_text
from llamachat.ui.turn_control import TurnControl
from llamachat.ui.turns import LiveTurn, Turns

TICK_MS = 100


class StatusLine(ElidedLabel):
    """Shows one text, and only sets it when it has changed."""

    put_behind = Signal(bool)  # whether the shown turn waits for other chats of this window

    def __init__(
        self,
        provider: Callable[[], str],
        *,
        control: TurnControl,
        turns: Turns,
        server: ServerWatch,
        clock: Clock,
        parent: QWidget | None = None,
    ) -> None:
        super().__init__("", parent)
        self._provider, self._control, self._turns, self._server = provider, control, turns, server
        self._clock = clock
        self._cost = ""
        self.setObjectName("status")
        self.setAccessibleName(tr("Status"))
        self._tick = QTimer(self)
        self._tick.setInterval(TICK_MS)
        self._tick.timeout.connect(self.refresh)
        for signal in (turns.changed, control.changed, server.answered, server.failed):
            signal.connect(lambda *_: self.refresh())
        control.ended.connect(self._take_cost)
        control.begun.connect(self._ask_for_slots)

    def chat_changed(self) -> None:
        """Another chat is shown: what the last answer cost is not its own."""
        self._cost = ""
        self.refresh()

    def refresh(self) -> None:
        """Show what is true now."""
        shown = self._control.turn
        running = bool(self._turns.conversations()) or shown is not None
        if running != self._tick.isActive():
            self._tick.start() if running else self._tick.stop()
        server = self._server.status
        self.show_text(
            status_text(
                self._with_queue(shown) if shown else None,
                server,
                now=self._clock.monotonic(),
                provider=self._provider(),
                waiting=self._turns.waiting_beside(shown),
                idle=f"{server.sentence} · {self._cost}" if self._cost else "",
            )
        )

    def _with_queue(self, shown: LiveTurn) -> TurnStatus:
        """Its status, and whether other answers take up what the server can write at a time."""
        behind = shown.status.doing is Doing.WAITING and self._is_full_beside(shown)
        self.put_behind.emit(behind)
        return replace(shown.status, behind=behind)

    def _ask_for_slots(self, request: TurnRequest) -> None:
        """A router may have loaded the model since it was asked the last time."""
        if "" not in self._server.slots and request.model not in self._server.slots:
            self._server.refresh()

    def _is_full_beside(self, shown: LiveTurn) -> bool:
        slots, others = self._server.slots, self._turns.answering_beside(shown)
        if "" in slots:
            return len(others) >= slots[""]
        return shown.model in slots and sum(turn.model == shown.model for turn in others) >= slots[shown.model]

    def _take_cost(self, letter: TurnEnded) -> None:
        if letter.answer.conversation_id == self._control.conversation_id:
            self._cost = usage_text(letter.answer.usage)
            self.refresh()
