"""What may stand in the place of a file."""

from __future__ import annotations

import fcntl
import os
from collections.abc import Callable
from pathlib import Path

import pytest

from llamachat.core.plain_file import open_lock_file, plain_file

SOON = pytest.mark.timeout(15)  # a pipe would be waited for until the end of the run


@SOON
@pytest.mark.parametrize("make", [os.mkfifo, os.mkdir], ids=["pipe", "folder"])
def test_what_is_no_file_is_refused(tmp_path: Path, make: Callable[[Path], None]) -> None:
    path = tmp_path / "x"
    make(path)
    with pytest.raises(OSError, match="no file"):
        plain_file(path)
    with pytest.raises(OSError, match=r"no file|directory"):
        open_lock_file(path)


@SOON
def test_a_device_is_refused(tmp_path: Path) -> None:
    path = tmp_path / "x"
    path.symlink_to("/dev/null")
    with pytest.raises(OSError, match="no file"):
        plain_file(path)
    with pytest.raises(OSError, match="no file"):
        open_lock_file(path)


def test_a_file_and_none_are_taken(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    path = tmp_path / "x"
    assert plain_file(path) == path
    path.write_text("words")
    assert plain_file(str(path)) == path
    monkeypatch.setenv("HOME", str(tmp_path))
    assert plain_file("~/x") == path


def test_a_home_that_nobody_has_is_told() -> None:
    with pytest.raises(OSError, match="no such user"):
        plain_file("~nobody-of-this-name/x")


def test_a_lock_file_is_made_and_what_stands_in_it_stays(tmp_path: Path) -> None:
    path = tmp_path / "x"
    with open_lock_file(path) as file:
        fcntl.flock(file, fcntl.LOCK_EX)
        with open_lock_file(path) as other, pytest.raises(BlockingIOError):
            fcntl.flock(other, fcntl.LOCK_EX | fcntl.LOCK_NB)
    path.write_text("words")
    open_lock_file(path).close()
    assert path.read_text() == "words"
