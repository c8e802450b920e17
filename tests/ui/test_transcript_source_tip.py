"""The pointer over a source shows what the search said about it, and where it leads."""

from __future__ import annotations

import pytest
from PySide6.QtCore import QPoint
from PySide6.QtGui import QTextDocument
from pytestqt.qtbot import QtBot

from llamachat.core.search_record import SearchRecord, SearchResult
from llamachat.ui.transcript.view import TranscriptView
from tests.ui.transcript_pages import RECORD, answer, question, show_view


def tip_over(view: TranscriptView, text: str) -> str:
    """What is shown over the last place with this text."""
    found = cursor = view.document().find(text)
    while not cursor.isNull():
        found, cursor = cursor, view.document().find(text, cursor)
    found.setPosition(found.selectionStart() + 1)
    return view.tip_at(view.cursorRect(found).center() + QPoint(2, 0))


def plain(tip: str) -> list[str]:
    shown = QTextDocument()
    shown.setHtml(tip)
    return [line for line in shown.toPlainText().split("\n") if line]


@pytest.mark.parametrize("place", ["[2]", "History"])
def test_a_source_tells_its_title_its_text_and_its_address(qtbot: QtBot, place: str) -> None:
    view = show_view(qtbot)
    view.set_messages([question(1), answer(2, "It is so [1]. And so.", searches=(RECORD,)), question(3)])
    assert plain(tip_over(view, place)) == ["History", "all of them", "https://history.example/kernel"]
    assert plain(tip_over(view, "[1]"))[0] == "Kernel Archives"


def test_other_links_tell_their_address_alone(qtbot: QtBot) -> None:
    view = show_view(qtbot)
    address = RECORD.results[0].url
    view.set_messages([answer(2, "Said [1].", searches=(RECORD,)), question(3), answer(4, f"[there]({address})")])
    assert plain(tip_over(view, "there")) == [address]
    assert tip_over(view, "Said") == ""


def test_hostile_titles_and_texts_are_text_and_short(qtbot: QtBot) -> None:
    forged = SearchResult("<img src=x> &lt;b", "https://ok.example@evil.example/", "<b>bold</b> " + "word " * 5000)
    view = show_view(qtbot)
    view.set_messages([answer(2, "So [1].", searches=(SearchRecord("q", (forged,)),))])
    shown = plain(tip_over(view, "[1]"))
    assert shown[0] == "<img src=x> &lt;b"
    assert shown[1].startswith("<b>bold</b> word")
    assert shown[-2:] == ["evil.example", "https://ok.example@evil.example/"]
    assert len(shown) == 1 + 8 + 2
