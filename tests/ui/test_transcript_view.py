"""The reader's rights: place, selection, older messages, themes, the keyboard."""

from __future__ import annotations

import pytest
from PySide6.QtCore import QPoint, Qt
from PySide6.QtGui import QAccessible, QColor
from PySide6.QtTest import QTest
from PySide6.QtWidgets import QLineEdit, QVBoxLayout, QWidget
from pytestqt.qtbot import QtBot

from llamachat.core.events import Event, Kind
from llamachat.core.messages import Status
from llamachat.ui.theme import DARK, LIGHT
from llamachat.ui.transcript.view import TranscriptView
from tests.ui.transcript_pages import (
    RECORD,
    OpenedLinks,
    answer,
    colours_of,
    describe,
    follow,
    lines_of,
    long_chat,
    place_of,
    question,
    select,
    show_view,
    top_of,
)

CODE = "```python\ndef f():\n    return 1  # note\n```\n"


def stream(view: TranscriptView, flushes: int) -> None:
    for number in range(flushes):
        view.apply([Event(Kind.CONTENT, f"Sentence {number} goes on.\n\n- item {number}\n\n")])


def colours_in(view: TranscriptView) -> set[str]:
    """The colours that can be seen."""
    picture = view.viewport().grab().toImage()
    return {picture.pixelColor(x, y).name() for x in range(0, picture.width(), 7) for y in range(picture.height())}


def test_opening_a_chat_shows_its_end(qtbot: QtBot) -> None:
    view = show_view(qtbot)
    view.set_messages(long_chat(20))
    bar = view.verticalScrollBar()
    assert bar.maximum() > 0
    assert bar.value() == bar.maximum()


def test_the_scroll_bar_has_a_handle_only_where_there_is_something_to_scroll(qtbot: QtBot) -> None:
    view = show_view(qtbot)
    bar = view.verticalScrollBar()
    assert not bar.isEnabled()
    view.set_messages(long_chat(20))
    assert bar.isEnabled()
    view.set_messages(long_chat(1))
    assert not bar.isEnabled()


@pytest.mark.claim("ST-048")
def test_a_view_at_the_end_follows_the_stream(qtbot: QtBot) -> None:
    view = show_view(qtbot)
    view.set_messages(long_chat(5))
    view.begin_answer(question(11), answer(12, status=Status.STREAMING))
    for _ in range(20):
        stream(view, 3)
        assert view.verticalScrollBar().value() == view.verticalScrollBar().maximum()


def test_a_reader_who_scrolled_up_is_not_dragged(qtbot: QtBot) -> None:
    view = show_view(qtbot)
    view.set_messages(long_chat(20))
    view.begin_answer(question(41), answer(42, status=Status.STREAMING))
    view.jump_to(20)
    top = top_of(view, "Answer 20.")
    value = view.verticalScrollBar().value()
    stream(view, 30)
    view.end_answer(answer(42, "Something else."))
    assert (top_of(view, "Answer 20."), view.verticalScrollBar().value()) == (top, value)


def test_a_selection_across_messages_survives_the_stream_and_its_end(qtbot: QtBot) -> None:
    view = show_view(qtbot)
    view.set_messages(long_chat(2))
    view.begin_answer(question(5), answer(6, status=Status.STREAMING))
    stream(view, 3)
    select(view, place_of(view, "Answer 4."), place_of(view, "Sentence 1"))
    selected = view.textCursor().selectedText()
    stream(view, 20)
    assert view.textCursor().selectedText() == selected
    view.end_answer(answer(6, "Sentence 0 goes on.\n\n- item 0\n\nSentence 1 goes on."))
    assert view.textCursor().selectedText() == selected


def test_a_selection_in_the_growing_block_survives(qtbot: QtBot) -> None:
    view = show_view(qtbot)
    view.begin_answer(question(1), answer(2, status=Status.STREAMING))
    view.apply([Event(Kind.CONTENT, "- one\n- two words\n- th")])
    select(view, place_of(view, "two"), place_of(view, "words") + 5)
    view.apply([Event(Kind.CONTENT, "ree\n\nand more")])
    assert view.textCursor().selectedText() == "two words"


def test_a_fold_opens_below_its_line_which_does_not_move(qtbot: QtBot) -> None:
    view = show_view(qtbot)
    messages = long_chat(10)
    messages.insert(10, answer(100, "Text", reasoning="a thought\n" * 30, searches=(RECORD,)))
    view.set_messages(messages)
    view.jump_to(100)
    below = top_of(view, "▸ thinking")
    follow(view, "▸ thinking")
    assert top_of(view, "▾ thinking") == below
    follow(view, "▾ thinking")
    assert top_of(view, "▸ thinking") == below


def test_a_fold_at_the_end_does_not_drag_the_view(qtbot: QtBot) -> None:
    view = show_view(qtbot)
    view.set_messages([*long_chat(5), answer(12, "Text", reasoning="a thought\n" * 80)])
    top = top_of(view, "▸ thinking")
    follow(view, "▸ thinking")
    assert top_of(view, "▾ thinking") == top


def test_older_messages_are_asked_for_once_and_leave_the_text_where_it_is(qtbot: QtBot) -> None:
    view = show_view(qtbot)
    asked: list[bool] = []
    view.older_requested.connect(lambda: asked.append(True))
    view.set_messages(long_chat(10, first=21), has_older=True)
    assert not asked
    view.verticalScrollBar().setValue(40)
    view.verticalScrollBar().setValue(30)
    assert len(asked) == 1
    top = top_of(view, "Question 21?")
    view.prepend_messages(long_chat(10), has_older=False)
    assert abs(top_of(view, "Question 21?") - top) < 1
    assert lines_of(view)[1] == "Question 1?"
    view.verticalScrollBar().setValue(0)
    assert len(asked) == 1


def test_a_short_page_asks_for_older_messages_at_once(qtbot: QtBot) -> None:
    view = show_view(qtbot)
    with qtbot.waitSignal(view.older_requested):
        view.set_messages([question(3)], has_older=True)


def test_jumping_to_a_message(qtbot: QtBot) -> None:
    view = show_view(qtbot)
    view.set_messages(long_chat(20))
    assert view.jump_to(11)
    assert 0 <= top_of(view, "Question 11?") < 100
    assert not view.jump_to(999)


def test_a_new_theme_changes_colours_and_nothing_else(qtbot: QtBot) -> None:
    view = show_view(qtbot)
    view.set_messages([*long_chat(10), answer(22, CODE, reasoning="thought"), *long_chat(5, first=31)])
    follow(view, "▸ thinking")
    view.jump_to(22)
    select(view, place_of(view, "def f"), place_of(view, "# note"))
    before, selected = lines_of(view), view.textCursor().selectedText()
    place, top = view.verticalScrollBar().value(), top_of(view, "def f")
    view.set_theme(DARK)
    assert lines_of(view) == before
    assert (view.verticalScrollBar().value(), top_of(view, "def f")) == (place, top)
    assert view.textCursor().selectedText() == selected
    assert DARK.text in str(describe(view.document()))
    assert LIGHT.text not in str(describe(view.document()))


def test_a_theme_can_change_while_an_answer_streams(qtbot: QtBot) -> None:
    view = show_view(qtbot)
    view.begin_answer(question(1), answer(2, status=Status.STREAMING))
    view.apply([Event(Kind.CONTENT, "Text\n\n```python\ndef f():\n")])
    view.set_theme(DARK)
    view.apply([Event(Kind.CONTENT, "    return 1\n```\n\nEnd [a].\n\n[a]: https://a.example/\n")])
    text = "Text\n\n```python\ndef f():\n    return 1\n```\n\nEnd [a].\n\n[a]: https://a.example/\n"
    view.end_answer(answer(2, text))
    shown = describe(view.document()), colours_of(view)
    view.set_messages([question(1), answer(2, text)])
    assert shown == (describe(view.document()), colours_of(view))


def test_the_text_grows_with_the_font_of_the_program(qtbot: QtBot) -> None:
    view = show_view(qtbot)
    view.set_messages([question(1), answer(2, "Text\n\n# Head")])
    before = view.document().size().height()
    font = view.font()
    font.setPixelSize(30)
    view.setFont(font)
    assert view.document().size().height() > 1.3 * before


@pytest.mark.parametrize("width", [360, 700, 1600])
def test_nothing_is_wider_than_the_view(qtbot: QtBot, width: int) -> None:
    view = show_view(qtbot)
    view.resize(width, 500)
    wide = "W" * 400
    text = f"{wide}\n\n- {wide}\n\n# {wide}\n\n| {wide} |\n|---|\n| b |\n\n> {wide}\n\n```\n{wide}\n```\n\nhttps://x.example/{wide}"
    view.set_messages([question(1, wide), answer(2, text, status=Status.FAILED, error=wide)])
    assert view.document().size().width() <= view.viewport().width()
    assert view.horizontalScrollBar().maximum() == 0


def test_cards_and_boxes_are_painted_under_the_text(qtbot: QtBot) -> None:
    view = show_view(qtbot, height=900)
    view.set_messages([question(1), answer(2, CODE + "\n> quote\n\n***\n", status=Status.INTERRUPTED)])
    seen = colours_in(view)
    for colour in (LIGHT.base, LIGHT.card, LIGHT.code, LIGHT.quote, LIGHT.error_back, LIGHT.border):
        assert QColor(colour).name() in seen


def test_the_bar_of_a_quote_runs_on_beside_a_table(qtbot: QtBot) -> None:
    view = show_view(qtbot)
    view.set_messages([answer(2, "> above\n>\n> | q |\n> |---|\n> | 1 |\n>\n> below")])
    picture = view.viewport().grab().toImage()
    left = int(view.document().rootFrame().frameFormat().leftMargin()) + 1
    beside = {
        picture.pixelColor(left, y).name()
        for y in range(int(top_of(view, "above")) + 4, int(top_of(view, "below")) + 8)
    }
    assert beside == {QColor(LIGHT.quote).name()}


def test_the_empty_page_is_plain_text(qtbot: QtBot) -> None:
    view = show_view(qtbot)
    view.set_messages(long_chat(2))
    view.show_empty("Ask <something>.\n\nNothing leaves this computer.")
    assert lines_of(view) == ["Ask <something>.", "Nothing leaves this computer."]
    view.set_messages([question(1)])
    assert lines_of(view)[:2] == ["You Copy", "What is new?"]


def test_tab_goes_through_the_links_and_enter_follows_them(qtbot: QtBot) -> None:
    page = QWidget()
    entry, links = QLineEdit(), OpenedLinks()
    view = TranscriptView(open_url=links)
    layout = QVBoxLayout(page)
    layout.addWidget(entry)
    layout.addWidget(view)
    qtbot.addWidget(page)
    page.resize(600, 500)
    with qtbot.waitActive(page):
        page.show()
    view.set_messages([answer(2, "[one](https://one.example/)", reasoning="thought")])
    entry.setFocus()
    QTest.keyClick(entry, Qt.Key.Key_Tab)
    QTest.keyClick(view, Qt.Key.Key_Tab)
    QTest.keyClick(view, Qt.Key.Key_Return)
    assert "▾ thinking (7 chars, 1 line)" in lines_of(view)
    assert view.textCursor().selectedText() == "▾ thinking (7 chars, 1 line)"
    assert QColor(LIGHT.selection).name() not in colours_in(view)  # it has a ring and is not marked
    QTest.keyClick(view, Qt.Key.Key_Tab)
    QTest.keyClick(view, Qt.Key.Key_Return)
    assert links.addresses == ["https://one.example/"]


def test_a_screen_reader_gets_a_name_and_the_whole_text(qtbot: QtBot) -> None:
    view = show_view(qtbot)
    view.set_messages(long_chat(3))
    face = QAccessible.queryAccessibleInterface(view)
    assert face.text(QAccessible.Text.Name) == "Chat"
    text = face.textInterface()
    assert "Answer 6." in text.text(0, text.characterCount())


def test_the_page_follows_the_width_of_the_window(qtbot: QtBot) -> None:
    view = show_view(qtbot)
    view.set_messages([question(1, "Hello")])
    view.resize(1400, 600)
    copy = view.cursorRect(view.document().find("Copy"))
    text = view.cursorRect(view.document().find("Hello"))
    assert copy.x() - text.x() > 600
    assert view.viewport().rect().contains(copy.center() + QPoint(1, 1))
