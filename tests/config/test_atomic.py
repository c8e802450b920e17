"""Replacing a file whole."""

from __future__ import annotations

import stat
from pathlib import Path

import pytest

from llamachat.config.atomic import replace_file


def test_a_new_file_is_for_its_owner_alone(tmp_path: Path) -> None:
    file = tmp_path / "new"
    replace_file(file, b"1")
    assert file.read_bytes() == b"1"
    assert stat.S_IMODE(file.stat().st_mode) == 0o600


def test_what_was_written_is_shown_before_it_counts(tmp_path: Path) -> None:
    file = tmp_path / "file"
    file.write_bytes(b"old")
    seen = []
    replace_file(file, b"new", check=lambda written: seen.append((written.read_bytes(), file.read_bytes())))
    assert seen == [(b"new", b"old")]
    assert file.read_bytes() == b"new"


def test_a_refusal_leaves_the_old_file_and_nothing_else(tmp_path: Path) -> None:
    file = tmp_path / "file"
    file.write_bytes(b"old")

    def refuse(_: Path) -> None:
        raise ValueError("no")

    with pytest.raises(ValueError, match="no"):
        replace_file(file, b"new", check=refuse)
    assert file.read_bytes() == b"old"
    assert list(tmp_path.iterdir()) == [file]


def test_a_folder_is_not_replaced(tmp_path: Path) -> None:
    folder = tmp_path / "folder"
    folder.mkdir()
    with pytest.raises(OSError, match="folder"):
        replace_file(folder, b"new")
    assert list(tmp_path.iterdir()) == [folder]
