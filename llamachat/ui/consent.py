"""Asks before a search goes out: a card above the composer with the exact query, which can be changed."""

from __future__ import annotations

import threading
from collections.abc import Callable
from dataclasses import dataclass, field

from PySide6.QtCore import QEvent, QObject, Signal
from PySide6.QtGui import QAccessible, QAccessibleAnnouncementEvent, QKeyEvent
from PySide6.QtWidgets import QFrame, QHBoxLayout, QLineEdit, QPushButton, QVBoxLayout, QWidget

from llamachat.core.cancel import CancelToken
from llamachat.core.errors import Cancelled
from llamachat.core.text import clean, tr
from llamachat.ui.escape import claims_escape, is_escape
from llamachat.ui.labels import WrapLabel


@dataclass(eq=False)
class Question:
    """One query that waits for the user's word; the thread that asks waits for `answered`."""

    query: str
    provider: str
    host: str
    chat_id: int | None = None
    answered: threading.Event = field(default_factory=threading.Event)
    answer: str | None = None


class ConsentCard(QFrame):
    """One question at a time, the oldest first. Does not take the keyboard away: somebody may be typing.

    title_elsewhere: the title of a chat, "" for the one that is shown.
    """

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.setObjectName("consent")
        self._waiting: list[Question] = []
        self.title_elsewhere: Callable[[int | None], str] = lambda _: ""
        self.label = WrapLabel("")
        self.query = QLineEdit()
        self.query.setAccessibleName(tr("The query that would be sent"))
        self.query.returnPressed.connect(self._send)
        self.send = QPushButton(tr("Search"))
        self.send.clicked.connect(self._send)
        self.refuse = QPushButton(tr("Do not search"))
        self.refuse.clicked.connect(lambda: self._answer(None))
        self.query.textChanged.connect(lambda text: self.send.setEnabled(bool(text.strip())))
        row = QHBoxLayout()
        row.addWidget(self.query, 1)
        row.addWidget(self.send)
        row.addWidget(self.refuse)
        column = QVBoxLayout(self)
        column.setContentsMargins(14, 10, 14, 12)
        column.addWidget(self.label)
        column.addLayout(row)
        self.hide()

    def ask(self, question: Question) -> None:
        """Show a question, or let it wait for the ones before."""
        self._waiting.append(question)
        if len(self._waiting) == 1:
            self._show()

    def withdraw(self, question: Question) -> None:
        """Nobody waits for the answer any more."""
        if question in self._waiting:
            shown = question is self._waiting[0]
            self._waiting.remove(question)
            if shown:
                self._show()

    def event(self, event: QEvent) -> bool:
        """Escape is for the card while the keyboard is in it."""
        return claims_escape(event) or super().event(event)

    def keyPressEvent(self, event: QKeyEvent) -> None:
        """Escape is a no."""
        if is_escape(event):
            self._answer(None)
        else:
            super().keyPressEvent(event)

    def _show(self) -> None:
        self.setVisible(bool(self._waiting))
        if not self._waiting:
            return
        question = self._waiting[0]
        self.tell_who_asks()
        self.query.setText(question.query)
        self.query.setCursorPosition(0)
        said = f"{self.label.text()} {question.query}"
        QAccessible.updateAccessibility(QAccessibleAnnouncementEvent(self, said))

    def tell_who_asks(self) -> None:
        """Name the chat that asks, where another one is shown now."""
        if not self._waiting:
            return
        question = self._waiting[0]
        place = f"{question.provider} ({question.host})" if question.host else question.provider
        if title := self.title_elsewhere(question.chat_id):
            text = tr("A web search of the chat “{title}” waits for your word. This query would go to {place}:")
        else:
            text = tr("A web search waits for your word. This query would go to {place}:")
        self.label.setText(text.format(title=title, place=place))

    def _send(self) -> None:
        if query := " ".join(clean(self.query.text()).split()):
            self._answer(query)

    def _answer(self, query: str | None) -> None:
        if self._waiting:
            question = self._waiting.pop(0)
            question.answer = query
            question.answered.set()
            self._show()


class ConsentDesk(QObject):
    """The Consent seam: `ask` is called by the threads of turns, the card lives in the GUI thread."""

    _asked = Signal(object)  # Question
    _withdrawn = Signal(object)  # Question

    def __init__(self, card: ConsentCard, parent: QObject) -> None:
        super().__init__(parent)
        self._asked.connect(card.ask)
        self._withdrawn.connect(card.withdraw)

    def ask(
        self, query: str, *, provider: str, host: str, cancel: CancelToken, chat_id: int | None = None
    ) -> str | None:
        """The query to send, perhaps edited; None where it was refused. Blocks; raises Cancelled on Stop."""
        question = Question(query, provider, host, chat_id)
        self._asked.emit(question)
        with cancel.on_cancel(question.answered.set):
            question.answered.wait()
        if cancel.cancelled:
            self._withdrawn.emit(question)
            raise Cancelled
        return question.answer
