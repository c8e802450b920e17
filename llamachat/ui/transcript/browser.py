"""A text browser that is locked to its document: it loads nothing, follows no link by itself and stays at the end."""

from __future__ import annotations

from PySide6.QtCore import QByteArray, QEvent, QObject, QPoint, Qt, QUrl
from PySide6.QtGui import QFocusEvent, QHelpEvent, QImage, QMouseEvent, QTextDocument, QTextOption
from PySide6.QtWidgets import QFrame, QTextBrowser, QToolTip, QWidget

from llamachat.core.text import tr
from llamachat.ui.transcript.formula_tip import formula_at, formula_tip
from llamachat.ui.transcript.pointer import tooltip_for
from llamachat.ui.transcript.stay_at_end import StayAtEnd

LIST_INDENT_PX = 24


class LockedBrowser(QTextBrowser):
    """What the transcript is built on. `end` keeps the end in sight while the reader wants it."""

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._link_followed = False
        self.setAccessibleName(tr("Chat"))
        self.setFrameShape(QFrame.Shape.NoFrame)
        self.setOpenLinks(False)
        self.setTextInteractionFlags(
            Qt.TextInteractionFlag.TextBrowserInteraction | Qt.TextInteractionFlag.TextSelectableByKeyboard
        )
        self.setUndoRedoEnabled(False)
        self.setCursorWidth(0)
        self._set_up_bars()
        self._set_up_text()
        self.anchorClicked.connect(self._note_link)
        self.end = StayAtEnd(self)
        self.viewport().installEventFilter(self)

    def _set_up_bars(self) -> None:
        self.setHorizontalScrollBarPolicy(Qt.ScrollBarPolicy.ScrollBarAlwaysOff)
        self.setVerticalScrollBarPolicy(Qt.ScrollBarPolicy.ScrollBarAlwaysOn)  # lest the text wrap anew when it comes
        self.verticalScrollBar().rangeChanged.connect(self._show_handle)
        self._show_handle(0, 0)

    def _set_up_text(self) -> None:
        option = self.document().defaultTextOption()
        option.setWrapMode(QTextOption.WrapMode.WrapAtWordBoundaryOrAnywhere)
        self.document().setDefaultTextOption(option)
        self.document().setIndentWidth(LIST_INDENT_PX)

    def _show_handle(self, lowest: int, highest: int) -> None:
        """The bar always has its room; its handle only shows where there is something to scroll."""
        self.verticalScrollBar().setEnabled(highest > lowest)

    def _note_link(self) -> None:
        self._link_followed = True

    def mouseReleaseEvent(self, event: QMouseEvent) -> None:
        """Leave nothing selected by a click on a link; the keyboard goes on from there."""
        self._link_followed = False
        super().mouseReleaseEvent(event)
        if self._link_followed:
            cursor = self.textCursor()
            cursor.clearSelection()
            self.setTextCursor(cursor)

    def focusInEvent(self, event: QFocusEvent) -> None:
        """Coming by Tab, go on to the links in sight and not to the first of the document."""
        super().focusInEvent(event)
        if event.reason() == Qt.FocusReason.TabFocusReason and not self.textCursor().hasSelection():
            self.setTextCursor(self.cursorForPosition(self.viewport().rect().topLeft()))

    def eventFilter(self, watched: QObject, event: QEvent) -> bool:
        """Show what there is to say about what is under the pointer.

        Not by an override that handles the event itself: text that is dragged would then hold up all other threads.
        """
        if watched is self.viewport() and isinstance(event, QHelpEvent) and event.type() == QEvent.Type.ToolTip:
            tip = self.tip_at(event.pos())  # Qt would not see that "&amp;" is HTML
            QToolTip.showText(event.globalPos(), f'<p style="white-space:pre">{tip}</p>' if tip else "", self)
            return True
        return super().eventFilter(watched, event)

    def tip_at(self, point: QPoint) -> str:
        """The true address of the link at a place in the view, or the source of the formula, as HTML."""
        return tooltip_for(self.anchorAt(point)) or formula_tip(formula_at(self, point))

    # Nothing is ever loaded

    def setSource(self, *_args: object) -> None:
        """Do nothing: no address ever replaces the document."""

    def loadResource(self, kind: int, _name: QUrl | str) -> object:
        """Give an empty picture or text, whatever asks for it: where it gets None, Qt opens local files itself."""
        return _blank() if kind == QTextDocument.ResourceType.ImageResource.value else QByteArray()


def _blank() -> QImage:
    image = QImage(1, 1, QImage.Format.Format_ARGB32)
    image.fill(Qt.GlobalColor.transparent)
    return image
