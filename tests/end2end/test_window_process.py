"""The window as a process: one for each profile, whatever became of the one before; ends cleanly on a signal."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
from collections.abc import Iterator
from contextlib import ExitStack
from pathlib import Path

import pytest

from llamachat.core.messages import Status
from llamachat.storage.conversations import list_conversations
from llamachat.storage.database import Database
from llamachat.storage.messages import load_branch
from tests.integration.llama_server import ParrotServer

ROOT = Path(__file__).resolve().parent.parent.parent
LIMIT_S = 60
RAISED = "llamachat is running already: its window was brought to the front."
pytestmark = pytest.mark.slow


class Window:
    """A process with a window."""

    def __init__(self, folder: Path, base_url: str, *, ask: str = "", more: str = "") -> None:
        folder.mkdir(exist_ok=True)
        (folder / "config.toml").write_text(f'base_url = "{base_url}"\n{more}')
        command = [sys.executable, "-m", "tests.end2end.window_process", str(folder), "--ask", ask]
        environment = {**os.environ, "QT_QPA_PLATFORM": "offscreen", "QT_LOGGING_RULES": "*.debug=false"}
        self.process = subprocess.Popen(
            command, cwd=ROOT, env=environment, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True
        )

    def line(self) -> str:
        """The next thing it tells; "" when it has ended."""
        assert self.process.stdout is not None
        return self.process.stdout.readline().strip()

    def end(self) -> tuple[int, list[str]]:
        """The exit code and what it complained about, but for what the platform says of itself."""
        _, errors = self.process.communicate(timeout=LIMIT_S)
        return self.process.returncode, [line for line in errors.splitlines() if "This plugin does not" not in line]

    def __enter__(self) -> Window:
        return self

    def __exit__(self, *_: object) -> None:
        self.process.kill()
        self.process.wait()
        for pipe in (self.process.stdout, self.process.stderr):
            assert pipe is not None
            pipe.close()


@pytest.fixture
def things() -> Iterator[ExitStack]:
    """What is ended at the end."""
    with ExitStack() as things:
        yield things


@pytest.mark.parametrize("number", [signal.SIGTERM, signal.SIGINT, signal.SIGHUP])
def test_a_signal_while_an_answer_streams_ends_it_cleanly(
    things: ExitStack, tmp_path: Path, parrot_server: ParrotServer, number: signal.Signals
) -> None:
    window = things.enter_context(Window(tmp_path / "p", parrot_server.base_url, ask="Without end. " * 200))
    assert [window.line(), window.line()] == ["shown", "streaming"]
    window.process.send_signal(number)
    assert window.line() == "closed"
    assert window.end() == (0, [])
    with Database.open(tmp_path / "p" / "data" / "llamachat.db") as db:
        answer = load_branch(db, list_conversations(db)[0].id)[-1]
    assert answer.status is Status.INTERRUPTED
    assert "end. Without" in answer.content


def test_a_second_start_raises_the_first_window(
    things: ExitStack, tmp_path: Path, parrot_server: ParrotServer
) -> None:
    first = things.enter_context(Window(tmp_path / "p", parrot_server.base_url))
    assert first.line() == "shown"
    second = things.enter_context(Window(tmp_path / "p", parrot_server.base_url))
    assert second.line() == RAISED
    assert second.line() == "left"
    assert second.end() == (0, [])
    assert first.line() == "raised"
    first.process.send_signal(signal.SIGTERM)
    assert first.line() == "closed"
    assert first.end() == (0, [])


def test_another_profile_has_a_window_of_its_own(
    things: ExitStack, tmp_path: Path, parrot_server: ParrotServer
) -> None:
    windows = [things.enter_context(Window(tmp_path / name, parrot_server.base_url)) for name in ("a", "b")]
    assert [window.line() for window in windows] == ["shown", "shown"]


def test_a_start_after_a_crash(things: ExitStack, tmp_path: Path, parrot_server: ParrotServer) -> None:
    crashed = things.enter_context(Window(tmp_path / "p", parrot_server.base_url))
    assert crashed.line() == "shown"
    crashed.process.kill()
    crashed.process.wait()
    again = things.enter_context(Window(tmp_path / "p", parrot_server.base_url))
    assert again.line() == "shown"


def test_of_two_that_start_at_once_one_gets_a_window(
    things: ExitStack, tmp_path: Path, parrot_server: ParrotServer
) -> None:
    for attempt in range(3):
        windows = [things.enter_context(Window(tmp_path / str(attempt), parrot_server.base_url)) for _ in range(3)]
        assert sorted(window.line() for window in windows) == [RAISED, RAISED, "shown"]
