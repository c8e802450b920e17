"""Where pages end: between lines, not within one, and not after the name of who speaks."""

from __future__ import annotations

from itertools import pairwise

import pytest
from PySide6.QtWidgets import QApplication

from llamachat.core.messages import StoredMessage
from llamachat.render.block_kinds import BlockKind, kind_of
from llamachat.ui.print_message import PrintedMessage, blocks_of
from llamachat.ui.print_pages import WIDTH_PX, Flow, Slice, count_wanted
from tests.gallery.turns import answer, question
from tests.ui.printed import every_construct, job


def laid_out(message: StoredMessage) -> PrintedMessage:
    return PrintedMessage(message, WIDTH_PX, job([message]).how)


def placed(messages: list[StoredMessage], page_px: float) -> list[Slice]:
    flow = Flow(page_px)
    return [part for message in messages for part in flow.place(laid_out(message))]


@pytest.mark.parametrize("page_px", [900.0, 500.0, 331.0])
def test_no_page_cuts_a_line_and_none_is_lost(qapp: QApplication, page_px: float) -> None:
    parts = placed(every_construct(), page_px)
    assert [part.page for part in parts] == sorted(part.page for part in parts)
    for part in parts:
        assert part.y >= 0
        assert part.y + (part.bottom - part.top) * part.message.scale <= page_px + 0.01
        own = [other for other in parts if other.message is part.message]
        for top, bottom in part.message.strips:
            whole = [other for other in own if other.top <= top + 0.01 and bottom <= other.bottom + 0.01]
            assert len(whole) == 1 or bottom - top > page_px


def test_messages_do_not_overlap(qapp: QApplication) -> None:
    parts = placed([question(f"Question {number}?") for number in range(30)], 700.0)
    assert len({part.page for part in parts}) > 1
    for part, after in pairwise(parts):
        assert after.page > part.page or after.y >= part.y + (part.bottom - part.top) - 0.01


def test_who_speaks_stands_on_the_page_of_what_is_said(qapp: QApplication) -> None:
    message = laid_out(answer("\n\n".join(["A paragraph."] * 30)))
    header = next(blocks_of(message.document))
    assert kind_of(header.userState()) is BlockKind.HEADER
    first_text = header.next()
    rect_of = message.document.documentLayout().blockBoundingRect
    top, bottom = message.strips[0]
    assert (top, bottom) == (rect_of(header).top(), rect_of(first_text).bottom())


def test_what_fits_no_page_is_cut_and_ends(qapp: QApplication) -> None:
    parts = placed([answer("A paragraph.\n\n" * 20)], 10.0)
    assert parts[-1].bottom >= parts[-1].message.strips[-1][1]
    assert all(part.bottom - part.top <= 10.01 for part in parts)


def test_a_table_that_is_too_wide_is_made_smaller(qapp: QApplication) -> None:
    head = "|".join(f"`column_number_{number}`" for number in range(12))
    table = f"|{head}|\n|{'-|' * 12}\n|{'`a_word_that_does_not_break`|' * 12}"
    message = laid_out(answer(table))
    assert message.document.size().width() * message.scale <= WIDTH_PX + 1 or message.scale < 0.5


def test_a_row_of_a_table_stays_on_one_page(qapp: QApplication) -> None:
    table = "|a|b|\n|-|-|\n" + "|x|" + "several words that need more than a line " * 6 + "|\n"
    message = laid_out(answer(table))
    cells = [block for block in blocks_of(message.document) if block.text().startswith("several words")]
    rect = message.document.documentLayout().blockBoundingRect(cells[0])
    assert cells[0].layout().lineCount() > 1
    assert any(top <= rect.top() and rect.bottom() <= bottom for top, bottom in message.strips)


@pytest.mark.parametrize(("wanted", "count"), [(None, 5), ((2, 3), 2), ((4, 9), 2), ((7, 9), 0)])
def test_of_five_pages_only_those_are_counted_that_are_printed(wanted: tuple[int, int] | None, count: int) -> None:
    assert count_wanted(5, wanted) == count
