"""The door that lets a second start find the first window."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest
from PySide6.QtNetwork import QLocalServer
from pytestqt.qtbot import QtBot

from llamachat.config.paths import Paths
from llamachat.ui.application import Door


@pytest.fixture
def paths(tmp_path: Path) -> Paths:
    """A profile."""
    return Paths(tmp_path / "config.toml", tmp_path / "data", tmp_path / "cache", tmp_path / "run")


@pytest.fixture
def hung(qtbot: QtBot, paths: Paths) -> Iterator[QLocalServer]:
    """A program that listens where a door of this profile would, and never answers."""
    with_name = Door(paths)
    server = QLocalServer()
    assert server.listen(with_name.name)
    yield server
    server.close()


def never() -> bool:
    """Nobody is to be asked."""
    raise AssertionError


def test_the_first_gets_in_and_makes_the_folder(qtbot: QtBot, paths: Paths) -> None:
    door = Door(paths)
    assert door.enter(take_over=never)
    assert paths.runtime_dir.stat().st_mode & 0o077 == 0
    door.close()


@pytest.mark.parametrize("taken", [False, True])
def test_one_that_does_not_answer_is_taken_over_only_when_asked(
    qtbot: QtBot, paths: Paths, hung: QLocalServer, *, taken: bool
) -> None:
    asked: list[bool] = []

    def answer() -> bool:
        asked.append(True)
        return taken

    door = Door(paths, patience_ms=100)
    assert door.enter(take_over=answer) is taken
    assert asked == [True]
    door.close()


def test_a_file_left_by_a_crash_is_no_obstacle(qtbot: QtBot, paths: Paths) -> None:
    door = Door(paths)
    paths.runtime_dir.mkdir(exist_ok=True)
    Path(door.name).write_text("left behind")
    assert door.enter(take_over=never)
    door.close()


def test_a_folder_with_a_very_long_name_gets_a_shorter_socket(qtbot: QtBot, tmp_path: Path) -> None:
    deep = tmp_path / ("long" * 40)
    door = Door(Paths(deep / "config.toml", deep / "data", deep / "cache", deep / "run"))
    assert "/" not in door.name
    assert door.enter(take_over=never)
    door.close()


def test_a_folder_that_cannot_be_made_is_no_obstacle(qtbot: QtBot, tmp_path: Path) -> None:
    (tmp_path / "file").write_text("in the way")
    door = Door(Paths(tmp_path / "c", tmp_path / "data", tmp_path / "cache", tmp_path / "file" / "run"))
    assert door.enter(take_over=never)
    door.close()


def test_profiles_have_doors_of_their_own(qtbot: QtBot, paths: Paths, tmp_path: Path) -> None:
    other = Paths(paths.config_file, tmp_path / "other", paths.cache_dir, paths.runtime_dir)
    assert Door(paths).name != Door(other).name
