"""The row of buttons that lies over a message while the pointer or the keyboard is on it."""

from __future__ import annotations

from collections.abc import Sequence

from PySide6.QtCore import QPoint, Qt, Signal
from PySide6.QtGui import QFontInfo, QKeySequence, QTextCursor
from PySide6.QtWidgets import QFrame, QHBoxLayout, QLabel, QTextEdit

from llamachat.core.text import tr
from llamachat.ui.icons import IconButton
from llamachat.ui.theme import Theme
from llamachat.ui.transcript.message_acts import Act, act_key, act_name

_SMALL = 0.92
_BELOW_LINE_PX = 4
_BEYOND_TEXT_PX = 8  # to the right: into the edge of a person's card
_ARROWS = (Act.EARLIER, Act.LATER)


class MessageBar(QFrame):
    """Takes no keyboard: what its buttons do is in the menu of the message too, and has keys of its own."""

    chosen = Signal(str)  # an Act

    def __init__(self, view: QTextEdit) -> None:
        super().__init__(view.viewport())  # moves along with what is scrolled
        self._view = view
        self._line = QTextCursor()
        self._shown: tuple[tuple[Act, ...], str] = ((), "")
        self.setAttribute(Qt.WidgetAttribute.WA_NoMousePropagation)
        self.setCursor(Qt.CursorShape.ArrowCursor)
        self.setAccessibleName(tr("What can be done with the message"))
        self.buttons = {act: self._button(act) for act in Act}
        self.version = QLabel()
        self._lay_out()
        self.hide()
        view.verticalScrollBar().valueChanged.connect(self._place)
        view.document().documentLayout().documentSizeChanged.connect(self._place)

    def _lay_out(self) -> None:
        row = QHBoxLayout(self)
        row.setContentsMargins(2, 2, 2, 2)
        row.setSpacing(0)
        for act, button in self.buttons.items():
            row.addWidget(button)
            if act is Act.EARLIER:
                row.addWidget(self.version)

    def _button(self, act: Act) -> IconButton:
        button = IconButton(act.value, act_name(act))
        keys = QKeySequence(act_key(act)).toString(QKeySequence.SequenceFormat.NativeText)
        button.set_name(act_name(act), f"{act_name(act)} ({keys})")
        button.setFocusPolicy(Qt.FocusPolicy.NoFocus)
        button.clicked.connect(lambda: self.chosen.emit(act.value))
        return button

    def set_theme(self, theme: Theme) -> None:
        """Take the colours of a theme and the size of the program's font."""
        size = round(QFontInfo(self._view.font()).pixelSize() * _SMALL)
        self.setStyleSheet(
            f"MessageBar {{ background:{theme.raised}; border:1px solid {theme.border}; border-radius:7px; }}"
            f" MessageBar * {{ font-size:{size}px; }} QLabel {{ color:{theme.muted}; }}"
        )
        self.adjustSize()
        self._place()

    def offer(self, acts: Sequence[Act], version: str, *, line: int) -> None:
        """Lie on the end of a line (a position in it) with buttons for these acts.

        An arrow that leads to no version is grey beside the other one.
        """
        self._line = QTextCursor(self._view.document())
        self._line.setPosition(line)
        if self._shown != (tuple(acts), version):
            self._shown = (tuple(acts), version)
            for act, button in self.buttons.items():
                button.setVisible(act in acts or (act in _ARROWS and bool(version)))
                button.setEnabled(act in acts)
            self.version.setText(version)
            self.version.setVisible(bool(version))
            self.adjustSize()
        self.show()
        self._place()

    def _place(self) -> None:
        """Stand over the end of the line, upwards, where there is no text."""
        if self._line.isNull() or not self.isVisible():
            return
        document, viewport = self._view.document(), self._view.viewport()
        box = document.documentLayout().blockBoundingRect(self._line.block())
        lower = round(box.bottom()) - self._view.verticalScrollBar().value() + _BELOW_LINE_PX
        right = viewport.width() - round(document.rootFrame().frameFormat().rightMargin()) + _BEYOND_TEXT_PX
        self.move(QPoint(max(right - self.width(), 0), lower - self.height()))
