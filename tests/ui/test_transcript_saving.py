"""Saving code from the transcript."""

from __future__ import annotations

from pathlib import Path

import pytest
from PySide6.QtWidgets import QToolTip, QWidget
from pytestqt.qtbot import QtBot

from llamachat.core.messages import StoredMessage
from llamachat.ui.transcript.view import TranscriptView
from tests.ui.transcript_pages import answer, follow, question

CODE = "def f():\n\treturn 1\n"
TEXT = f"Here:\n\n- in a list\n\n  ```py\n  {CODE.replace(chr(10), chr(10) + '  ').rstrip()}\n  ```\n"


class Chooser:
    """Stands where the dialog would be."""

    def __init__(self, path: str) -> None:
        self.path = path
        self.suggested = ""

    def __call__(self, _parent: QWidget, name: str) -> str:
        self.suggested = name
        return self.path


@pytest.mark.parametrize("message", [answer(2, TEXT), question(1, f"see\n```py\n{CODE}```")])
def test_code_is_saved_exactly_where_the_reader_says(qtbot: QtBot, tmp_path: Path, message: StoredMessage) -> None:
    path = tmp_path / "x.py"
    chooser = Chooser(str(path))
    view = TranscriptView(choose_file=chooser)
    qtbot.addWidget(view)
    view.set_messages([message])
    follow(view, "Save as")
    assert path.read_bytes() == CODE.encode()
    assert chooser.suggested == "code.py"


def test_nothing_is_written_when_no_file_is_chosen(qtbot: QtBot, tmp_path: Path) -> None:
    view = TranscriptView(choose_file=Chooser(""))
    qtbot.addWidget(view)
    view.set_messages([answer(2, "```\nx\n```")])
    follow(view, "Save as")
    assert list(tmp_path.iterdir()) == []


def test_a_file_that_cannot_be_written_is_told(qtbot: QtBot, tmp_path: Path) -> None:
    chooser = Chooser(str(tmp_path / "none" / "x"))
    view = TranscriptView(choose_file=chooser)
    qtbot.addWidget(view)
    view.show()
    view.set_messages([answer(2, "```nothing\nx\n```")])
    follow(view, "Save as")
    assert chooser.suggested == "code.txt"
    assert "could not be written" in QToolTip.text()
