"""Finding in the real window: operators are offered, a hit is jumped to and its words marked; tags, the archive."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest
from PySide6.QtCore import QPoint, Qt
from PySide6.QtTest import QTest
from PySide6.QtWidgets import QApplication
from pytestqt.qtbot import QtBot

from llamachat.config.paths import Paths
from llamachat.core.conversation import Conversation
from llamachat.core.messages import Role
from llamachat.storage.conversations import create_conversation, get_conversation, set_archived
from llamachat.storage.database import Database
from llamachat.storage.messages import add_message
from llamachat.storage.tags import list_tags, tag_chats
from llamachat.ui.conversation_model import Listing
from llamachat.ui.hit_model import HitKind, row_text
from tests.end2end.stage import NOWHERE, Stage, stage

LONG = "\n\n".join(f"Paragraph {number} tells of the sea." for number in range(120))


def history(paths: Paths) -> None:
    """A chat of two versions of an answer, a long one, and one that was put away."""
    with Database.open(paths.database) as db:
        bees = create_conversation(db, title="Bees")
        asked = add_message(db, conversation_id=bees.id, parent_id=None, role=Role.USER, content="Who dances?")
        for text in ("The waggle dance tells the way.", "Bees do, in the dark hive."):
            add_message(
                db, conversation_id=bees.id, parent_id=asked.id, role=Role.ASSISTANT, content=text, model="Qwen3 8B"
            )
        sea = create_conversation(db, title="Sea")
        question = add_message(db, conversation_id=sea.id, parent_id=None, role=Role.USER, content="Tell me much.")
        text = f"{LONG}\n\nAt the end stands the Café Élan, elan in short.\n\n{LONG}"
        add_message(db, conversation_id=sea.id, parent_id=question.id, role=Role.ASSISTANT, content=text)
        old = create_conversation(db, title="Old")
        add_message(db, conversation_id=old.id, parent_id=None, role=Role.USER, content="waggle, once upon a time")
        set_archived(db, old.id, archived=True)
        tag_chats(db, [bees.id], "Garden")


@pytest.fixture
def shown(qtbot: QtBot, tmp_path: Path) -> Iterator[Stage]:
    """A window with the chats, in front."""
    with stage(tmp_path / "p", f'base_url = "{NOWHERE}"\n', before=history) as shown:
        shown.be_in_front()
        shown.until(lambda: shown.window.sidebar.chats.rows.rowCount() == 3)
        yield shown


def search(shown: Stage, text: str) -> list[str]:
    """Type into the search, key by key, and wait for the results."""
    side = shown.window.sidebar
    shown.window.actions_by_id["search"].trigger()
    side.field.clear()
    QTest.keyClicks(side.field, text)
    shown.until(side.search.isVisible)
    shown.until(lambda: not side.search._typing.isActive())
    shown.rest(0.2)
    return [row_text(row) for row in side.hits.rows.rows]


def marked(shown: Stage) -> list[str]:
    """The words that are marked in the transcript."""
    return [mark.cursor.selectedText() for mark in shown.window.page.view.extraSelections()]


def press(key: Qt.Key) -> None:
    """A key to whatever has the keyboard."""
    widget = QApplication.focusWidget()
    assert widget is not None
    QTest.keyClick(widget, key)


def test_a_hit_in_another_version_is_shown_with_its_words_marked(shown: Stage) -> None:
    rows = search(shown, "waggle")
    assert [row.split(": ")[-1] for row in rows] == [
        "Old (archived)",
        "waggle, once upon a time",
        "Bees",
        "The waggle dance tells the way.",
    ]
    for key in (Qt.Key.Key_Down, Qt.Key.Key_Down, Qt.Key.Key_Down, Qt.Key.Key_Down, Qt.Key.Key_Return):
        press(key)
    shown.until(lambda: "The waggle dance" in shown.window.page.view.toPlainText())
    shown.until(lambda: marked(shown) == ["waggle"])
    press(Qt.Key.Key_Escape)
    assert marked(shown) == []
    assert not shown.window.sidebar.in_search()
    assert "The waggle dance" in shown.window.page.view.toPlainText()


def test_the_words_are_brought_into_sight_and_found_as_the_search_finds_them(shown: Stage) -> None:
    assert len(search(shown, "elan cafe")) == 2
    press(Qt.Key.Key_Return)
    view = shown.window.page.view
    shown.until(lambda: marked(shown) == ["Café", "Élan", "elan"])
    selections = view.extraSelections()  # a cursor lives no longer than the list it stands in
    rect = view.cursorRect(selections[0].cursor)
    assert 0 <= rect.top() < view.viewport().height()
    bar = view.verticalScrollBar()
    bar.setValue(bar.minimum())
    shown.until(lambda: marked(shown) == [])
    shown.window.chat.open(1)
    shown.until(lambda: shown.window.chat.conversation_id == 1)
    shown.rest(0.1)
    assert marked(shown) == []


def test_the_bar_that_finds_in_the_chat_takes_over(shown: Stage) -> None:
    search(shown, "dances")
    press(Qt.Key.Key_Return)
    shown.until(lambda: marked(shown) == ["dances"])
    shown.window.actions_by_id["find"].trigger()
    QTest.keyClicks(shown.window.page.view.find_bar.field, "hive")
    shown.until(lambda: marked(shown) == ["hive"])
    press(Qt.Key.Key_Escape)
    assert marked(shown) == []


def test_operators_are_offered_and_taken_by_keys_alone(shown: Stage) -> None:
    side = shown.window.sidebar
    offers = side.search.offers
    shown.window.actions_by_id["search"].trigger()
    shown.until(offers.isVisible)  # all there is, while nothing is typed
    assert offers.item(0).text().startswith("title:")
    assert offers.verticalScrollBar().maximum() == 0  # all of it is in sight
    QTest.keyClicks(side.field, "mo")
    assert [offers.item(row).text() for row in range(offers.count())] == ["model: answers of a model"]
    press(Qt.Key.Key_Tab)
    assert side.field.text() == "model:"
    assert side.field.hasFocus()
    shown.until(lambda: offers.count() == 1 and offers.item(0).text() == "Qwen3 8B")
    press(Qt.Key.Key_Down)
    press(Qt.Key.Key_Return)  # takes what was chosen
    assert side.field.text() == 'model:"Qwen3 8B" '
    assert not offers.isVisible()
    shown.until(lambda: [row.kind for row in side.hits.rows.rows] == [HitKind.CHAT, HitKind.MESSAGE, HitKind.MESSAGE])
    QTest.keyClicks(side.field, "ha")
    assert offers.isVisible()
    press(Qt.Key.Key_Escape)
    assert not offers.isVisible()
    assert side.field.text() == 'model:"Qwen3 8B" ha'
    press(Qt.Key.Key_Escape)
    assert side.field.text() == ""


def test_tab_goes_through_the_window_past_the_search(shown: Stage) -> None:
    side = shown.window.sidebar
    side.menu_button.setFocus(Qt.FocusReason.TabFocusReason)
    press(Qt.Key.Key_Tab)
    assert side.field.hasFocus()
    shown.rest(0.1)
    assert not side.search.offers.isVisible()
    press(Qt.Key.Key_Tab)
    assert not side.field.hasFocus()
    shown.window.actions_by_id["search"].trigger()
    shown.until(side.search.offers.isVisible)
    press(Qt.Key.Key_Tab)
    assert (side.field.hasFocus(), side.field.text()) == (False, "")


def test_enter_is_not_stolen_by_what_is_offered(shown: Stage) -> None:
    search(shown, "waggle ta")
    assert shown.window.sidebar.search.offers.isVisible()
    search(shown, "dances role:us")
    assert shown.window.sidebar.search.offers.isVisible()
    press(Qt.Key.Key_Return)
    assert shown.window.sidebar.field.text() == "dances role:us"


def test_an_operator_that_is_taken_for_words_is_told(shown: Stage) -> None:
    search(shown, "waggle role:usr")
    note = shown.window.sidebar.search.note
    assert note.isVisible()
    assert note.text() == "“role:usr” is searched as words. Behind role: stands user or assistant."
    search(shown, "waggle role:user")
    assert not note.isVisible()


def test_a_chat_is_archived_and_taken_back(shown: Stage) -> None:
    side, window = shown.window.sidebar, shown.window
    window.chat.open(1)
    shown.until(lambda: window.chat.conversation_id == 1)
    window.actions_by_id["archive"].trigger()
    shown.until(lambda: not side.chats.rows.index_of(1).isValid())
    assert window.chat.conversation_id == 1
    side.control.show_listing(Listing(archived=True))
    shown.until(lambda: [chat.title for chat in loaded(shown)] == ["Old", "Bees"])
    assert side.pane.which.text() == "Archived chats"
    QTest.mouseClick(side.undo.button, Qt.MouseButton.LeftButton)
    shown.until(lambda: [chat.title for chat in loaded(shown)] == ["Old"])
    QTest.mouseClick(side.pane.all_button, Qt.MouseButton.LeftButton)
    shown.until(lambda: {chat.title for chat in loaded(shown)} == {"Bees", "Sea"})


def loaded(shown: Stage) -> list[Conversation]:
    """The chats in the list."""
    rows = shown.window.sidebar.chats.rows
    return [row.conversation for n in range(rows.rowCount()) if (row := rows.row(rows.index(n))).conversation]


def test_tags_are_given_by_keys_and_the_list_is_narrowed_to_one(shown: Stage) -> None:
    side, window = shown.window.sidebar, shown.window
    window.chat.open(2)
    shown.until(lambda: window.chat.conversation_id == 2)
    window.actions_by_id["tags"].trigger()
    shown.until(lambda: side.tags.dialog)
    dialog = side.tags.dialog
    assert dialog is not None
    QTest.keyClicks(dialog.field, "garden")
    QTest.keyClick(dialog.field, Qt.Key.Key_Return)
    QTest.keyClicks(dialog.field, "Blue water")
    QTest.keyClick(dialog.field, Qt.Key.Key_Return)
    QTest.keyClick(dialog.field, Qt.Key.Key_Return)
    with shown.app.database() as db:
        shown.until(lambda: (chat := get_conversation(db, 2)) and chat.tags == ("Blue water", "Garden"))
        assert [(tag.name, tag.chats) for tag in list_tags(db)] == [("Blue water", 1), ("Garden", 2)]
    shown.until(lambda: (chat := side.chats.rows.conversation(2)) and chat.tags == ("Blue water", "Garden"))
    assert search(shown, 'tag:"blue water"') == ["Sea"]


def test_several_chats_are_deleted_and_come_back_at_once(shown: Stage) -> None:
    side = shown.window.sidebar
    chats = side.chats
    chats.setFocus()
    QTest.keyClick(chats, Qt.Key.Key_A, Qt.KeyboardModifier.ControlModifier)
    assert side.pane.count.text() == "2 chats selected"
    QTest.keyClick(chats, Qt.Key.Key_Delete)
    with shown.app.database() as db:
        shown.until(lambda: get_conversation(db, 1) is None and get_conversation(db, 2) is None)
        QTest.mouseClick(side.undo.button, Qt.MouseButton.LeftButton)
        shown.until(lambda: get_conversation(db, 1) and get_conversation(db, 2))
    shown.until(lambda: chats.rows.rowCount() == 3)


def test_ctrl_and_shift_select_without_opening(shown: Stage) -> None:
    chats = shown.window.sidebar.chats
    shown.window.chat.open(1)
    shown.until(lambda: shown.window.chat.conversation_id == 1)
    for number, modifier in ((2, Qt.KeyboardModifier.ControlModifier), (1, Qt.KeyboardModifier.ShiftModifier)):
        place: QPoint = chats.visualRect(chats.rows.index_of(number)).center()
        QTest.mouseClick(chats.viewport(), Qt.MouseButton.LeftButton, modifier, place)
    assert {chat.id for chat in chats.selected_chats()} == {1, 2}
    assert shown.window.chat.conversation_id == 1


def test_a_word_that_may_become_an_operator_takes_no_results_away(shown: Stage) -> None:
    found = search(shown, "waggle")
    assert found
    side = shown.window.sidebar
    for letters in (" ta", "g", ":"):
        QTest.keyClicks(side.field, letters)
        shown.rest(0.3)
        assert [row_text(row) for row in side.hits.rows.rows] == found
    assert side.hits.isVisible()
    QTest.keyClick(side.field, Qt.Key.Key_Backspace)
    press(Qt.Key.Key_Escape)  # closes what is offered: it is a word
    shown.until(side.search.nothing.isVisible)


def test_results_that_stay_while_an_operator_is_begun_can_be_clicked(shown: Stage) -> None:
    search(shown, "waggle ta")
    hits = shown.window.sidebar.hits
    place = hits.visualRect(hits.rows.index(1)).center()
    QTest.mouseClick(hits.viewport(), Qt.MouseButton.LeftButton, pos=place)
    shown.until(lambda: shown.window.chat.conversation_id == hits.rows.rows[1].hit.conversation_id)
    shown.rest(0.2)
    assert hits.isVisible()
    assert not shown.window.sidebar.search.offers.isVisible()


def test_where_an_operator_alone_is_begun_the_chats_stay(shown: Stage) -> None:
    side = shown.window.sidebar
    shown.window.actions_by_id["search"].trigger()
    QTest.keyClicks(side.field, "ta")
    shown.rest(0.3)
    assert side.chats.isVisible()
    QTest.keyClicks(side.field, "zz")
    shown.until(side.search.nothing.isVisible)
    assert "beginnings of words" in side.search.nothing.text()
