"""The command line as a function: how commands end."""

from __future__ import annotations

import io
import os
import signal
import subprocess
import sys
from pathlib import Path

import pytest

from llamachat.cli.main import main
from llamachat.storage.database import Database
from llamachat.storage.messages import load_branch
from tests.storage.stories import add_chat

ROOT = Path(__file__).resolve().parent.parent.parent


class Interrupted(io.StringIO):
    """A terminal at which Ctrl-C is pressed."""

    def read(self, size: int | None = -1, /) -> str:
        raise KeyboardInterrupt


def test_an_interrupt_while_the_question_is_typed_is_one_sentence(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setattr("sys.stdin", Interrupted())
    assert main(["ask", "-"]) == 1
    assert capsys.readouterr().err == "llamachat: Stopped.\n"


@pytest.mark.parametrize("arguments", [["ask", "Hi"], ["--version"], ["history", "list"]])
def test_an_interrupt_while_the_program_loads_is_not_a_word(tmp_path: Path, arguments: list[str]) -> None:
    (tmp_path / "platformdirs.py").write_text(
        "import threading; print('loads', flush=True); threading.Event().wait()"
    )
    command = [sys.executable, "-m", "llamachat", *arguments]
    environment = {**os.environ, "PYTHONPATH": f"{tmp_path}{os.pathsep}{ROOT}"}
    pipe = subprocess.PIPE
    with subprocess.Popen(command, stdout=pipe, stderr=pipe, env=environment, cwd=tmp_path) as process:
        assert process.stdout is not None
        assert process.stdout.readline() == b"loads\n"
        process.send_signal(signal.SIGINT)
        said = process.communicate(timeout=60)
    assert (process.returncode, said) == (-signal.SIGINT, (b"", b""))  # which a shell calls 130


def test_an_interrupt_behind_that_is_heard(tmp_path: Path) -> None:
    before = signal.signal(signal.SIGINT, signal.SIG_DFL)
    try:
        assert main(["--config", str(tmp_path / "config.toml"), "config", "path"]) == 0
        assert signal.getsignal(signal.SIGINT) is signal.default_int_handler
    finally:
        signal.signal(signal.SIGINT, before)


@pytest.mark.parametrize(
    ("closed", "code", "said"),
    [
        ("<&-", 1, ("", "llamachat: The question is empty. Give it as an argument, or pipe it in and use -.\n")),
        (">&-", 1, ("", "llamachat: The question is empty. Give it as an argument, or pipe it in and use -.\n")),
        ("<&- >&- 2>&-", 1, ("", "")),
    ],
)
def test_a_closed_stream_is_an_empty_one(tmp_path: Path, closed: str, code: int, said: tuple[str, str]) -> None:
    places = ["--config", str(tmp_path / "config.toml"), "--data-dir", str(tmp_path / "data")]
    command = ["sh", "-c", f'exec "$0" "$@" {closed}', sys.executable, "-m", "llamachat", *places, "ask", "-"]
    done = subprocess.run(command, input="", capture_output=True, text=True, timeout=60, check=False)
    assert (done.returncode, (done.stdout, done.stderr)) == (code, said)


def test_bytes_that_are_no_text_are_a_question_too(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setattr("sys.stdin", io.TextIOWrapper(io.BytesIO(b"caf\xe9"), encoding="utf-8"))
    (tmp_path / "config.toml").write_text('base_url = "http://127.0.0.1:9"\n', encoding="utf-8")
    places = ["--config", str(tmp_path / "config.toml"), "--data-dir", str(tmp_path / "data")]
    with Database.open(tmp_path / "data" / "llamachat.db") as db:
        chat, _ = add_chat(db, "Coffee?", "Tea.")
    assert main([*places, "ask", "--conversation", str(chat.id), "--model", "m\udcff", "-"]) == 1
    assert "No model server answers" in capsys.readouterr().err
    with Database.open(tmp_path / "data" / "llamachat.db") as db:
        assert "caf\ufffd" in [message.content for message in load_branch(db, chat.id)]


@pytest.mark.parametrize(
    "arguments",
    [
        ["history", "show", str(2**63)],
        ["history", "show", "9" * 5000],
        ["history", "list", "--limit", "-1"],
        ["history", "delete", "0"],
        ["ask", "--conversation", str(2**64), "Hi"],
        ["--data-dir", "", "history", "list"],
        ["--config", "", "config", "path"],
    ],
)
def test_arguments_that_can_mean_nothing_are_wrong_usage(arguments: list[str]) -> None:
    with pytest.raises(SystemExit) as ended:
        main(arguments)
    assert ended.value.code == 2


@pytest.mark.parametrize(
    ("arguments", "needed"),
    [
        (["history", "show", "x"], "this needs a whole number from 1 on"),
        (["ask", "--conversation", "1.5", "Hi"], "this needs a whole number from 1 on"),
        (["search", "--count", "many", "tide"], "this needs a whole number from 1 to 20"),
        (["search", "--count", "21", "tide"], "this needs a whole number from 1 to 20"),
        (["gateway", "--port", "http"], "this needs a whole number from 0 to 65535"),
        (["gateway", "--port", "65536"], "this needs a whole number from 0 to 65535"),
    ],
)
def test_an_argument_that_is_no_such_number_is_told_what_it_needs(
    capsys: pytest.CaptureFixture[str], arguments: list[str], needed: str
) -> None:
    with pytest.raises(SystemExit) as ended:
        main(arguments)
    assert ended.value.code == 2
    assert capsys.readouterr().err.endswith(f": {needed}\n")


def test_an_unknown_home_folder_is_one_sentence(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["--config", "~nobody-of-this-name/config.toml", "config", "path"]) == 1
    assert "home folder" in capsys.readouterr().err


def test_a_command_takes_no_demo_and_says_what_to_do_instead(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    folder = tmp_path / "my chats"
    with pytest.raises(SystemExit) as ended:
        main(["--demo", "--data-dir", str(folder), "history", "list"])
    assert ended.value.code == 2
    said = capsys.readouterr().err
    assert f"--data-dir '{folder}/demo'" in said
    assert "base_url in config.toml" in said
    assert not folder.exists()
