"""Which blocks and messages stand at a height of the document."""

from __future__ import annotations

from PySide6.QtGui import QColor
from pytestqt.qtbot import QtBot

from llamachat.ui.theme import LIGHT
from llamachat.ui.transcript.document import TranscriptDocument
from llamachat.ui.transcript.sight import block_at
from tests.ui.transcript_pages import answer, long_chat, question, show_view

TABLE = "text\n\n| a | b |\n|---|---|\n| 1 | 2 |\n\n- one\n- two\n\n> quote"


def test_a_block_is_found_by_its_height_also_between_two_blocks(qtbot: QtBot) -> None:
    view = show_view(qtbot)
    view.set_messages([question(1), answer(2, TABLE), question(3, "one\n\ntwo"), answer(4, "end")])
    document, layout = view.document(), view.document().documentLayout()
    tops = [
        layout.blockBoundingRect(document.findBlockByNumber(number)).top() for number in range(document.blockCount())
    ]
    assert tops == sorted(tops)
    for y in range(round(min(tops)), round(layout.documentSize().height()) + 20, 3):
        number = block_at(document, y).blockNumber()
        assert tops[number] <= y
        assert all(top > y for top in tops[number + 1 :])
    assert block_at(document, -1000.0).blockNumber() == 0


def test_the_messages_between_two_blocks_are_those_that_have_any_of_them(qtbot: QtBot) -> None:
    view = show_view(qtbot)
    transcript = TranscriptDocument(view.document())
    transcript.clear()
    transcript.insert(0, long_chat(6))
    spans = list(transcript.spans())
    for first in range(view.document().blockCount()):
        for last in (first, first + 1, first + 7):
            having = [(e, n) for e, n in spans if n <= last and n + e.total > first]
            assert list(transcript.spans_between(first, last)) == having[::-1]


def test_a_card_is_painted_where_only_its_first_or_last_line_is_in_sight(qtbot: QtBot) -> None:
    view = show_view(qtbot)
    view.set_messages([question(1), answer(2, "word " * 900), question(3, "word " * 900), answer(4, "word " * 900)])
    document, height = view.document(), view.viewport().height()
    entry, first = list(view._transcript.spans())[2]
    head, last = (document.findBlockByNumber(number) for number in (first, first + entry.total - 1))
    top = document.documentLayout().blockBoundingRect(head).top()
    bottom = document.documentLayout().blockBoundingRect(last).bottom()
    aside = round(document.rootFrame().frameFormat().leftMargin()) - 8  # beside the text, inside the card
    for scrolled, y in ((top - height + 10, height - 5), (bottom - 10, 5)):
        view.verticalScrollBar().setValue(round(scrolled))
        assert view.viewport().grab().toImage().pixelColor(aside, y) == QColor(LIGHT.card)
