"""Draws long messages and colours code bit by bit, the newest first, so that opening a chat waits for none of it."""

from __future__ import annotations

from collections.abc import Iterable, Iterator

from PySide6.QtCore import QElapsedTimer, QObject, QTimer
from PySide6.QtWidgets import QTextEdit

from llamachat.ui.transcript.document import TranscriptDocument
from llamachat.ui.transcript.drawing_steps import drawing_steps
from llamachat.ui.transcript.entry import Entry
from llamachat.ui.transcript.place import Rounding, keeping_place

_BUDGET_MS = 8


class DrawingQueue(QObject):
    """Messages of which something is to come; works on them while the event loop has nothing else to do."""

    def __init__(self, transcript: TranscriptDocument, view: QTextEdit) -> None:
        super().__init__(view)
        self._transcript = transcript
        self._view = view
        self._waiting: list[Entry] = []
        self._steps: Iterator[None] = iter(())
        self._rounding = Rounding()
        self._timer = QTimer(self, interval=0)
        self._timer.timeout.connect(self._work_in_place)

    def add(self, entries: Iterable[Entry]) -> None:
        """Work on these too; on the last one first."""
        self._waiting += entries
        self._timer.start()

    def clear(self) -> None:
        """Leave everything as it is: the messages are gone or drawn anew."""
        self._waiting.clear()
        self._steps = iter(())
        self._timer.stop()

    def work(self) -> None:
        """Work for a few milliseconds, inside an edit that keeps the reader's place or begins at one."""
        spent = QElapsedTimer()
        spent.start()
        while spent.elapsed() < _BUDGET_MS:
            if next(self._steps, self) is not self:
                continue
            entry = self._next_entry()
            if entry is None:
                self._timer.stop()
                return
            self._steps = drawing_steps(self._transcript, entry)

    def draw_from(self, entry: Entry) -> None:
        """Draw as much of a message, and of those below it, as it takes to scroll to its beginning."""
        for below in self._transcript.entries[self._transcript.entries.index(entry) :]:
            steps = drawing_steps(self._transcript, below)
            while below.unfinished and not self._fill_window(entry, below):
                with keeping_place(self._view, self._transcript.editor, follow=False):
                    if next(steps, self) is self:
                        break
            if self._fill_window(entry, below):
                return

    def _fill_window(self, first: Entry, last: Entry) -> bool:
        """Whether these messages and those between them are so high that the window cannot show the end of them."""
        document = self._view.document()
        rect_of = document.documentLayout().blockBoundingRect
        begin, end = self._transcript.first_block(first), self._transcript.first_block(last) + last.total - 1
        height = rect_of(document.findBlockByNumber(end)).bottom() - rect_of(document.findBlockByNumber(begin)).top()
        return height > 2 * self._view.viewport().height()

    def _work_in_place(self) -> None:
        if any(entry.unfinished for entry in self._transcript.entries):
            with keeping_place(self._view, self._transcript.editor, rounding=self._rounding):
                self.work()
        else:
            self.work()

    def _next_entry(self) -> Entry | None:
        while self._waiting:
            entry = self._waiting.pop()
            if entry in self._transcript.entries and (entry.unfinished or not entry.live):
                return entry
        return None
