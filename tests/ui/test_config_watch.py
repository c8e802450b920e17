"""Following config.toml: rewritten, renamed over, removed, made again; and the words for it."""

from __future__ import annotations

from pathlib import Path

import pytest
from PySide6.QtCore import QObject
from pytestqt.qtbot import QtBot

from llamachat.app import Reconfigured
from llamachat.config.problem import Problem
from llamachat.ui.config_watch import ConfigWatch, edit_text, problem_text


@pytest.fixture
def path(tmp_path: Path) -> Path:
    """A settings file."""
    path = tmp_path / "config.toml"
    path.write_text("a = 1\n")
    return path


def rename_over(path: Path, text: str) -> None:
    """Replace a file as careful editors do."""
    other = path.with_suffix(".new")
    other.write_text(text)
    other.replace(path)


def test_every_way_of_writing_is_noticed(qtbot: QtBot, owner: QObject, path: Path) -> None:
    watch = ConfigWatch(path, owner)
    with qtbot.waitSignal(watch.edited):
        path.write_text("a = 22\n")
    for text in ("a = 333\n", "a = 4444\n"):
        with qtbot.waitSignal(watch.edited):
            rename_over(path, text)
    with qtbot.waitSignal(watch.edited):
        path.unlink()
    with qtbot.waitSignal(watch.edited):
        path.write_text("a = 55555\n")
    with qtbot.waitSignal(watch.edited):
        path.write_text("a = 666666\n")


def test_other_files_in_the_folder_are_nothing_new(qtbot: QtBot, owner: QObject, path: Path) -> None:
    watch = ConfigWatch(path, owner)
    with qtbot.assertNotEmitted(watch.edited, wait=400):
        (path.parent / "other.toml").write_text("b = 1\n")


def test_a_file_that_is_made_later_is_noticed(qtbot: QtBot, owner: QObject, tmp_path: Path) -> None:
    watch = ConfigWatch(tmp_path / "config.toml", owner)
    with qtbot.waitSignal(watch.edited):
        (tmp_path / "config.toml").write_text("a = 1\n")


def test_an_edit_is_told_in_a_sentence() -> None:
    assert edit_text(Reconfigured((), ())) == ""
    assert edit_text(Reconfigured(("theme", "top_k"), ())) == "Settings reloaded: theme, top_k."
    both = edit_text(Reconfigured(("theme",), ("data",)))
    assert both == "Settings reloaded: theme. In force after a restart: data."


def test_a_mistake_is_told_with_line_key_and_what_follows() -> None:
    path = Path("/x/config.toml")
    assert problem_text(path, (), savable=True) == ""
    wrong = Problem(3, "top_k", "it must be a whole number.")
    text = problem_text(path, [wrong], savable=False)
    assert text.startswith(f"config.toml: {wrong}")
    assert "does not change the file" in text
    assert "does not change the file" not in problem_text(path, [wrong], savable=True)


def test_many_mistakes_are_cut_short() -> None:
    text = problem_text(Path("config.toml"), [Problem(n, f"k{n}", "wrong.") for n in range(1, 8)], savable=True)
    assert text.endswith("And 3 more.")
