"""What a reader does in a chat of 2,000 messages: going up to older ones, opening and closing blocks."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from itertools import pairwise

from PySide6.QtCore import QPoint, QUrl
from PySide6.QtGui import QImage

from llamachat.core.messages import StoredMessage
from llamachat.render.links import Anchor, AnchorKind
from tests.bench.chats import long_chat
from tests.bench.figures import Bar, Detail, Figure
from tests.bench.view_stage import SIZE_PX, Cost, ViewStage, costs_as_json, stall_bar

LOADED_FIRST = 30
PAGE = 10
NEAR_TOP_PX = 200
TOGGLES = 40
FOLD_PX = 50  # below the upper edge of the page is the line with the fold, once its message was jumped to
HALF_A_PIXEL = 0.5  # a page scrolls by whole pixels, and lines have fractions of them


def measure_prepend(*, quick: bool) -> Figure:
    """Read a chat upwards to its beginning, ten messages at a time."""
    messages = long_chat(200 if quick else 2_000)
    stage = ViewStage([])
    stage.show(messages[-LOADED_FIRST:])
    costs: list[Cost] = []
    moved: list[float] = []
    pictures_changed = 0
    for end in range(len(messages) - LOADED_FIRST, 0, -PAGE):
        page = messages[max(end - PAGE, 0) : end]
        stage.view.verticalScrollBar().setValue(NEAR_TOP_PX)
        before = _look(stage)
        costs.append(stage.timed(_prepending(stage, page)))
        stage.settle()
        same = stage.view.document().blockCount() - before.from_end
        moved.append(abs(_top_of(stage, same) - before.top))
        pictures_changed += before.picture != stage.view.viewport().grab().toImage()
    thirds = [len(costs) * part // 3 for part in range(4)]
    bars = [
        stall_bar("prepend ten, the last third, median", costs[thirds[2] :], percent=50, at_most=40),
        Bar("the text in sight moved, pixels", max(moved), HALF_A_PIXEL),
    ]
    by_loaded: dict[str, Detail] = {
        f"{LOADED_FIRST + PAGE * start} to {LOADED_FIRST + PAGE * end} loaded": costs_as_json(costs[start:end])
        for start, end in pairwise(thirds)
    }
    return Figure(bars, {"all": costs_as_json(costs), "pictures_changed": pictures_changed, **by_loaded})


def measure_toggle(*, quick: bool) -> Figure:
    """Open and close the searches and the thinking of answers in the middle of a chat that is all loaded."""
    stage = ViewStage(messages := long_chat(200 if quick else 2_000))
    first = stage.timed(lambda: stage.view.anchorClicked.emit(QUrl(str(Anchor(AnchorKind.SEARCH, messages[19].id)))))
    with_blocks = [message for message in messages if message.searches]
    middle = len(with_blocks) // 2
    chosen = with_blocks[middle - TOGGLES // 4 : middle + TOGGLES // 4]
    bars: list[Bar] = []
    details: dict[str, Detail] = {"first_change_after_loading_ms": first.painted_ms}
    for kind in (AnchorKind.SEARCH, AnchorKind.REASONING):
        costs: list[Cost] = []
        moved: list[float] = []
        for message in chosen:
            for cost, distance in _open_and_close(stage, Anchor(kind, message.id), message):
                costs.append(cost)
                moved.append(distance)
        bars += [
            stall_bar(f"toggle of a block of {kind}, median", costs, percent=50, at_most=15),
            Bar(f"the line of {kind} moved, pixels", max(moved), HALF_A_PIXEL),
        ]
        details[kind] = costs_as_json(costs)
    return Figure(bars, details)


def _prepending(stage: ViewStage, page: list[StoredMessage]) -> Callable[[], None]:
    return lambda: stage.view.prepend_messages(page, has_older=False)


def _open_and_close(stage: ViewStage, anchor: Anchor, message: StoredMessage) -> Iterator[tuple[Cost, float]]:
    """Yield what opening and closing cost, and how far the line with the anchor moved."""
    stage.view.jump_to(message.id)
    stage.settle()
    for _ in range(2):
        before = _look(stage, FOLD_PX)
        cost = stage.timed(lambda: stage.view.anchorClicked.emit(QUrl(str(anchor))))
        yield cost, abs(_top_of(stage, before.from_start) - before.top)
        stage.settle()


@dataclass(frozen=True, slots=True)
class _Sight:
    """A line in sight: counted from the start and the end of the document, and how far below the upper edge.

    That has fractions of pixels.
    """

    from_start: int
    from_end: int
    top: float
    picture: QImage


def _look(stage: ViewStage, height: int = SIZE_PX // 2) -> _Sight:
    """What is so far below the upper edge."""
    document = stage.view.document()
    number = stage.view.cursorForPosition(QPoint(SIZE_PX // 2, height)).blockNumber()
    picture = stage.view.viewport().grab().toImage()
    return _Sight(number, document.blockCount() - number, _top_of(stage, number), picture)


def _top_of(stage: ViewStage, number: int) -> float:
    document = stage.view.document()
    block = document.findBlockByNumber(number)
    return document.documentLayout().blockBoundingRect(block).top() - stage.view.verticalScrollBar().value()
