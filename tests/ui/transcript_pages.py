"""Messages, a clock and a look into the document, for the tests of the transcript."""

from __future__ import annotations

from dataclasses import dataclass

from PySide6.QtCore import QTimer, QUrl
from PySide6.QtGui import QTextBlock, QTextCursor, QTextDocument
from pytestqt.qtbot import QtBot

from llamachat.core.messages import Role, Status, StoredMessage
from llamachat.core.search_record import SearchRecord, SearchResult
from llamachat.ui.theme import LIGHT, Theme
from llamachat.ui.transcript.drawing_queue import DrawingQueue
from llamachat.ui.transcript.view import TranscriptView

TEXT_PX = 15
RECORD = SearchRecord(
    "latest linux kernel",
    (
        SearchResult("Kernel Archives", "https://www.kernel.org/", "stable: 6.18"),
        SearchResult("History", "https://history.example/kernel", "all of them"),
    ),
    provider="SearXNG",
    seconds=1.2,
)


@dataclass
class StillClock:
    """Time that moves when told to."""

    seconds: float = 0.0

    def now(self) -> float:
        return self.seconds

    def monotonic(self) -> float:
        return self.seconds


def question(number: int, text: str = "What is new?") -> StoredMessage:
    return StoredMessage(number, f"u{number}", 1, number - 1 or None, Role.USER, text)


def answer(
    number: int,
    text: str = "",
    *,
    status: Status = Status.COMPLETE,
    reasoning: str = "",
    searches: tuple[SearchRecord, ...] = (),
    error: str = "",
) -> StoredMessage:
    return StoredMessage(
        number,
        f"a{number}",
        1,
        number - 1 or None,
        Role.ASSISTANT,
        text,
        model="model",
        status=status,
        reasoning=reasoning,
        searches=searches,
        error=error,
    )


def long_chat(pairs: int, *, first: int = 1) -> list[StoredMessage]:
    messages = []
    for number in range(first, first + 2 * pairs, 2):
        messages += [
            question(number, f"Question {number}?"),
            answer(number + 1, f"Answer {number + 1}.\n\n" + "word " * 120),
        ]
    return messages


class OpenedLinks:
    """Stands where the system's browser would be asked."""

    def __init__(self) -> None:
        self.addresses: list[str] = []

    def __call__(self, url: QUrl) -> bool:
        self.addresses.append(url.toString())
        return True


def show_view(
    qtbot: QtBot,
    *,
    theme: Theme = LIGHT,
    clock: StillClock | None = None,
    links: OpenedLinks | None = None,
    height: int = 600,
) -> TranscriptView:
    view = TranscriptView(theme, clock=clock or StillClock(), open_url=links or OpenedLinks())
    qtbot.addWidget(view)
    font = view.font()
    font.setPixelSize(TEXT_PX)
    view.setFont(font)
    view.resize(700, height)
    with qtbot.waitExposed(view):
        view.show()
    return view


def blocks_of(document: QTextDocument) -> list[QTextBlock]:
    found = []
    block = document.begin()
    while block.isValid():
        found.append(block)
        block = block.next()
    return found


def lines_of(view: TranscriptView) -> list[str]:
    """The text of the blocks, without those that only make room."""
    texts = (block.text().replace("\t", " ") for block in blocks_of(view.document()))
    return [text for text in texts if text.strip("\u200b")]


def describe(document: QTextDocument) -> list[tuple[object, ...]]:
    """Everything about the blocks that can be seen."""
    return [_describe_block(block) for block in blocks_of(document)]


def _describe_block(block: QTextBlock) -> tuple[object, ...]:
    layout, items = block.blockFormat(), block.textList()
    pieces = []
    iterator = block.begin()
    while not iterator.atEnd():
        fragment = iterator.fragment()
        look = fragment.charFormat()
        pieces.append((fragment.text(), look.fontWeight(), look.foreground().color().name(), look.anchorHref()))
        iterator += 1
    marks = (items.format().indent(), items.format().start(), items.itemNumber(block)) if items else None
    margins = (layout.leftMargin(), layout.topMargin(), layout.bottomMargin(), layout.indent())
    look = block.charFormat()
    state = (block.userState(), look.fontFamilies(), look.property(look.Property.FontPixelSize))
    return (pieces, state, margins, layout.marker(), marks, bool(QTextCursor(block).currentTable()))


def wait_until_drawn(qtbot: QtBot, view: TranscriptView) -> None:
    """Let the event loop draw the rest of long messages and colour their code."""
    queue = view.findChild(DrawingQueue)
    assert isinstance(queue, DrawingQueue)
    (timer,) = queue.findChildren(QTimer)
    qtbot.waitUntil(lambda: not timer.isActive(), timeout=20_000)


def colours_of(view: TranscriptView) -> list[list[tuple[int, int, str]]]:
    """The colours that lie over the lines, as code has them, once all that are due are there."""
    queue = view.findChild(DrawingQueue)
    assert isinstance(queue, DrawingQueue)
    while any(timer.isActive() for timer in queue.findChildren(QTimer)):
        queue.work()
    return [
        [(span.start, span.length, span.format.foreground().color().name()) for span in block.layout().formats()]
        for block in blocks_of(view.document())
    ]


def place_of(view: TranscriptView, text: str) -> int:
    """The position of a text in the document."""
    cursor = view.document().find(text)
    assert not cursor.isNull(), f"{text!r} is not shown"
    return cursor.selectionStart()


def top_of(view: TranscriptView, text: str) -> float:
    """How far below the upper edge of the window the line with a text is."""
    block = view.document().findBlock(place_of(view, text))
    return view.document().documentLayout().blockBoundingRect(block).top() - view.verticalScrollBar().value()


def select(view: TranscriptView, start: int, end: int) -> None:
    cursor = view.textCursor()
    cursor.setPosition(start)
    cursor.setPosition(end, QTextCursor.MoveMode.KeepAnchor)
    view.setTextCursor(cursor)


def follow(view: TranscriptView, text: str) -> None:
    """Activate the link on a text, as a click or Enter does."""
    cursor = view.document().find(text)
    assert not cursor.isNull(), f"{text!r} is not shown"
    cursor.setPosition(cursor.selectionStart() + 1)
    view.anchorClicked.emit(QUrl(cursor.charFormat().anchorHref()))
