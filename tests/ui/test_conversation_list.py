"""The list of chats: rows by day, order, renaming in place, keys, what a screen reader hears."""

from __future__ import annotations

from dataclasses import replace

import pytest
from PySide6.QtCore import QEvent, QModelIndex, Qt
from PySide6.QtGui import QKeyEvent
from PySide6.QtTest import QTest
from PySide6.QtWidgets import QAbstractItemView, QApplication, QLineEdit
from pytestqt.qtbot import QtBot

from llamachat.core.conversation import Conversation
from llamachat.ui.chat_acts import ChatAct
from llamachat.ui.conversation_list import ConversationList
from llamachat.ui.conversation_model import Listing, title_of
from llamachat.ui.conversation_row import shown_tags
from llamachat.ui.labels import tooltip
from tests.fakes.still_clock import StillClock

DAY = 86400.0


def chat(number: int, title: str, *, at: float) -> Conversation:
    """A chat."""
    return Conversation(number, f"u{number}", title, created_at=at, updated_at=at)


@pytest.fixture
def clock() -> StillClock:
    """A clock in the middle of a day."""
    return StillClock()


@pytest.fixture
def chats(qtbot: QtBot, clock: StillClock) -> ConversationList:
    """Three chats: two of today, one of a year before."""
    view = ConversationList(clock)
    qtbot.addWidget(view)
    view.resize(240, 400)
    view.show()
    now = clock.now()
    page = [chat(3, "Three", at=now), chat(2, "Two", at=now - 60), chat(1, "One", at=now - 365 * DAY)]
    view.rows.set_page(page, append=False, has_more=False)
    return view


def texts(view: ConversationList) -> list[str]:
    """All rows; headings in brackets."""
    rows = [view.rows.row(view.rows.index(number)) for number in range(view.rows.rowCount())]
    return [row.text if row.conversation else f"[{row.text}]" for row in rows]


def press(view: ConversationList, key: Qt.Key) -> None:
    """A key that reaches the list."""
    QApplication.sendEvent(view, QKeyEvent(QEvent.Type.KeyPress, key, Qt.KeyboardModifier.NoModifier))


def test_chats_stand_under_their_days(chats: ConversationList) -> None:
    shown = texts(chats)
    assert shown[:3] == ["[Today]", "Three", "Two"]
    assert shown[-1] == "One"
    assert len(shown) == 5


def test_a_changed_chat_moves_to_the_top(chats: ConversationList, clock: StillClock) -> None:
    chats.show_current(1)
    chats.rows.put(chat(1, "One again", at=clock.now() + 1))
    assert texts(chats) == ["[Today]", "One again", "Three", "Two"]
    assert chats.currentIndex() == chats.rows.index_of(1)


def test_a_new_day_changes_the_headings(chats: ConversationList, clock: StillClock) -> None:
    clock.move(2 * DAY)
    chats.rows.refresh()
    assert texts(chats)[0] == "[Last 7 days]"


def test_the_next_page_is_asked_for_once_and_doubles_nothing(qtbot: QtBot, chats: ConversationList) -> None:
    page = [chat(1, "One", at=10.0), chat(0, "Zero", at=5.0)]
    chats.rows.set_page(page, append=True, has_more=True)
    assert texts(chats)[-3:] == ["One", "[January 1970]", "Zero"]
    with qtbot.waitSignal(chats.rows.more_wanted):
        chats.rows.fetchMore(QModelIndex())
    with qtbot.assertNotEmitted(chats.rows.more_wanted):
        chats.rows.fetchMore(QModelIndex())


def test_a_title_is_one_line_or_a_word_in_its_place() -> None:
    assert title_of(chat(1, "  two\nlines\t ", at=0)) == "two lines"
    assert title_of(chat(1, "", at=0)) == "New chat"


def test_enter_and_click_open(qtbot: QtBot, chats: ConversationList) -> None:
    opened: list[int] = []
    chats.opened.connect(opened.append)
    chats.show_current(2)
    press(chats, Qt.Key.Key_Return)
    place = chats.visualRect(chats.rows.index_of(3)).center()
    QTest.mouseClick(chats.viewport(), Qt.MouseButton.LeftButton, pos=place)
    QTest.mouseClick(chats.viewport(), Qt.MouseButton.LeftButton, pos=chats.visualRect(chats.rows.index(0)).center())
    assert opened == [2, 3]


def test_arrows_skip_the_headings(chats: ConversationList) -> None:
    chats.show_current(2)
    press(chats, Qt.Key.Key_Down)
    assert chats.currentIndex() == chats.rows.index_of(1)


def test_the_mark_returns_to_the_open_chat_when_the_keyboard_goes(qtbot: QtBot, chats: ConversationList) -> None:
    chats.show_current(3)
    chats.activateWindow()
    chats.setFocus()
    press(chats, Qt.Key.Key_Down)
    assert chats.currentIndex() == chats.rows.index_of(2)
    chats.clearFocus()
    assert chats.currentIndex() == chats.rows.index_of(3)


def test_the_right_button_moves_no_mark(chats: ConversationList) -> None:
    chats.show_current(3)
    place = chats.visualRect(chats.rows.index_of(1)).center()
    QTest.mousePress(chats.viewport(), Qt.MouseButton.RightButton, pos=place)
    assert chats.currentIndex() == chats.rows.index_of(3)


def test_delete_asks_for_the_chat_under_the_keyboard(qtbot: QtBot, chats: ConversationList) -> None:
    chats.show_current(3)
    with qtbot.waitSignal(chats.act_requested) as asked:
        press(chats, Qt.Key.Key_Delete)
    assert asked.args == [ChatAct.DELETE, (3,)]


def test_delete_asks_for_nothing_that_was_not_chosen(chats: ConversationList) -> None:
    acts: list[object] = []
    chats.act_requested.connect(lambda act, ids: acts.append((act, ids)))
    chats.put_keyboard_on(2, chosen=False)
    chats.rows.refresh()  # the rows are made anew
    press(chats, Qt.Key.Key_Delete)
    assert (acts, chats.currentIndex()) == ([], chats.rows.index_of(2))
    press(chats, Qt.Key.Key_Down)
    press(chats, Qt.Key.Key_Delete)
    assert acts == [(ChatAct.DELETE, (1,))]


def test_delete_asks_for_what_is_selected_where_the_keyboard_is_on_another(chats: ConversationList) -> None:
    acts: list[object] = []
    chats.act_requested.connect(lambda act, ids: acts.append((act, ids)))
    chats.show_current(3)
    QTest.keyClick(chats, Qt.Key.Key_Down, Qt.KeyboardModifier.ShiftModifier)
    QTest.keyClick(chats, Qt.Key.Key_Down, Qt.KeyboardModifier.ControlModifier)
    assert chats.currentIndex() == chats.rows.index_of(1)
    chats.rows.refresh()
    press(chats, Qt.Key.Key_Delete)
    assert acts == [(ChatAct.DELETE, (3, 2))]


def type_title(view: ConversationList, number: int, typed: str) -> None:
    """Type a title in place."""
    view.edit_title(number)
    editor = view.findChild(QLineEdit)
    assert isinstance(editor, QLineEdit)
    editor.setText(typed)
    QTest.keyClick(editor, Qt.Key.Key_Return)


def test_a_title_is_typed_in_its_row(qtbot: QtBot, chats: ConversationList) -> None:
    with qtbot.waitSignal(chats.rows.rename_entered) as entered:
        type_title(chats, 2, "  A better  title ")
    assert entered.args == [2, "A better title"]


@pytest.mark.parametrize("typed", ["", "   ", "Two"])
def test_an_empty_or_equal_title_changes_nothing(qtbot: QtBot, chats: ConversationList, typed: str) -> None:
    with qtbot.assertNotEmitted(chats.rows.rename_entered):
        type_title(chats, 2, typed)
        qtbot.waitUntil(lambda: chats.state() != QAbstractItemView.State.EditingState)


def test_rows_stay_put_while_one_is_edited(qtbot: QtBot, chats: ConversationList, clock: StillClock) -> None:
    chats.edit_title(2)
    chats.rows.put(chat(1, "One again", at=clock.now() + 1))
    editor = chats.findChild(QLineEdit)
    assert isinstance(editor, QLineEdit)
    assert texts(chats)[-1] == "One"
    QTest.keyClick(editor, Qt.Key.Key_Escape)
    qtbot.waitUntil(lambda: texts(chats)[1] == "One again")


def test_a_chat_with_a_running_answer_says_so(chats: ConversationList) -> None:
    chats.rows.set_live(frozenset({3}))
    spoken = chats.rows.data(chats.rows.index_of(3), Qt.ItemDataRole.AccessibleTextRole)
    assert spoken == "Three, an answer is being written"
    chats.rows.set_live(frozenset({3}), frozenset({3}))
    spoken = chats.rows.data(chats.rows.index(1), Qt.ItemDataRole.AccessibleTextRole)
    assert spoken == "Three, waits for another answer to end"
    assert chats.rows.data(chats.rows.index_of(2), Qt.ItemDataRole.AccessibleTextRole) == "Two"


def test_a_removed_chat_takes_its_heading_along(chats: ConversationList) -> None:
    chats.rows.take(1)
    assert texts(chats) == ["[Today]", "Three", "Two"]


def test_a_long_title_does_not_widen_the_list(chats: ConversationList) -> None:
    chats.rows.retitle(3, "W" * 400)
    chats.grab()
    assert not chats.horizontalScrollBar().isVisible()
    assert chats.rows.data(chats.rows.index_of(3), Qt.ItemDataRole.ToolTipRole) == tooltip("W" * 400)


def test_the_keyboard_comes_to_the_first_chat(chats: ConversationList) -> None:
    chats.activateWindow()
    chats.setFocus(Qt.FocusReason.TabFocusReason)
    assert chats.currentIndex() == chats.rows.index_of(3)
    assert chats.selected_count() == 0
    for key, chat_ in ((Qt.Key.Key_End, 1), (Qt.Key.Key_Home, 3), (Qt.Key.Key_Up, 3), (Qt.Key.Key_Down, 2)):
        press(chats, key)
        assert chats.currentIndex() == chats.rows.index_of(chat_)


def test_shift_and_arrows_select_several_and_the_menu_is_for_all_of_them(chats: ConversationList) -> None:
    grown: list[int] = []
    chats.selection_grown.connect(grown.append)
    chats.show_current(3)
    QTest.keyClick(chats, Qt.Key.Key_Down, Qt.KeyboardModifier.ShiftModifier)
    QTest.keyClick(chats, Qt.Key.Key_Down, Qt.KeyboardModifier.ShiftModifier)
    assert [one.id for one in chats.selected_chats()] == [3, 2, 1]
    assert grown == [1, 2, 3]
    acts: list[object] = []
    chats.act_requested.connect(lambda act, ids: acts.append((act, ids)))
    press(chats, Qt.Key.Key_Delete)
    assert acts == [(ChatAct.DELETE, (3, 2, 1))]
    press(chats, Qt.Key.Key_Up)
    assert chats.selected_count() == 1


def test_a_selection_of_several_stays_when_a_chat_moves(chats: ConversationList, clock: StillClock) -> None:
    chats.selectAll()
    assert chats.selected_count() == 3
    chats.rows.put(chat(1, "One again", at=clock.now() + 1))
    assert [one.id for one in chats.selected_chats()] == [1, 3, 2]


def test_all_is_selected_also_what_is_read_later(qtbot: QtBot, chats: ConversationList) -> None:
    chats.rows.set_page([chat(9, "Nine", at=1.0e9)], append=True, has_more=True)
    with qtbot.waitSignal(chats.rows.more_wanted):
        chats.selectAll()
    with qtbot.waitSignal(chats.rows.more_wanted):
        chats.rows.set_page([chat(8, "Eight", at=9.0e8)], append=True, has_more=True)
    chats.rows.set_page([chat(7, "Seven", at=8.0e8)], append=True, has_more=False)
    assert chats.selected_count() == 6
    chats.show_current(3)
    chats.rows.set_page([chat(6, "Six", at=7.0e8)], append=True, has_more=False)
    assert chats.selected_count() == 1


def test_a_list_of_a_tag_or_of_the_archive_has_no_other_chats(chats: ConversationList, clock: StillClock) -> None:
    chats.rows.show_listing(Listing(tag="Work"))
    assert texts(chats) == []
    for number, tags in ((4, ("work",)), (5, ("play",)), (6, ("Work", "x"))):
        chats.rows.put(replace(chat(number, f"Chat {number}", at=clock.now() + number), tags=tags))
    assert texts(chats) == ["[Today]", "Chat 6", "Chat 4"]
    chats.rows.put(replace(chat(6, "Chat 6", at=clock.now()), tags=("x",)))
    chats.rows.put(replace(chat(4, "Chat 4", at=clock.now()), tags=("work",), archived=True))
    assert texts(chats) == []


def test_a_chat_of_a_page_that_is_not_loaded_waits_for_it(chats: ConversationList, clock: StillClock) -> None:
    chats.rows.set_page([], append=True, has_more=True)
    chats.rows.put(chat(0, "Zero", at=5.0))
    assert "Zero" not in texts(chats)
    chats.rows.put(chat(2, "Two", at=6.0))  # it has gone there
    assert texts(chats) == ["[Today]", "Three", *texts(chats)[2:]]
    assert "Two" not in texts(chats)


def test_a_tag_is_told_and_shown_beside_the_title(chats: ConversationList, clock: StillClock) -> None:
    chats.rows.put(replace(chat(3, "Three", at=clock.now()), tags=("a", "b & c")))
    spoken = chats.rows.data(chats.rows.index_of(3), Qt.ItemDataRole.AccessibleTextRole)
    assert spoken == "Three (tags: a, b & c)"
    metrics = chats.fontMetrics()
    wide = metrics.horizontalAdvance("W" * 100)
    assert [text for text, _ in shown_tags(("a", "b"), metrics, wide)] == ["a", "b"]
    assert [text for text, _ in shown_tags(("a", "b", "c"), metrics, metrics.horizontalAdvance("a+2") + 30)] == [
        "a",
        "+2",
    ]
    assert [text for text, _ in shown_tags(("W" * 40,), metrics, 5)] == ["+1"]


def test_rows_grow_with_the_font(chats: ConversationList) -> None:
    before = chats.rowHeight(1)
    font = chats.font()
    font.setPointSizeF(font.pointSizeF() * 2)
    chats.setFont(font)
    assert chats.rowHeight(1) > 1.5 * before
