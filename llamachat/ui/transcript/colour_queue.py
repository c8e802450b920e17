"""Colours the code of stored messages bit by bit, the newest first, so that opening a chat waits for none of it."""

from __future__ import annotations

from collections.abc import Iterable, Iterator

from PySide6.QtCore import QElapsedTimer, QObject, QTimer

from llamachat.ui.transcript.document import Entry, TranscriptDocument

_BUDGET_MS = 8


class ColourQueue(QObject):
    """Messages whose code is still plain; works on them while the event loop has nothing else to do."""

    def __init__(self, transcript: TranscriptDocument, parent: QObject) -> None:
        super().__init__(parent)
        self._transcript = transcript
        self._waiting: list[Entry] = []
        self._slices: Iterator[None] = iter(())
        self._timer = QTimer(self, interval=0)
        self._timer.timeout.connect(self.work)

    def add(self, entries: Iterable[Entry]) -> None:
        """Colour these too; the last one first."""
        self._waiting += entries
        self._timer.start()

    def clear(self) -> None:
        """Leave everything as it is: the messages are gone or drawn anew."""
        self._waiting.clear()
        self._slices = iter(())
        self._timer.stop()

    def work(self) -> None:
        """Work for a few milliseconds."""
        spent = QElapsedTimer()
        spent.start()
        done = object()
        while spent.elapsed() < _BUDGET_MS:
            if next(self._slices, done) is not done:
                continue
            entry = self._next_entry()
            if entry is None:
                self._timer.stop()
                return
            self._slices = self._transcript.colour_slices(entry)

    def _next_entry(self) -> Entry | None:
        while self._waiting:
            entry = self._waiting.pop()
            if entry in self._transcript.entries and not entry.body:
                return entry
        return None
