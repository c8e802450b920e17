"""What the list of chats costs at its full length: reading pages of it, and showing them in the window."""

from __future__ import annotations

import os
import time
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path

from PySide6.QtWidgets import QApplication

from llamachat.core.clock import SystemClock
from llamachat.core.conversation import Conversation, ListOrder
from llamachat.storage.conversations import list_conversations
from llamachat.storage.database import Database
from llamachat.ui.conversation_list import ConversationList
from llamachat.ui.conversation_model import Listing
from llamachat.ui.list_control import PAGE
from tests.bench.figures import Bar, Figure, percentile, spread

_TIMES = 20
_FRAME_MS = 16
_AS_MUCH = 2  # times the work for the first page; without an index it would be some hundred times


def list_figure(path: Path) -> Figure:
    """Steps of SQLite for the last page, and times of what the window does with all pages loaded."""
    with Database.open(path) as db:
        bars = [_pages_bar(db, order) for order in ListOrder]
        chats = list_conversations(db)
    times = _in_the_window(chats) if len(chats) > 3 * PAGE else {}
    bars += [
        Bar(f"{what} in the list of all chats, p95", percentile(found, 95), _FRAME_MS, "wall")
        for what, found in times.items()
    ]
    return Figure(bars, {"chats": len(chats)} | {what: spread(found) for what, found in times.items()})


def _pages_bar(db: Database, order: ListOrder) -> Bar:
    """Later pages are read with as much work as the first."""
    whole = list_conversations(db, order=order)
    before = whole[-PAGE - 1] if len(whole) > PAGE else None
    first = _steps(db, lambda: list_conversations(db, limit=PAGE, order=order))
    last = _steps(db, lambda: list_conversations(db, limit=PAGE, order=order, before=before))
    return Bar(f"steps for the last page by {order.value}, to those for the first", last / first, _AS_MUCH)


def _steps(db: Database, act: Callable[[], object]) -> int:
    count = 0

    def step() -> int:
        nonlocal count
        count += 1
        return 0

    db.connection.set_progress_handler(step, 10)
    act()
    db.connection.set_progress_handler(None, 0)
    return count


def _in_the_window(chats: list[Conversation]) -> dict[str, list[float]]:
    os.environ.setdefault("QT_QPA_PLATFORM", "offscreen")
    application = QApplication.instance() or QApplication([])
    view = ConversationList(SystemClock())
    view.resize(260, 800)
    view.show()
    view.rows.show_listing(Listing())
    view.rows.set_page(chats[:-PAGE], append=False, has_more=True)
    application.processEvents()
    bar = view.verticalScrollBar()
    middle = chats[len(chats) // 2]

    def scroll() -> None:
        bar.setValue((bar.value() + bar.maximum() // 7) % bar.maximum())
        view.viewport().repaint()

    def move(number: int) -> None:
        now = time.time() + number
        view.rows.put(replace(chats[(number * 97) % (len(chats) // 2)], updated_at=now))
        application.processEvents()

    def mark(number: int) -> None:
        view.rows.set_live(frozenset({middle.id} if number % 2 else ()))
        application.processEvents()

    def add(number: int) -> None:
        part = PAGE // _TIMES
        last = chats[len(chats) - PAGE + number * part :][:part]
        view.rows.set_page(last, append=True, has_more=True)
        application.processEvents()

    acts = {"scrolling": lambda _: scroll(), "a new message": move, "an answer that begins": mark, "a page more": add}
    return {what: [_ms(act, number) for number in range(_TIMES)] for what, act in acts.items()}


def _ms(act: Callable[[int], None], number: int) -> float:
    started = time.perf_counter()
    act(number)
    return 1000 * (time.perf_counter() - started)
