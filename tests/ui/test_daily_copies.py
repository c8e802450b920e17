"""While the window is open the history is copied once a day; what goes wrong is told once."""

from __future__ import annotations

from pathlib import Path

from PySide6.QtCore import QObject
from pytestqt.qtbot import QtBot

from llamachat.core.cancel import CancelToken
from llamachat.core.errors import UserFacingError
from llamachat.storage.database import Database
from llamachat.ui.daily_copies import DailyCopies
from llamachat.ui.tasks import Lane
from tests.fakes.still_clock import StillClock


def test_each_day_gives_a_copy_and_trouble_is_told_once(qtbot: QtBot, owner: QObject, tmp_path: Path) -> None:
    clock, told, done = StillClock(), list[UserFacingError](), list[int]()
    path = tmp_path / "llamachat.db"
    lane = Lane[CancelToken]("copies", opened=CancelToken, closed=lambda _: None, failed=told.append, parent=owner)
    copies = DailyCopies(lambda: Database.open(path, clock=clock), lane, owner)

    def copy_and_wait() -> None:
        copies.copy()
        lane.read(lambda _: None, lambda _: done.append(1))
        before = len(done)
        qtbot.waitUntil(lambda: len(done) > before)

    folder = tmp_path / "backups"
    for days in (1, 1, 2):
        if days == 2:
            clock.move(86400)
        copy_and_wait()
        assert len(list(folder.iterdir())) == days
    clock.move(86400)
    folder.rename(tmp_path / "moved")
    folder.write_text("a file in the place of the folder")
    copy_and_wait()
    copy_and_wait()
    assert [error.sentence.split(":")[0] for error in told] == ["No copy of the history could be made"]
    folder.unlink()
    copy_and_wait()
    assert len(list(folder.iterdir())) == 1
    assert lane.close()
