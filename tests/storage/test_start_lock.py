"""The lock of the start: something else than a file in its place ends in a sentence, and holds nothing up."""

from __future__ import annotations

import os
from collections.abc import Callable
from pathlib import Path

import pytest

from llamachat.core.errors import StorageError
from llamachat.storage.database import Database


def _device(path: Path) -> None:
    path.symlink_to("/dev/zero")


def _itself(path: Path) -> None:
    path.symlink_to(path)


MAKES: dict[str, Callable[[Path], None]] = {
    "pipe": os.mkfifo,
    "folder": os.mkdir,
    "device": _device,
    "link to itself": _itself,
}


@pytest.mark.timeout(15)
@pytest.mark.parametrize("make", MAKES.values(), ids=MAKES)
@pytest.mark.parametrize("check", [True, False])
def test_what_is_no_file_is_named(tmp_path: Path, make: Callable[[Path], None], *, check: bool) -> None:
    lock = tmp_path / "history.db.lock"
    make(lock)
    with pytest.raises(StorageError) as caught:
        Database.open(tmp_path / "history.db", check=check)
    assert str(lock) in caught.value.sentence
    assert "Remove it" in caught.value.next_step
