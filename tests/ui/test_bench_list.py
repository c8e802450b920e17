"""The figure of the list is measured: it stands here because it needs the window's list."""

from __future__ import annotations

from pathlib import Path

import pytest
from pytestqt.qtbot import QtBot

from llamachat.ui.list_control import PAGE
from tests.bench.history_list import list_figure
from tests.bench.history_store import make_history
from tests.bench.history_texts import Texts


@pytest.mark.slow
def test_the_list_of_all_chats_is_measured(qtbot: QtBot, tmp_path: Path) -> None:
    path = tmp_path / "history.db"
    make_history(path, messages=2000 + 4 * PAGE, chats=4 * PAGE, texts=Texts(1))
    figure = list_figure(path)
    assert sum(bar.clock == "wall" for bar in figure.bars) > 1
    assert all(bar.value > 0 for bar in figure.bars)
