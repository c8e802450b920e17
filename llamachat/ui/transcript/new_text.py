"""The button that says that there is new text below, and leads there."""

from __future__ import annotations

from PySide6.QtCore import QEvent, QObject, Qt
from PySide6.QtWidgets import QPushButton, QTextEdit

from llamachat.core.text import tr
from llamachat.ui.theme import Theme
from llamachat.ui.transcript.stay_at_end import StayAtEnd

_ABOVE_EDGE_PX = 14


class NewTextButton(QPushButton):
    """Lies over the lower edge of the view while there is text below that the reader has not come to."""

    def __init__(self, view: QTextEdit, end: StayAtEnd) -> None:
        super().__init__(tr("New text below"), view)
        self._view, self._end = view, end
        self.setToolTip(tr("Go to the end (Ctrl+End)"))
        self.setCursor(Qt.CursorShape.PointingHandCursor)
        self.setFocusPolicy(Qt.FocusPolicy.TabFocus)
        self.hide()
        self.clicked.connect(end.show)
        view.verticalScrollBar().valueChanged.connect(self._look)
        view.viewport().installEventFilter(self)

    def offer(self) -> None:
        """New text has come; say so unless it can be seen."""
        if not self._end.wanted:
            self._place()
            self.show()
            self.raise_()

    def set_theme(self, theme: Theme) -> None:
        """Take the colours of a theme."""
        self.setStyleSheet(
            f"QPushButton {{ background:{theme.button}; color:{theme.button_text}; border:none;"
            " border-radius:11px; padding:5px 16px; }"
            f" QPushButton:focus {{ border:2px solid {theme.focus}; padding:3px 14px; }}"
        )

    def eventFilter(self, watched: QObject, event: QEvent) -> bool:
        """Stay in the middle of the lower edge."""
        if event.type() == QEvent.Type.Resize and self.isVisible():
            self._place()
        return super().eventFilter(watched, event)

    def _look(self) -> None:
        if self._end.wanted:
            self.hide()

    def _place(self) -> None:
        self.adjustSize()
        area = self._view.viewport().geometry()
        left = area.left() + (area.width() - self.width()) // 2
        self.move(left, area.bottom() - self.height() - _ABOVE_EDGE_PX)
