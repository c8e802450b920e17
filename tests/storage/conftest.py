"""A real database in a temporary folder, with a clock that tests move."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest

from llamachat.storage.database import Database
from tests.fakes.still_clock import StillClock


@pytest.fixture
def clock() -> StillClock:
    """The time of `db`."""
    return StillClock()


@pytest.fixture
def path(tmp_path: Path) -> Path:
    """Where a database may be made."""
    return tmp_path / "llamachat.db"


@pytest.fixture
def db(path: Path, clock: StillClock) -> Iterator[Database]:
    """An empty database."""
    with Database.open(path, clock=clock) as database:
        yield database
