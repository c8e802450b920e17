"""The search of all chats: results as one types, what is to be said of them, and operators that are offered."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from PySide6.QtCore import QEvent, QObject, Qt, QTimer, Signal
from PySide6.QtGui import QFocusEvent, QKeyEvent
from PySide6.QtWidgets import QLineEdit, QStackedWidget, QVBoxLayout, QWidget

from llamachat.core.conversation import SearchHit
from llamachat.core.errors import UserFacingError
from llamachat.core.seams import Clock
from llamachat.core.text import clean, tr, trn
from llamachat.storage.database import Database
from llamachat.storage.fulltext import IndexRebuilding, operator_values, search_history
from llamachat.storage.index_text import Term
from llamachat.storage.query import parse_query
from llamachat.ui.history_search import HitList
from llamachat.ui.labels import WrapLabel
from llamachat.ui.operator_popup import OperatorPopup
from llamachat.ui.store_watch import LOOK_MS
from llamachat.ui.tasks import Lane
from llamachat.ui.transcript.announcing import Announce, announce_to_screen_reader

HITS = 50
TYPING_PAUSE_MS = 120
RETRY_MS = 100  # each search puts a slice of what is missing into the index
_BY_TAB = (Qt.FocusReason.TabFocusReason, Qt.FocusReason.BacktabFocusReason)


class SearchPane(QWidget):
    """Below the search field, which stands elsewhere."""

    shown = Signal()  # there is something to show
    left = Signal()  # there is no search any more

    def __init__(self, field: QLineEdit, tasks: Lane[Database], clock: Clock) -> None:
        super().__init__()
        self._field, self._tasks, self._clock = field, tasks, clock
        self._entered = False  # the best hit is to be opened once there are hits
        self._found_text = ""  # what the hits are for
        self.announce: Announce = announce_to_screen_reader
        self.hits = HitList()
        self.note = _lesser_label()
        self.note.hide()
        self.nothing = _lesser_label()
        self._pages = QStackedWidget()
        self._pages.addWidget(self.hits)
        self._pages.addWidget(self.nothing)
        column = QVBoxLayout(self)
        column.setContentsMargins(0, 0, 0, 0)
        column.setSpacing(0)
        column.addWidget(self.note)
        column.addWidget(self._pages, 1)
        field.installEventFilter(self)
        self.offers = OperatorPopup(field)  # after the filter above: its own comes first
        self.offers.closed.connect(self._offers_closed)
        self._typing = QTimer(self)
        self._typing.setSingleShot(True)
        self._typing.timeout.connect(self._search)
        field.textChanged.connect(self._typed)
        field.returnPressed.connect(self._enter)
        self.hits.left.connect(field.setFocus)
        self.hits.rows.more_wanted.connect(self._search_more)

    def terms(self) -> tuple[Term, ...]:
        """The words that are searched for."""
        query = parse_query(self._text(), now=self._clock.now())
        return query.terms

    def start(self) -> None:
        """Go to the field, and offer what can be searched for."""
        self._field.setFocus(Qt.FocusReason.ShortcutFocusReason)
        self._field.selectAll()

    def again(self) -> None:
        """Chats have changed: show what is found now."""
        if self._text():
            self._typing.start(0)

    def end(self) -> None:
        """Forget the search."""
        self._field.clear()
        self.offers.hide()

    def eventFilter(self, watched: QObject, event: QEvent) -> bool:
        """From the field, Down goes into the results. Who leaves it has nothing opened any more."""
        if isinstance(event, QFocusEvent):
            self._focus_changed(event)
        elif _is_down(event) and self.hits.isVisible():
            self.hits.setFocus(Qt.FocusReason.OtherFocusReason)
            self.hits.setCurrentIndex(self.hits.rows.index(0))
            return True
        return super().eventFilter(watched, event)

    def _focus_changed(self, event: QFocusEvent) -> None:
        if event.reason() is Qt.FocusReason.ActiveWindowFocusReason:
            return
        if event.lostFocus():
            self._entered = False
            return
        self._tasks.read(operator_values, self._take_values, _ignore, key="operators")
        if not self._text() and event.reason() not in _BY_TAB:
            QTimer.singleShot(0, self, self.offers.look)  # once the field has the keyboard

    def _take_values(self, values: Mapping[str, Sequence[str]]) -> None:
        self.offers.values = values

    def _text(self) -> str:
        return clean(self._field.text()).strip()

    def _typed(self, text: str) -> None:
        self._entered = False
        self._typing.start(TYPING_PAUSE_MS if text else 0)

    def _enter(self) -> None:
        self.offers.hide()
        self._typing.stop()
        self._entered = True
        self._search()

    def _search(self) -> None:
        self._search_for(self._text())

    def _search_for(self, text: str) -> None:
        if not text:
            self._tasks.forget("search")
            self._found_text = ""
            self.left.emit()
            return

        def show(hits: list[SearchHit]) -> None:
            if not hits and self.offers.isVisible() and (rest := clean(self.offers.rest()).strip()) != text:
                self._search_for(rest)  # the last word may become an operator
                return
            self._say(text)
            self.hits.rows.set_hits(hits, has_more=len(hits) == HITS)
            if text != self._found_text:
                self.hits.scrollToTop()
            self._found_text = text
            self.nothing.setText(f"{tr('Nothing found.')} {tr('Only the beginnings of words are found.')}")
            self._show_page(self.hits if hits else self.nothing)
            self.announce(self._field, self._told(len(hits)))
            if self._entered:
                self._entered = False
                self.hits.choose_first()

        self._tasks.read(lambda db: search_history(db, text, limit=HITS), show, self._tell, key="search")

    def _offers_closed(self) -> None:
        """What was taken for the beginning of an operator is a word after all."""
        waits = self._typing.isActive() or not self._field.hasFocus()  # who goes to the results finds them there
        if self._text() != self._found_text and not waits:
            self._typing.start(0)

    def _say(self, text: str) -> None:
        """Which operators were taken for words."""
        remarks = parse_query(text, now=self._clock.now()).remarks
        self.note.setText("\n".join(remarks))
        self.note.setVisible(bool(remarks))

    def _told(self, found: int) -> str:
        """What a screen reader says of the results."""
        if not found:
            return f"{self.note.text()} {self.nothing.text()}".strip()
        if found == HITS:
            return tr("{count} results or more").format(count=found)
        return trn("{count} result", "{count} results", found)

    def _show_page(self, page: QWidget) -> None:
        self._pages.setCurrentWidget(page)
        self.shown.emit()

    def _tell(self, error: UserFacingError) -> None:
        """Say it where the hits would be, and search again: soon where the index is being built."""
        self.nothing.setText(str(error))
        self._show_page(self.nothing)
        self._typing.start(RETRY_MS if isinstance(error, IndexRebuilding) else LOOK_MS)

    def _search_more(self) -> None:
        text, offset = self._found_text, self.hits.rows.found

        def add(hits: list[SearchHit]) -> None:
            if (text, offset) == (self._found_text, self.hits.rows.found):  # else others are shown by now
                self.hits.rows.add_hits(hits, has_more=len(hits) == HITS)

        self._tasks.read(lambda db: search_history(db, text, limit=HITS, offset=offset), add, key="more hits")


def _is_down(event: QEvent) -> bool:
    if not isinstance(event, QKeyEvent):
        return False
    return event.type() == QEvent.Type.KeyPress and event.key() == Qt.Key.Key_Down


def _lesser_label() -> WrapLabel:
    label = WrapLabel()
    label.setObjectName("lesser")
    label.setContentsMargins(16, 6, 16, 6)
    return label


def _ignore(_error: UserFacingError) -> None:
    """Without values the operators alone are offered; the search itself will tell what is wrong."""
