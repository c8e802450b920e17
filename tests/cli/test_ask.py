"""`llamachat ask`: Ctrl-C and its like, what to do after a failure, the model that is asked, what is stored."""

from __future__ import annotations

import json
import signal
import threading
from pathlib import Path

import pytest

from llamachat.cli.ask import interrupt_stops
from llamachat.cli.main import main
from llamachat.core.cancel import CancelToken
from llamachat.storage.conversations import LAST_MODEL, create_conversation, list_conversations, set_state
from llamachat.storage.database import Database
from llamachat.storage.fulltext import search_history
from llamachat.storage.messages import load_branch
from tests.fakes.scripted_llama import Answer, ScriptedLlama, says
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


def asking(folder: Path, server: ScriptedLlama, *words: str) -> int:
    """Ask with files in that folder; the exit code."""
    (folder / "config.toml").write_text(f'base_url = "{server.base_url}"\n', encoding="utf-8")
    return main(["--config", str(folder / "config.toml"), "--data-dir", str(folder / "data"), "ask", *words])


def history(folder: Path) -> Database:
    return Database.open(folder / "data" / "llamachat.db")


TWO = [("first", "unloaded"), ("second", "loaded")]


@pytest.mark.parametrize("more", [(), ("--no-save",)])
def test_of_several_models_the_one_chosen_last_in_the_window_is_asked(tmp_path: Path, more: tuple[str, ...]) -> None:
    with history(tmp_path) as db:
        set_state(db, LAST_MODEL, "second")
    with ScriptedLlama(says("Noon."), models=TWO) as server:
        assert asking(tmp_path, server, *more, "When?") == 0
        assert [body["model"] for body in server.asked] == ["second"]


@pytest.mark.parametrize("last", ["", "gone"])
def test_without_one_the_models_on_offer_are_named_and_the_question_is_not_stored(
    tmp_path: Path, capsys: pytest.CaptureFixture[str], last: str
) -> None:
    with history(tmp_path) as db:
        set_state(db, LAST_MODEL, last)
    with ScriptedLlama([(400, "model name is missing from the request")], models=TWO) as server:
        assert asking(tmp_path, server, "When?") == 1
    assert capsys.readouterr().err.endswith(" Name one with --model: first, second. The question was not stored.\n")
    with history(tmp_path) as db:
        assert (list_conversations(db), search_history(db, "when", limit=9)) == ([], [])


REFUSED: dict[str, Answer] = {"key": [(401, "wrong key")], "fault": [(500, "out of memory")]}


@pytest.mark.parametrize("answer", REFUSED.values(), ids=REFUSED)
def test_a_new_question_that_is_refused_is_not_stored_and_one_in_a_chat_is(
    tmp_path: Path, capsys: pytest.CaptureFixture[str], answer: Answer
) -> None:
    with ScriptedLlama(says("Noon."), answer) as server:
        assert asking(tmp_path, server, "When?") == 0
        assert asking(tmp_path, server, "And now?") == 1
        assert "The question was not stored." in capsys.readouterr().err
        assert asking(tmp_path, server, "--conversation", "1", "And then?") == 1
        assert "not stored" not in capsys.readouterr().err
        assert asking(tmp_path, server, "--no-save", "And never?") == 1
        assert "not stored" not in capsys.readouterr().err
        with history(tmp_path) as db:
            empty = create_conversation(db, title="Empty").id
        assert asking(tmp_path, server, "--conversation", str(empty), "The first?") == 1
    with history(tmp_path) as db:
        assert [chat.id for chat in list_conversations(db)] == [empty, 1]
        assert [message.content for message in load_branch(db, 1)] == ["When?", "Noon.", "And then?", ""]


def test_what_came_before_an_error_is_stored(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    with ScriptedLlama([*says("Half an"), (0, "")]) as server:
        assert asking(tmp_path, server, "When?") == 1
    assert "not stored" not in capsys.readouterr().err
    with history(tmp_path) as db:
        assert load_branch(db, 1)[-1].content == "Half an"
