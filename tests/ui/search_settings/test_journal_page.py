"""The page of the journal: rows from the real store, page by page, and emptying it."""

from __future__ import annotations

from datetime import UTC
from functools import partial

from PySide6.QtCore import QModelIndex, QObject, Qt
from pytestqt.qtbot import QtBot

from llamachat.core.egress import Egress
from llamachat.storage.journal import JournalEntry, list_journal
from llamachat.ui.search_settings.journal_model import COLUMNS, JournalModel
from llamachat.ui.search_settings.journal_page import PAGE
from tests.ui.search_settings.conftest import Open, Opened

AT = 1_800_000_000.0  # 2027-01-15 08:00 UTC


def write(it: Opened, count: int) -> None:
    """So many rows, the newest with the highest number."""
    for number in range(count):
        it.app.journal.record(Egress(AT + number, "searx.example", "search", f"query {number}", outcome="ok"))
    it.app.journal.flush()


def look(it: Opened) -> None:
    """Turn to the page and wait for the store."""
    page = it.dialog.journal
    it.dialog.tabs.setCurrentWidget(page)
    it.until(lambda: bool(page.model.rowCount() or page.state.text()))


def has_rows(model: JournalModel, count: int) -> bool:
    return model.rowCount() == count


def test_a_row_says_when_whom_what_and_how_it_went(owner: QObject) -> None:
    model = JournalModel(owner, zone=UTC)
    row = Egress(AT, "r.jina.ai", "jina", "https://a.example/\n<b>", 1412, 20312, 1.234, "timed out", 7)
    model.set_page([JournalEntry(1, row)], has_more=False)
    cells = [model.data(model.index(0, column)) for column in range(COLUMNS)]
    assert cells == [
        "2027-01-15 08:00:00",
        "r.jina.ai",
        "page, by Jina",
        "https://a.example/ <b>",
        "1,412",
        "20,312",
        "timed out",
    ]
    heads = [model.headerData(column, Qt.Orientation.Horizontal) for column in range(COLUMNS)]
    assert heads == ["Time", "To", "What", "Query or address", "Out", "In", "Outcome"]
    assert "&lt;b&gt;" in str(model.data(model.index(0, 3), Qt.ItemDataRole.ToolTipRole))
    first, _, last = model.whole_row(0).split("\n")
    assert first == "2027-01-15 08:00:00 · page, by Jina · r.jina.ai · for answer 7"
    assert last == "timed out · 1,412 bytes out, 20,312 in, 1.23 s"
    assert model.whole_row(1) == ""


def test_rows_come_page_by_page_newest_first(opened: Open) -> None:
    it = opened()
    write(it, 2 * PAGE + 1)
    look(it)
    model = it.dialog.journal.model
    for rows in (PAGE, 2 * PAGE, 2 * PAGE + 1):
        it.until(partial(has_rows, model, rows))
        assert model.data(model.index(rows - 1, 3)) == f"query {2 * PAGE + 1 - rows}"
        model.fetchMore(QModelIndex())
    assert model.data(model.index(0, 3)) == f"query {2 * PAGE}"
    assert not model.canFetchMore(QModelIndex())


def test_older_rows_that_are_asked_for_come_also_where_the_newest_are_read_again(opened: Open) -> None:
    it = opened()
    write(it, PAGE + 1)
    look(it)
    page = it.dialog.journal
    page.model.fetchMore(QModelIndex())
    page.load()  # the window comes back in front
    it.until(partial(has_rows, page.model, PAGE + 1))


def test_older_rows_of_what_was_shown_before_do_not_come(opened: Open) -> None:
    it = opened()
    write(it, PAGE + 1)
    look(it)
    page = it.dialog.journal
    write(it, 1)
    page.load()
    page.model.fetchMore(QModelIndex())
    after: list[object] = []
    it.lanes.store.read(lambda _: None, after.append)
    it.until(lambda: bool(after))
    assert page.model.rowCount() == PAGE
    assert page.model.canFetchMore(QModelIndex())


def test_the_row_that_the_keyboard_is_on_is_told_in_full(opened: Open) -> None:
    it = opened()
    write(it, 2)
    look(it)
    page = it.dialog.journal
    assert not page.detail.isVisible()
    page.table.selectRow(1)
    assert "query 0" in page.detail.text()
    assert page.detail.isVisible()


def test_times_and_amounts_are_shown_whole(opened: Open) -> None:
    it = opened()
    it.app.journal.record(Egress(AT, "searx.example", "search", "tide", 1412, 92_870_112, 1.2, outcome="ok"))
    it.app.journal.flush()
    look(it)
    table = it.dialog.journal.table
    for column in (0, 4, 5):
        assert table.sizeHintForColumn(column) <= table.columnWidth(column)


def test_rows_stay_where_they_are_until_there_is_a_new_one(opened: Open) -> None:
    it = opened()
    write(it, PAGE + 1)
    look(it)
    page = it.dialog.journal
    page.model.fetchMore(QModelIndex())
    it.until(lambda: page.model.rowCount() == PAGE + 1)
    page.table.selectRow(PAGE)
    page.load()
    after: list[object] = []
    it.lanes.store.read(lambda _: None, after.append)
    it.until(lambda: bool(after))
    assert page.model.rowCount() == PAGE + 1
    assert "query 0" in page.detail.text()
    newest = page.model.newest_id
    write(it, 1)
    page.load()
    it.until(lambda: page.model.newest_id != newest)
    assert page.detail.text() == ""


def test_it_is_emptied_after_asking(opened: Open) -> None:
    it = opened()
    write(it, 3)
    look(it)
    page = it.dialog.journal
    page.clear.click()
    it.answer("Cancel")
    page.clear.click()
    it.answer("Empty the journal")
    it.until(lambda: page.model.rowCount() == 0)
    with it.app.database() as db:
        assert list_journal(db) == []
    assert not page.clear.isEnabled()


def test_the_switch_is_applied_like_the_rest(opened: Open) -> None:
    it = opened()
    it.dialog.tabs.setCurrentWidget(it.dialog.journal)
    it.dialog.journal.switch.box.click()
    it.apply()
    write(it, 1)
    with it.app.database() as db:
        assert list_journal(db) == []


def test_an_empty_journal_says_so(qtbot: QtBot, opened: Open) -> None:
    it = opened()
    look(it)
    assert "Nothing has left this computer" in it.dialog.journal.state.text()
