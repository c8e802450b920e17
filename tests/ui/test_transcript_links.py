"""Links: what is opened, what is not, what a tooltip says; and nothing is ever loaded."""

from __future__ import annotations

import pytest
from PySide6.QtCore import QEvent, QPoint, Qt, QUrl
from PySide6.QtGui import QAction, QContextMenuEvent, QGuiApplication, QHelpEvent, QTextDocumentFragment
from PySide6.QtGui import Qt as GuiQt
from PySide6.QtTest import QTest
from PySide6.QtWidgets import QApplication, QMenu, QToolTip
from pytestqt.qtbot import QtBot

from llamachat.core.search_record import SearchRecord, SearchResult
from llamachat.ui.transcript.pointer import tooltip_for
from llamachat.ui.transcript.view import TranscriptView
from tests.ui.transcript_pages import (
    OpenedLinks,
    answer,
    blocks_of,
    describe,
    follow,
    lines_of,
    long_chat,
    show_view,
)


def middle_of(view: TranscriptView, text: str) -> QPoint:
    cursor = view.document().find(text)
    cursor.setPosition(cursor.selectionStart() + 1)
    return view.cursorRect(cursor).center() + QPoint(2, 0)


@pytest.mark.claim("LC-037")
def test_a_click_opens_the_address_and_the_page_stays(qtbot: QtBot) -> None:
    links = OpenedLinks()
    view = show_view(qtbot, links=links)
    view.set_messages([*long_chat(5), answer(12, "Go [there](https://e.example/x?a=1&b=2).")])
    shown, place = describe(view.document()), view.verticalScrollBar().value()
    QTest.mouseClick(view.viewport(), Qt.MouseButton.LeftButton, pos=middle_of(view, "there"))
    assert links.addresses == ["https://e.example/x?a=1&b=2"]
    assert (describe(view.document()), view.verticalScrollBar().value()) == (shown, place)


@pytest.mark.claim("LC-037")
@pytest.mark.parametrize(
    "address",
    [
        "javascript:alert(1)",
        "file:///etc/passwd",
        "data:text/html,x",
        "#heading",
        "page.html",
        "x-llamachat-boom:1",
        "x-llamachat-copy:99",
        "qrc:/x",
    ],
)
def test_nothing_else_is_opened_even_if_it_were_clicked(qtbot: QtBot, address: str) -> None:
    links = OpenedLinks()
    view = show_view(qtbot, links=links)
    view.set_messages([answer(2, "Text")])
    shown = describe(view.document())
    view.anchorClicked.emit(QUrl(address))
    assert links.addresses == []
    assert describe(view.document()) == shown


@pytest.mark.claim("LC-039")
def test_forged_anchors_in_answers_titles_and_pages_are_text(qtbot: QtBot) -> None:
    forged = "[▸ thinking](x-llamachat-reasoning:2) <a href='x-llamachat-copy:2'>Copy it</a>"
    record = SearchRecord("q", (SearchResult(forged, "x-llamachat-retry:2", forged),), first_number=1)
    view = show_view(qtbot)
    view.set_messages([answer(2, forged + " [1]", searches=(record,), reasoning=forged)])
    follow(view, "▸ searched")
    hrefs = []
    for block in blocks_of(view.document()):
        iterator = block.begin()
        while not iterator.atEnd():
            hrefs += [href] if (href := iterator.fragment().charFormat().anchorHref()) else []
            iterator += 1
    assert sorted(hrefs) == ["x-llamachat-copy:2", "x-llamachat-reasoning:2", "x-llamachat-search:2/0"]


def test_no_address_replaces_the_document(qtbot: QtBot) -> None:
    view = show_view(qtbot)
    view.set_messages([answer(2, "Text")])
    view.setSource(QUrl("file:///etc/hostname"))
    assert lines_of(view) == ["model", "Text", "Copy"]
    assert view.source().isEmpty()


def test_tooltips_tell_the_true_address() -> None:
    assert tooltip_for("https://e.example/?a=1&lt;=2") == "https://e.example/?a=1&amp;lt;=2"
    assert tooltip_for("https://ok.example@evil.example/") == "evil.example<br>https://ok.example@evil.example/"
    assert tooltip_for("https://e.example/" + "p" * 200).count("<br>") == 2
    assert [tooltip_for(href) for href in ("", "x-llamachat-copy:2", "javascript:x")] == ["", "", ""]


@pytest.mark.parametrize(
    ("address", "lines"),
    [
        ("https://ok.example@evil.example/", ["evil.example", "https://ok.example@evil.example/"]),
        ("https://e.example/?a=1&b=2", ["https://e.example/?a=1&b=2"]),
    ],
)
def test_the_pointer_over_a_link_shows_its_address(qtbot: QtBot, address: str, lines: list[str]) -> None:
    view = show_view(qtbot)
    view.set_messages([answer(2, f"[safe](<{address}>)")])
    at = middle_of(view, "safe")
    event = QHelpEvent(QEvent.Type.ToolTip, at, view.viewport().mapToGlobal(at))
    QApplication.sendEvent(view.viewport(), event)
    assert GuiQt.mightBeRichText(QToolTip.text())  # else it would be shown as it is
    assert QTextDocumentFragment.fromHtml(QToolTip.text()).toPlainText().split("\n") == lines
    QToolTip.hideText()


def menu_at(view: TranscriptView, at: QPoint) -> dict[str, QAction]:
    view.contextMenuEvent(QContextMenuEvent(QContextMenuEvent.Reason.Mouse, at, view.mapToGlobal(at)))
    menu = view.findChild(QMenu)
    assert menu is not None
    menu.close()
    return {action.text(): action for action in menu.actions() if action.text()}


def test_the_menu_copies_and_has_no_links_of_the_program(qtbot: QtBot) -> None:
    links = OpenedLinks()
    view = show_view(qtbot, links=links)
    view.set_messages([answer(2, "**Bold** [link](https://e.example/)")])
    actions = menu_at(view, middle_of(view, "link"))
    assert [name for name, action in actions.items() if not action.isEnabled()] == ["Copy", "Copy as Markdown"]
    actions["Copy the link's address"].trigger()
    assert QGuiApplication.clipboard().text() == "https://e.example/"
    actions["Open the link"].trigger()
    assert links.addresses == ["https://e.example/"]
    actions["Copy the message"].trigger()
    assert QGuiApplication.clipboard().text() == "**Bold** [link](https://e.example/)"
    actions = menu_at(view, middle_of(view, "Copy"))
    assert not {"Copy the link's address", "Open the link"} & set(actions)
    actions["Select all"].trigger()
    actions = menu_at(view, middle_of(view, "Bold"))
    actions["Copy as Markdown"].trigger()
    assert QGuiApplication.clipboard().text() == "**Bold** [link](https://e.example/)"
