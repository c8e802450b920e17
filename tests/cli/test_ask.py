"""Ctrl-C and its like while a turn runs."""

from __future__ import annotations

import json
import signal
import threading
from pathlib import Path

import pytest

from llamachat.cli.ask import interrupt_stops
from llamachat.cli.main import main
from llamachat.core.cancel import CancelToken
from tests.fakes.sse_server import DONE, Reply, SseServer, content, event, finish, http, stream_head


@pytest.mark.parametrize("number", [signal.SIGINT, signal.SIGTERM, signal.SIGHUP])
def test_a_signal_sets_the_token_from_another_thread(number: signal.Signals) -> None:
    """The main thread may hold the token's lock when the signal comes: a handler that waits for it would hang."""
    cancel, called = CancelToken(), threading.Event()
    callers: list[threading.Thread] = []

    def note() -> None:
        callers.append(threading.current_thread())
        called.set()

    before = signal.getsignal(number)
    with interrupt_stops(cancel), cancel.on_cancel(note):
        signal.raise_signal(number)
        assert called.wait(60)
    assert threading.main_thread() not in callers
    assert cancel.cancelled
    assert signal.getsignal(number) is before


def test_a_signal_that_the_caller_had_ignored_stays_ignored() -> None:
    """`nohup llamachat ask` goes on when the terminal closes."""
    before = signal.signal(signal.SIGHUP, signal.SIG_IGN)
    try:
        with interrupt_stops(CancelToken()):
            assert signal.getsignal(signal.SIGHUP) is signal.SIG_IGN
        assert signal.getsignal(signal.SIGHUP) is signal.SIG_IGN
    finally:
        signal.signal(signal.SIGHUP, before)


def refused(status: int, words: str) -> Reply:
    """A server that does not take the request."""
    return [http(json.dumps({"error": {"message": words}}), status=status)]


FAILURES: dict[str, tuple[Reply, str]] = {
    "no answer": ([stream_head(), finish(), DONE], "Ask again, or in other words."),
    "broken off": ([stream_head(), content("Half an")], "Ask again; if the server has stopped, start it anew."),
    "only thinking": (
        [stream_head(), event(choices=[{"delta": {"reasoning_content": "Hm. Let me"}}]), finish("length"), DONE],
        "Set a higher max_tokens ",
    ),
    "no such model": (refused(404, "model not found"), "Name another one with --model."),
    "no tools": (refused(400, "tools are not supported"), "Use --search off, "),
    "too long": (refused(400, "exceed_context_size"), "Ask without --conversation, "),
    "another": (refused(500, "Out of memory."), "Try again; the server's own output may say more."),
}


@pytest.mark.parametrize(("reply", "step"), FAILURES.values(), ids=FAILURES)
def test_what_to_do_next_is_said_for_a_command_line(
    tmp_path: Path, capsys: pytest.CaptureFixture[str], reply: Reply, step: str
) -> None:
    with SseServer([http("{}")], reply) as server:
        (tmp_path / "config.toml").write_text(f'base_url = "{server.base_url}"\n', encoding="utf-8")
        places = ["--config", str(tmp_path / "config.toml"), "--data-dir", str(tmp_path / "data")]
        assert main([*places, "ask", "--model", "m", "When?"]) == 1
    said = capsys.readouterr().err
    assert step in said
    for word in ("Retry", "Continue", "from the list", "new chat", "of this chat"):
        assert word not in said


def test_an_answer_that_was_cut_is_printed_and_what_to_do_about_it_said(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    with SseServer([http("{}")], [stream_head(), content("Half an"), finish("length"), DONE]) as server:
        (tmp_path / "config.toml").write_text(f'base_url = "{server.base_url}"\n', encoding="utf-8")
        places = ["--config", str(tmp_path / "config.toml"), "--data-dir", str(tmp_path / "data")]
        assert main([*places, "ask", "--model", "m", "When?"]) == 0
    printed = capsys.readouterr()
    assert printed.out == "Half an\n"
    assert "the token limit was reached. Ask for the rest with --conversation ID" in printed.err
