"""The window in which a summary is written, changed and used."""

from __future__ import annotations

from collections.abc import Callable, Iterator

import pytest
from PySide6.QtCore import Qt
from PySide6.QtTest import QTest
from PySide6.QtWidgets import QDialog, QMessageBox, QWidget
from pytestqt.qtbot import QtBot

from llamachat.chat.summary import Draft
from llamachat.core.errors import UserFacingError
from llamachat.ui.summary_dialog import SummaryDialog, first_message


@pytest.fixture
def dialog(qtbot: QtBot) -> Iterator[SummaryDialog]:
    """A dialog that waits for its summary."""
    owner = QWidget()
    qtbot.addWidget(owner)
    owner.show()
    made = SummaryDialog("Why twice?", owner)
    made.open()
    made.begin_writing()
    yield made
    owner.close()


def test_it_can_be_used_only_when_it_is_whole(dialog: SummaryDialog) -> None:
    begun: list[str] = []
    dialog.begun.connect(begun.append)
    assert not dialog.begin.isEnabled()
    dialog.show_draft(Draft(read=0.4))
    assert (dialog.progress.value(), dialog.progress.isVisible()) == (40, True)
    dialog.show_draft(Draft("It is about", 1.0))
    assert (dialog.summary.toPlainText(), dialog.summary.isReadOnly()) == ("It is about", True)
    QTest.keyClick(dialog, Qt.Key.Key_Return, Qt.KeyboardModifier.ControlModifier)
    assert begun == []
    dialog.finish(Draft("It is about tides.", 1.0))
    dialog.begin.click()
    dialog.begin.click()
    assert begun == ["Why twice?\n\nSummary of the chat before:\n\nIt is about tides."], "once"


def test_it_begins_anew_where_the_context_was_too_small(dialog: SummaryDialog) -> None:
    dialog.show_draft(Draft("It is about", 1.0))
    dialog.show_draft(Draft(shortened=True))
    assert dialog.summary.toPlainText() == ""
    dialog.finish(Draft("Tides.", 1.0, shortened=True))
    assert dialog.summary.toPlainText() == "Tides."
    assert "left out" in dialog.state.text()


@pytest.mark.parametrize("field", ["summary", "question"])
def test_without_one_of_the_texts_no_chat_begins(dialog: SummaryDialog, field: str) -> None:
    dialog.finish(Draft("Tides.", 1.0))
    assert dialog.begin.isEnabled()
    getattr(dialog, field).setPlainText(" ")
    assert not dialog.begin.isEnabled()


def test_where_it_fails_one_can_be_typed(dialog: SummaryDialog) -> None:
    dialog.fail(UserFacingError("No server.", "Start it."))
    assert dialog.state.text() == "No server. Start it."
    assert dialog.again.isEnabled()
    QTest.keyClicks(dialog.summary, "Tides.")
    assert dialog.begin.isEnabled()


@pytest.mark.parametrize("leave", [lambda dialog: QTest.keyClick(dialog, Qt.Key.Key_Escape), QDialog.close])
def test_no_text_that_was_changed_is_dropped_unasked(
    dialog: SummaryDialog, leave: Callable[[SummaryDialog], object]
) -> None:
    dialog.finish(Draft("Tides.", 1.0))
    QTest.keyClicks(dialog.summary, "x")
    leave(dialog)
    assert dialog.isVisible()
    (box,) = dialog.findChildren(QMessageBox)
    assert box.text() == "Throw your changes away?"
    next(button for button in box.buttons() if button.text() == "Throw away").click()
    assert not dialog.isVisible()


def test_esc_closes_at_once_while_it_is_written(dialog: SummaryDialog) -> None:
    dialog.show_draft(Draft("It is about", 1.0))
    QTest.keyClick(dialog, Qt.Key.Key_Escape)
    assert not dialog.isVisible()


def test_every_part_has_a_name_for_a_screen_reader(dialog: SummaryDialog) -> None:
    assert (dialog.summary.accessibleName(), dialog.question.accessibleName()) == ("Summary", "Question")


def test_the_title_of_the_new_chat_comes_from_the_question() -> None:
    assert first_message(" Why? \n", "Half \ud800 a text").split("\n")[0] == "Why?"
    assert "\ud800" not in first_message("Why?", "\ud800")
