"""The button of the system prompt: which one it is, which others there are, texts that the settings do not have."""

from __future__ import annotations

from collections.abc import Iterator

import pytest
from PySide6.QtCore import Qt
from PySide6.QtWidgets import QDialog, QMessageBox, QWidget
from pytestqt.qtbot import QtBot

from llamachat.core.conversation import SystemPrompt
from llamachat.ui.labels import tooltip
from llamachat.ui.prompt_button import PromptButton
from llamachat.ui.prompt_dialog import PromptDialog

NONE, REVIEWER, POET = SystemPrompt(), SystemPrompt("reviewer", "You review."), SystemPrompt("R&D", "You rhyme.")
LAST = ["", "View or change it for this chat…", "More prompts in config.toml…"]


@pytest.fixture
def button(qtbot: QtBot) -> PromptButton:
    button = PromptButton()
    qtbot.addWidget(button)
    button.set_offers([NONE, REVIEWER, POET])
    return button


def lines(button: PromptButton) -> list[str]:
    """The menu as it opens now; the checked line in brackets."""
    button.menu().aboutToShow.emit()
    actions = button.menu().actions()
    return [f"[{action.text()}]" if action.isChecked() else action.text() for action in actions]


def test_it_says_which_prompt_the_chat_has(button: PromptButton) -> None:
    assert (button.text(), button.toolTip()) == ("No prompt", tooltip("The model is given no system prompt."))
    button.set_prompt(REVIEWER)
    assert (button.text(), button.accessibleName()) == ("reviewer", "System prompt: reviewer")
    assert button.toolTip() == tooltip("System prompt: reviewer\nYou review.")
    assert lines(button) == ["No prompt", "[reviewer]", "R&&D", *LAST]


def test_the_default_is_called_so_where_it_says_something(button: PromptButton) -> None:
    button.set_offers([SystemPrompt("", "Be brief."), REVIEWER])
    button.set_prompt(SystemPrompt("", "Be brief."))
    assert button.text() == "Default prompt"
    assert lines(button) == ["[Default prompt]", "reviewer", *LAST]


def test_another_one_is_chosen(qtbot: QtBot, button: PromptButton) -> None:
    lines(button)
    with qtbot.waitSignal(button.chosen) as chosen:
        button.menu().actions()[2].trigger()
    assert chosen.args == [POET]
    assert button.prompt == NONE  # until it is stored


def test_a_text_that_was_changed_in_the_settings_stays_and_the_new_one_is_offered(button: PromptButton) -> None:
    button.set_prompt(SystemPrompt("reviewer", "You reviewed."))
    assert lines(button) == [
        "[reviewer, as it was when it was chosen]", "No prompt", "reviewer: use its new text", "R&&D", *LAST,
    ]  # fmt: skip


def test_a_prompt_that_is_gone_from_the_settings_stays(button: PromptButton) -> None:
    button.set_prompt(SystemPrompt("poet", "You rhymed."))
    assert button.text() == "poet"
    assert lines(button)[0] == "[poet, which is no longer in config.toml]"


def test_a_text_of_the_chats_own_says_so(button: PromptButton) -> None:
    button.set_prompt(SystemPrompt("reviewer", "You review. Be kind.", edited=True))
    assert button.text() == "Own prompt"
    assert lines(button)[:3] == ["[This chat's own text]", "No prompt", "reviewer: back to the text of config.toml"]


def test_hostile_names_and_long_texts_stay_small(button: PromptButton) -> None:
    button.set_prompt(SystemPrompt("<b>x</b>\n" * 50, "<img src=x> " * 500))
    assert len(button.text()) < 40
    assert "\n" not in button.text()
    assert len(button.toolTip()) < 6000
    assert "<img" not in button.toolTip()


@pytest.fixture
def dialog(qtbot: QtBot) -> Iterator[PromptDialog]:
    window = QWidget()
    qtbot.addWidget(window)
    window.show()
    dialog = PromptDialog("You review.\nWell.", cost="It costs.", parent=window)
    dialog.setAttribute(Qt.WidgetAttribute.WA_DeleteOnClose, on=False)
    dialog.show()
    yield dialog
    window.close()


def test_esc_does_not_drop_a_changed_text(qtbot: QtBot, dialog: PromptDialog) -> None:
    changed: list[str] = []
    dialog.changed.connect(changed.append)
    assert not dialog.use.isEnabled()
    dialog.field.appendPlainText("Kindly.")
    dialog.close()
    assert dialog.isVisible()
    (box,) = dialog.findChildren(QMessageBox)
    assert box.text() == "Throw your changes away?"
    box.reject()
    assert dialog.close_button.text() == "Drop the change"
    dialog.use.click()
    assert changed == ["You review.\nWell.\nKindly."]
    assert dialog.result() == QDialog.DialogCode.Accepted


def test_esc_closes_where_nothing_was_changed(dialog: PromptDialog) -> None:
    dialog.reject()
    assert not dialog.isVisible()
