"""A file is there as a whole or not at all."""

from __future__ import annotations

import os
import stat
import sys
from contextlib import suppress
from pathlib import Path

import pytest

from llamachat.core.whole_file import whole_file, whole_path


def test_what_is_broken_off_leaves_what_was_there(tmp_path: Path) -> None:
    path = tmp_path / "chat.md"
    path.write_text("before", encoding="utf-8")
    with suppress(KeyboardInterrupt), whole_file(path) as file:
        file.write("half")
        file.flush()
        assert path.read_text(encoding="utf-8") == "before"
        raise KeyboardInterrupt
    assert [(entry.name, entry.read_text()) for entry in tmp_path.iterdir()] == [("chat.md", "before")]


def test_a_link_and_the_permissions_stay(tmp_path: Path) -> None:
    path, link = tmp_path / "chat.md", tmp_path / "link.md"
    path.touch(mode=0o640)
    path.chmod(0o640)
    link.symlink_to(path)
    with whole_file(link) as file:
        file.write("é\n")
    assert (link.is_symlink(), path.read_bytes()) == (True, "é\n".encode())
    assert stat.S_IMODE(path.stat().st_mode) == 0o640


def test_a_new_file_may_be_read_as_new_files_are(tmp_path: Path) -> None:
    (tmp_path / "usual").touch()
    with whole_path(tmp_path / ("蜂" * 80)) as beside:
        beside.write_bytes(b"x")
    usual, new = ((tmp_path / name).stat().st_mode for name in ("usual", "蜂" * 80))
    assert usual == new


def test_nobody_else_reads_a_new_text_in_the_place_of_a_private_one(tmp_path: Path) -> None:
    path = tmp_path / "chat.md"
    path.touch(mode=0o600)
    with whole_path(path) as beside:
        assert stat.S_IMODE(beside.stat().st_mode) == 0o600


def test_files_that_other_threads_make_meanwhile_stay_private(tmp_path: Path) -> None:
    """The umask is one for the whole process: it is not even touched for a moment."""
    called: list[object] = []
    sys.setprofile(lambda _frame, event, what: called.append(what) if event == "c_call" else None)
    try:
        with whole_file(tmp_path / "chat.md") as file:
            file.write("x")
    finally:
        sys.setprofile(None)
    assert os.replace in called
    assert os.umask not in called


def test_a_pipe_is_written_to(tmp_path: Path) -> None:
    reading, writing = os.pipe()
    with whole_file(Path(f"/dev/fd/{writing}")) as file:
        file.write("x")
    assert os.read(reading, 9) == b"x"
    os.close(reading)
    os.close(writing)


def test_a_folder_that_is_not_there_is_an_os_error(tmp_path: Path) -> None:
    with pytest.raises(OSError, match="No such file"), whole_file(tmp_path / "none" / "x"):
        pass
