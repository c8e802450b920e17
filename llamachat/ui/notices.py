"""Bars above the chat: what stays wrong (settings that do not parse), and what is said once and goes away."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Literal, TypeAlias

from PySide6.QtCore import Qt, QTimer
from PySide6.QtGui import QAccessible, QAccessibleAnnouncementEvent
from PySide6.QtWidgets import QApplication, QFrame, QHBoxLayout, QPushButton, QVBoxLayout, QWidget

from llamachat.core.text import tr
from llamachat.ui.icons import IconButton
from llamachat.ui.labels import WrapLabel

Tone: TypeAlias = Literal["error", "warning", "info"]
Button: TypeAlias = tuple[str, Callable[[], object]]
TOAST_MS = 7000
OFFER_MS = 20_000  # where there is something to press


class NoticeBar(QFrame):
    """One bar: a text, perhaps a button, and a cross unless it stays."""

    def __init__(self, tone: Tone, text: str, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.setObjectName("notice")
        self.setProperty("tone", tone)
        self.setAccessibleName(text)
        self.row = QHBoxLayout(self)
        self.row.setContentsMargins(14, 8, 8, 8)
        self.label = WrapLabel(text)
        self.row.addWidget(self.label, 1, Qt.AlignmentFlag.AlignVCenter)

    def leave_after(self, time_ms: int, leave: Callable[[], object]) -> None:
        """Call `leave` after a while, but not while the pointer or the keyboard is on the bar."""
        timer = QTimer(self, interval=time_ms)
        timer.timeout.connect(lambda: None if self._is_used() else leave())
        timer.start()

    def _is_used(self) -> bool:
        focused = QApplication.focusWidget()
        return self.underMouse() or (focused is not None and self.isAncestorOf(focused))

    def add_button(self, text: str, pressed: Callable[[], object]) -> None:
        """Add a button behind the text."""
        button = QPushButton(text)
        button.clicked.connect(pressed)
        self.row.addWidget(button)

    def add_cross(self, pressed: Callable[[], object]) -> None:
        """Let the user close the bar."""
        cross = IconButton("close", tr("Close this notice"))
        cross.clicked.connect(pressed)
        self.row.addWidget(cross)


class Notices(QWidget):
    """The bars, by a key each: a notice replaces the one with the same key."""

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._bars: dict[str, NoticeBar] = {}
        self._column = QVBoxLayout(self)
        self._column.setContentsMargins(0, 0, 0, 0)
        self._column.setSpacing(0)
        self.hide()

    def keep(
        self,
        key: str,
        text: str,
        *,
        tone: Tone = "warning",
        button: Button | None = None,
        dismiss: Button | None = None,
        buttons: Sequence[Button] = (),
        leaves_after_ms: int = 0,
    ) -> None:
        """Show a bar until it is dropped or, unless it is an error, closed.

        dismiss: what closes it in place of the cross; it drops the bar itself. leaves_after_ms: it goes away by
        itself then; 0 for what stays.
        """
        self.drop(key)
        bar = NoticeBar(tone, text)
        for one in (*([button] if button else []), *buttons):
            bar.add_button(*one)
        if dismiss:
            bar.add_button(*dismiss)
        elif tone != "error" or key != "config":
            bar.add_cross(lambda: self.drop(key))
        if leaves_after_ms:
            bar.leave_after(leaves_after_ms, lambda: self.drop(key))
            QAccessible.updateAccessibility(QAccessibleAnnouncementEvent(self, text))
        self._bars[key] = bar
        self._column.addWidget(bar)
        bar.show()
        self.show()

    def toast(self, text: str) -> None:
        """Say something once; it goes away by itself."""
        self.keep("toast", text, tone="info", leaves_after_ms=TOAST_MS)

    def offer(self, key: str, text: str, buttons: Sequence[Button]) -> None:
        """Say what was done, with what can be done about it; it goes away by itself."""
        self.keep(key, text, tone="info", buttons=buttons, leaves_after_ms=OFFER_MS)

    def drop(self, key: str) -> None:
        """Take a bar away, if it is there."""
        bar = self._bars.pop(key, None)
        if bar is not None:
            self._column.removeWidget(bar)
            bar.hide()
            bar.deleteLater()
        self.setVisible(bool(self._bars))

    def text(self, key: str) -> str:
        """What a bar says; "" when it is not there."""
        bar = self._bars.get(key)
        return bar.label.text() if bar else ""
