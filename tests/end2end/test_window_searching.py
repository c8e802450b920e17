"""The window while a search is held up: it can be used, and what goes on is told in both places."""

from __future__ import annotations

import json
import socket
import threading
from pathlib import Path

import pytest
from PySide6.QtTest import QTest
from pytestqt.qtbot import QtBot

from tests.end2end.stage import Stage, stage
from tests.fakes.replay import answer, replay
from tests.fakes.scripted_llama import ScriptedLlama, says, searches

FOUND = {"results": [{"title": "Tides", "url": "https://tides.example/", "content": "Noon."}]}
FINDS = answer(200, {"Content-Type": "application/json"}, json.dumps(FOUND).encode())


def text_of(shown: Stage) -> str:
    """What the reader sees."""
    return shown.window.page.view.toPlainText()


@pytest.mark.claim("LC-019", "LC-018", "LC-030", "ST-010")
def test_while_a_search_is_held_up_one_can_type_and_its_block_comes_when_it_is_done(
    qtbot: QtBot, tmp_path: Path
) -> None:
    go_on = threading.Event()

    def held(connection: socket.socket, closing: threading.Event) -> None:
        go_on.wait(20)
        FINDS(connection, closing)

    with replay(held) as searxng, ScriptedLlama(searches("high tide"), says("At noon [1].")) as llama:
        config = f'base_url = "{llama.base_url}"\nsearch_enabled = true\nsearch_url = "{searxng.url}"\n'
        with stage(tmp_path / "p", config) as shown:
            shown.ask("When?", wait=False)
            shown.until(lambda: shown.window.status.text().startswith("searching: high tide… · SearXNG · "))
            shown.until(lambda: "searching: high tide… · SearXNG · " in text_of(shown))
            assert len(llama.asked) == 1
            QTest.keyClicks(shown.window.page.composer.edit, "And the next one?")
            assert shown.window.page.composer.text == "And the next one?"
            assert "searched:" not in text_of(shown)
            go_on.set()
            shown.until(shown.idle)
            assert "▸ searched: high tide (1 result)" in text_of(shown)
            assert "searching:" not in text_of(shown) + shown.window.status.text()
            assert len(llama.asked) == 2
            assert shown.window.page.composer.text == "And the next one?"
