"""A view that shows its end goes on showing it: when its size, its text or the text's layout changes."""

from __future__ import annotations

from PySide6.QtCore import QObject
from PySide6.QtWidgets import QTextEdit

from llamachat.ui.transcript.place import is_at_end, scroll_to_end


class StayAtEnd(QObject):
    """Keeps the end in sight, whatever changes its place, until the reader or the program scrolls away from it."""

    def __init__(self, view: QTextEdit) -> None:
        super().__init__(view)
        self.wanted = True
        self._view = view
        bar = view.verticalScrollBar()
        bar.valueChanged.connect(self._scrolled)
        bar.rangeChanged.connect(self._changed)

    def show(self) -> None:
        """Show the end from now on."""
        self.wanted = True
        scroll_to_end(self._view)

    def _scrolled(self) -> None:
        self.wanted = is_at_end(self._view)

    def _changed(self, _lowest: int, highest: int) -> None:
        if self.wanted:
            self._view.verticalScrollBar().setValue(highest)
