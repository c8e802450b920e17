"""What cannot be opened is shown, to be copied."""

from __future__ import annotations

import pytest
from PySide6.QtCore import QUrl
from PySide6.QtWidgets import QApplication, QPushButton
from pytestqt.qtbot import QtBot

from llamachat.ui.notices import Notices
from llamachat.ui.opener import Opener


@pytest.mark.parametrize(
    ("url", "shown"),
    [
        (QUrl.fromLocalFile("/home/me/my notes/config.toml"), "/home/me/my notes/config.toml"),
        (QUrl("https://example.org/a%20b?c=d"), "https://example.org/a%20b?c=d"),
    ],
)
def test_without_a_program_the_address_is_shown_and_copied(qtbot: QtBot, url: QUrl, shown: str) -> None:
    notices = Notices()
    qtbot.addWidget(notices)
    opener = Opener(notices)
    opener.launch = lambda _: False
    assert not opener.open(url)
    assert notices.text("unopened").endswith(shown)
    copy = next(button for button in notices.findChildren(QPushButton) if button.text() == "Copy")
    copy.click()
    assert QApplication.clipboard().text() == shown

    opener.launch = lambda _: True
    assert opener.open(url)
    assert notices.text("unopened") == ""
