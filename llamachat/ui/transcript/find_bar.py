"""Finding a text in the chat: a bar over the transcript, and the matches marked in it.

What is not loaded is asked for piece by piece, as if the reader scrolled there, until something is found.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import TypeGuard

from PySide6.QtCore import QEvent, QObject, QPoint, Qt, QTimer
from PySide6.QtGui import QColor, QKeyEvent, QTextCharFormat, QTextCursor
from PySide6.QtWidgets import QApplication, QFrame, QHBoxLayout, QLabel, QLineEdit, QTextEdit, QToolButton

from llamachat.core.text import tr
from llamachat.ui.escape import claims_escape, is_escape
from llamachat.ui.theme import Theme
from llamachat.ui.transcript.find import MOST_MATCHES, Match, find_matches, match_from, next_match

_PAUSE_MS = 150
_FROM_EDGE_PX = 10


class FindBar(QFrame):
    """Lies over the upper right corner of the view. `load_more(step)` asks for messages above (-1) or below (1)."""

    def __init__(self, view: QTextEdit, theme: Theme, load_more: Callable[[int], bool]) -> None:
        super().__init__(view)
        self._view, self._theme, self._load_more = view, theme, load_more
        self._matches: list[Match] = []
        self._current: Match | None = None
        self._held = QTextCursor()  # the current match, wherever the text around it moves it
        self._looked_for = ""
        self._awaited = 0  # the step that waits for messages
        self.field = QLineEdit(placeholderText=tr("Find in this chat"))
        self.field.setAccessibleName(tr("Find in this chat"))
        self.count = QLabel()
        self._again = QTimer(self, singleShot=True, interval=_PAUSE_MS)
        self._again.timeout.connect(self.search)
        self._set_up()
        self.set_theme(theme)
        self.hide()

    def _set_up(self) -> None:
        row = QHBoxLayout(self)
        row.setContentsMargins(8, 6, 6, 6)
        row.setSpacing(4)
        row.addWidget(self.field)
        row.addWidget(self.count)
        row.addWidget(self._button("↑", tr("Previous match (Shift+Enter)"), lambda: self.step(-1)))
        row.addWidget(self._button("↓", tr("Next match (Enter)"), lambda: self.step(1)))
        row.addWidget(self._button("✕", tr("Close (Esc)"), self.leave))
        self.field.textChanged.connect(self._again.start)
        self.field.installEventFilter(self)
        self._view.viewport().installEventFilter(self)
        self._view.document().contentsChanged.connect(self._text_changed)

    def _button(self, sign: str, name: str, action: Callable[[], object]) -> QToolButton:
        button = QToolButton()
        button.setText(sign)
        button.setToolTip(name)
        button.setAccessibleName(name)
        button.setAutoRaise(True)
        button.clicked.connect(action)
        return button

    def open(self) -> None:
        """Show the bar and have the keyboard in it; a short selection is what is looked for."""
        selected = self._view.textCursor().selectedText()
        if selected and "\u2029" not in selected and len(selected) < 100:
            self.field.setText(selected)
        self.show()
        self.raise_()
        self._place()
        self.field.setFocus()
        self.field.selectAll()
        self.search()

    def leave(self) -> None:
        """Hide the bar; the match that was shown is selected."""
        self._settle()
        self._view.setFocus()  # before the bar hides: Qt would go on to the first link, and scroll there
        self._hide()
        if self._current:
            self._view.setTextCursor(self._cursor(self._current))
        self._matches, self._current, self._awaited = [], None, 0

    def forget(self) -> None:
        """Another chat will be shown: hide the bar, and let go of what was found."""
        if self.isVisible():
            if (focus := QApplication.focusWidget()) and self.isAncestorOf(focus):
                self._view.setFocus()
            self._hide()
            self._matches, self._current, self._awaited = [], None, 0

    def _hide(self) -> None:
        self._again.stop()
        self.hide()
        self._view.setExtraSelections([])

    def set_theme(self, theme: Theme) -> None:
        """Take the colours of a theme."""
        self._theme = theme
        self.setStyleSheet(
            f"FindBar {{ background:{theme.raised}; border:1px solid {theme.border}; border-radius:8px; }}"
            f" QLabel {{ color:{theme.muted}; }} QToolButton {{ color:{theme.text}; border:none; padding:4px 8px; }}"
            f" QToolButton:hover, QToolButton:focus {{ background:{theme.hover}; border-radius:4px; }}"
            f" QLineEdit {{ background:{theme.base}; color:{theme.text}; border:1px solid {theme.border};"
            f" border-radius:4px; padding:3px 6px; }} QLineEdit:focus {{ border-color:{theme.focus}; }}"
        )
        if self.isVisible():
            self._settle()
            self._mark()

    def search(self) -> None:
        """Look for the text anew, from what is in sight on."""
        if not self.isVisible():
            return
        self._again.stop()
        before = self._look()
        if self._awaited and self._matches:
            self._choose(self._matches[-1] if self._awaited < 0 else self._matches[0])
        self._awaited = 0
        if not self._matches and self.field.text():
            self._await(-1)
        self._tell()
        self._mark()
        if self._current and self._current != before:
            self._show()

    def step(self, step: int) -> None:
        """Go to the next match (1) or the previous one (-1), or to the first one of what was just typed."""
        if self.field.text() != self._looked_for:
            self.search()
            return
        self._settle()
        at_edge = bool(self._matches) and self._current == self._matches[0 if step < 0 else -1]
        if at_edge and self._load_more(step):
            self._again.start()
        self._choose(next_match(self._matches, self._current, step))
        self._tell()
        self._mark()
        self._show()

    def _look(self) -> Match | None:
        """Find what is there now, and go on from the current match; gives where that one stands now."""
        before = self._current
        if before and self._held.hasSelection():  # else its text was drawn anew, most likely at the same place
            before = Match(self._held.selectionStart(), self._held.selectionEnd())
        start = before.start if before else self._view.cursorForPosition(QPoint(0, 0)).position()
        self._looked_for = self.field.text()
        self._matches = find_matches(self._view.document(), self._looked_for)
        self._choose(match_from(self._matches, start))
        return before

    def _settle(self) -> None:
        """The text has changed since it was looked through: what was found may stand elsewhere."""
        if self._again.isActive():
            self._look()

    def _choose(self, match: Match | None) -> None:
        self._current = match
        if match:
            self._held = self._cursor(match)

    def _await(self, step: int) -> None:
        if self._load_more(step):
            self._awaited = step
        elif self._load_more(-step):
            self._awaited = -step

    def _text_changed(self) -> None:
        if self.isVisible() and not self._again.isActive():  # text that streams must not put it off for ever
            self._again.start()

    def _tell(self) -> None:
        if self._awaited:
            text = tr("looking further…")
        elif not self.field.text():
            text = ""
        elif self._current:
            more = "+" if len(self._matches) >= MOST_MATCHES else ""
            text = tr("{number} of {count}").format(
                number=self._matches.index(self._current) + 1, count=f"{len(self._matches)}{more}"
            )
        else:
            text = tr("not found")
        self.count.setText(text)
        self._place()

    def _mark(self) -> None:
        found, current = QTextCharFormat(), QTextCharFormat()
        found.setBackground(QColor(self._theme.match))
        found.setForeground(QColor(self._theme.text))
        current.setBackground(QColor(self._theme.selection))
        current.setForeground(QColor(self._theme.selection_text))
        marks = []
        for match in self._matches:
            mark = QTextEdit.ExtraSelection()
            mark.cursor = self._cursor(match)
            mark.format = current if match == self._current else found
            marks.append(mark)
        self._view.setExtraSelections(marks)

    def _show(self) -> None:
        """Scroll the current match into the middle of the view unless it is in sight, and not under the bar."""
        if self._current is None:
            return
        rect = self._view.cursorRect(self._cursor(self._current))
        if rect.top() < self.geometry().bottom() or rect.bottom() > self._view.viewport().height():
            bar = self._view.verticalScrollBar()
            bar.setValue(bar.value() + rect.top() - self._view.viewport().height() // 2)
        if not 0 <= rect.left() < self._view.viewport().width():
            bar = self._view.horizontalScrollBar()
            bar.setValue(bar.value() + rect.left() - self._view.viewport().width() // 2)

    def _cursor(self, match: Match) -> QTextCursor:
        cursor = QTextCursor(self._view.document())
        cursor.setPosition(match.start)
        cursor.setPosition(match.end, QTextCursor.MoveMode.KeepAnchor)
        return cursor

    def event(self, event: QEvent) -> bool:
        """Escape is for the bar while the keyboard is in it."""
        return claims_escape(event) or super().event(event)

    def keyPressEvent(self, event: QKeyEvent) -> None:
        """Escape closes the bar."""
        if is_escape(event):
            self.leave()
        else:
            super().keyPressEvent(event)

    def eventFilter(self, watched: QObject, event: QEvent) -> bool:
        """Enter and Shift+Enter in the field; stay in the corner."""
        if watched is not self.field:
            if event.type() == QEvent.Type.Resize and self.isVisible():
                self._place()
        elif _is_enter(event):
            self.step(-1 if event.modifiers() & Qt.KeyboardModifier.ShiftModifier else 1)
            return True
        return super().eventFilter(watched, event)

    def _place(self) -> None:
        self.adjustSize()
        area = self._view.viewport().geometry()
        self.move(max(area.right() - self.width() - _FROM_EDGE_PX, area.left()), area.top() + _FROM_EDGE_PX)


def _is_enter(event: QEvent) -> TypeGuard[QKeyEvent]:
    if not isinstance(event, QKeyEvent):
        return False
    return event.type() == QEvent.Type.KeyPress and event.key() in (Qt.Key.Key_Return, Qt.Key.Key_Enter)
