"""How the transcript looks: theme, size of the text, width of the column; and what is copied from it."""

from __future__ import annotations

from PySide6.QtCore import QEvent, QMimeData, QPoint, Qt, QUrl
from PySide6.QtGui import QPaintEvent, QResizeEvent, QWheelEvent
from PySide6.QtWidgets import QWidget

from llamachat.ui.theme import Theme, qt_palette
from llamachat.ui.transcript.browser import LockedBrowser
from llamachat.ui.transcript.buttons import Pointed
from llamachat.ui.transcript.copying import selection_markdown
from llamachat.ui.transcript.document import TranscriptDocument
from llamachat.ui.transcript.drawing_queue import DrawingQueue
from llamachat.ui.transcript.entry import Entry
from llamachat.ui.transcript.formulas import Formulas
from llamachat.ui.transcript.look import Look
from llamachat.ui.transcript.message_bar import MessageBar
from llamachat.ui.transcript.new_text import NewTextButton
from llamachat.ui.transcript.page import fit_page, paint_page
from llamachat.ui.transcript.place import keeping_block
from llamachat.ui.transcript.pointer import link_at, markdown_data
from llamachat.ui.transcript.selection import plain_text, selected_lines
from llamachat.ui.transcript.source_tip import source_at, source_tip

_SMALLEST, _LARGEST, _STEP = 50, 300, 10
_WHEEL_STEP = 120  # of a wheel with notches; others send less at a time


class DocumentView(LockedBrowser):
    """A view of a TranscriptDocument, in a theme and a size."""

    def __init__(self, theme: Theme, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._theme = theme
        self._zoom = 100
        self._look = Look()
        self._wheel_angle = 0
        self._transcript = TranscriptDocument(self.document())
        self._queue = DrawingQueue(self._transcript, self)
        self.formulas = Formulas(self, self._transcript)
        self._ringed: Entry | None = None  # the message that the keyboard is on
        self.bar = MessageBar(self)
        self._hovered_link = ""
        self.highlighted.connect(self._point)
        self.new_text = NewTextButton(self, self.end)
        self._take_look()
        self._transcript.clear()

    def set_theme(self, theme: Theme) -> None:
        """Show the same in other colours, keeping place, folds and selection."""
        self._theme = theme
        self._look_anew()

    @property
    def zoom(self) -> int:
        """The size of the text, in percent of the program's font."""
        return self._zoom

    def set_zoom(self, percent: int) -> None:
        """Show the text in another size, keeping place, folds and selection."""
        percent = min(max(percent, _SMALLEST), _LARGEST)
        if percent != self._zoom:
            self._zoom = percent
            self._look_anew()

    def zoom_by(self, steps: int) -> None:
        """Larger or smaller by so many steps; 0 is the size of the program's font again."""
        self.set_zoom(self._zoom + steps * _STEP if steps else 100)

    def set_look(self, look: Look) -> None:
        """Show the same in another width or font, keeping place, folds and selection."""
        if look != self._look:
            self._look = look
            self._look_anew()

    def changeEvent(self, event: QEvent) -> None:
        """Follow the font of the program."""
        super().changeEvent(event)
        if event.type() == QEvent.Type.FontChange:
            self._look_anew()

    def _look_anew(self) -> None:
        self._queue.clear()
        with keeping_block(self, self._transcript.editor):
            self._take_look()
            self._transcript.redraw(self._fit)
            self._queue.add(self._transcript.entries)
            self._queue.work()

    def _take_look(self) -> None:
        self.setPalette(qt_palette(self._theme))
        self.new_text.set_theme(self._theme)
        font, size = self._look.font(self.font(), self._zoom)
        self.document().setDefaultFont(font)
        self.bar.set_theme(self._theme)
        self._transcript.set_look(self._theme, size, self._look)
        self.setHorizontalScrollBarPolicy(_bar_policy(self._look))

    def _fit(self) -> None:
        fit_page(self, self._transcript, self._look.width_px * self._zoom // 100)

    def resizeEvent(self, event: QResizeEvent) -> None:
        """Keep the text in a column that is comfortable to read."""
        self._fit()
        super().resizeEvent(event)

    def paintEvent(self, event: QPaintEvent) -> None:
        """Paint cards, boxes and bars, then the text."""
        pointed = Pointed(self._hovered_link, link_at(self.textCursor()) if self.hasFocus() else "")
        paint_page(self, self._transcript, self._theme, event, ringed=self._ringed, pointed=pointed)
        super().paintEvent(event)
        self.formulas.painter.unveil(self)

    def _point(self, link: QUrl) -> None:
        """Another link, or none, is under the pointer."""
        self._hovered_link = link.toString(QUrl.ComponentFormattingOption.FullyEncoded)
        self.viewport().update()

    def wheelEvent(self, event: QWheelEvent) -> None:
        """With Ctrl, another size; Qt's own zoom would miss every size of the style sheet."""
        if not event.modifiers() & Qt.KeyboardModifier.ControlModifier:
            super().wheelEvent(event)
            return
        self._wheel_angle += event.angleDelta().y()
        steps = int(self._wheel_angle / _WHEEL_STEP)
        self._wheel_angle -= steps * _WHEEL_STEP
        if steps:
            self.zoom_by(steps)
        event.accept()

    def tip_at(self, point: QPoint) -> str:
        """Above the address of a source, what the search said about it."""
        block = self.cursorForPosition(point).blockNumber()
        source = source_at(self._transcript, block, self.anchorAt(point))
        return "<br>".join(filter(None, (source_tip(source) if source else "", super().tip_at(point))))

    def createMimeDataFromSelection(self) -> QMimeData:
        """What is copied or dragged out: Markdown, and plain text beside it."""
        cursor = self.textCursor()
        lines = selected_lines(self.document(), cursor)
        return markdown_data(selection_markdown(self._transcript, cursor), plain_text(lines))


def _bar_policy(look: Look) -> Qt.ScrollBarPolicy:
    return Qt.ScrollBarPolicy.ScrollBarAlwaysOff if look.wraps_code else Qt.ScrollBarPolicy.ScrollBarAsNeeded
