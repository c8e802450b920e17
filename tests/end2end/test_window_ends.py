"""The window is ended from outside whatever goes on: it ends cleanly, and what there was of the answer is kept."""

from __future__ import annotations

import signal
import socket
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest

from llamachat.core.messages import Role, Status
from llamachat.storage.conversations import list_conversations
from llamachat.storage.database import Database
from llamachat.storage.messages import load_branch
from tests.end2end.test_window_process import Window
from tests.fakes.scripted_llama import ScriptedLlama, says, searches

pytestmark = pytest.mark.slow


@contextmanager
def silent_server() -> Iterator[tuple[str, threading.Event]]:
    """The address of something that takes every request and never answers, and whether one came."""
    asked, held = threading.Event(), list[socket.socket]()
    listener = socket.create_server(("127.0.0.1", 0))

    def take() -> None:
        while True:
            try:
                held.append(listener.accept()[0])
            except OSError:
                return
            asked.set()

    thread = threading.Thread(target=take)
    thread.start()
    try:
        yield f"http://127.0.0.1:{listener.getsockname()[1]}", asked
    finally:
        listener.shutdown(socket.SHUT_RDWR)
        listener.close()
        thread.join()
        for connection in held:
            connection.close()


def answer_in(folder: Path) -> tuple[str, Status]:
    """The text and the status of the only answer."""
    with Database.open(folder / "data" / "llamachat.db", check=True) as db:
        assert db.report.sentences == ()
        question, answer = load_branch(db, list_conversations(db)[0].id)
        assert (question.role, question.content) == (Role.USER, "One")
        return answer.content, answer.status


def end(window: Window) -> None:
    """Have the system end it."""
    window.process.send_signal(signal.SIGTERM)
    assert window.line() == "closed"
    assert window.end() == (0, [])


def test_while_the_first_word_is_waited_for(tmp_path: Path) -> None:
    never = threading.Event()
    with ScriptedLlama([never, *says("Hello")]) as llama:
        with Window(tmp_path / "p", llama.base_url, ask="One") as window:
            assert window.line() == "shown"
            while not llama.asked:
                assert not never.wait(0.01)
            end(window)
        never.set()
    assert answer_in(tmp_path / "p") == ("", Status.INTERRUPTED)


def test_while_a_search_engine_does_not_answer(tmp_path: Path) -> None:
    folder = tmp_path / "p"
    folder.mkdir()
    with silent_server() as (address, asked), ScriptedLlama([*says("I look it up. "), *searches("bees")]) as llama:
        more = f'search_enabled = true\nsearch_url = "{address}"\n'
        with Window(folder, llama.base_url, ask="One", more=more) as window:
            assert window.line() == "shown"
            assert asked.wait(30)
            end(window)
    text, status = answer_in(folder)
    assert (text.strip(), status) == ("I look it up.", Status.INTERRUPTED)


def test_while_another_program_holds_the_history(tmp_path: Path) -> None:
    gate, never = threading.Event(), threading.Event()
    with ScriptedLlama([*says("The first half " * 20), gate, *says("and the second."), never]) as llama:
        with Window(tmp_path / "p", llama.base_url, ask="One") as window:
            assert [window.line(), window.line()] == ["shown", "streaming"]
            with Database.open(tmp_path / "p" / "data" / "llamachat.db") as other:
                while not load_branch(other, 1)[-1].content:
                    assert not never.wait(0.01)
                other.connection.execute("BEGIN EXCLUSIVE")
                gate.set()
                window.process.send_signal(signal.SIGTERM)
                assert window.process.wait(60) == 0  # it does not wait for the other program
                other.connection.execute("ROLLBACK")
        never.set()
    text, status = answer_in(tmp_path / "p")
    assert text.startswith("The first half ")
    assert status in (Status.STREAMING, Status.INTERRUPTED)  # else the next start marks it
