"""`llamachat ask` while another program holds the history: the answer is printed, and saved when that is possible."""

from __future__ import annotations

import subprocess
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest

from llamachat.core.messages import Status, StoredMessage
from llamachat.storage.database import Database
from llamachat.storage.messages import load_branch
from tests.fakes.scripted_llama import Piece, ScriptedLlama, says
from tests.integration.cli_process import Cli

pytestmark = pytest.mark.slow


@contextmanager
def answering(folder: Path) -> Iterator[tuple[Cli, subprocess.Popen[str], threading.Event]]:
    """A process that has printed half an answer, and the gate before its rest."""
    gate = threading.Event()
    script: list[Piece] = [*says("Half "), gate, *says("and half.")]
    cli = Cli(folder)
    with ScriptedLlama(script) as llama:
        cli.config.write_text(f'base_url = "{llama.base_url}"\n', encoding="utf-8")
        command = cli.command("ask", "One")
        with subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.PIPE, encoding="utf-8") as process:
            assert process.stdout is not None
            assert process.stdout.read(5) == "Half "
            yield cli, process, gate


def stored(cli: Cli) -> StoredMessage:
    """The answer in the history."""
    with Database.open(cli.data / "llamachat.db") as db:
        return load_branch(db, 1)[-1]


def test_it_waits_for_the_other_program(tmp_path: Path) -> None:
    with answering(tmp_path) as (cli, process, gate):
        with Database.open(cli.data / "llamachat.db") as other:
            other.connection.execute("BEGIN EXCLUSIVE")
            gate.set()
            assert process.stdout is not None
            assert process.stdout.read(9) == "and half."
            with pytest.raises(subprocess.TimeoutExpired):
                process.wait(2)
            other.connection.execute("ROLLBACK")
        errors = process.communicate(timeout=30)[1]
        assert errors.startswith(
            "Nothing can be saved at the moment; this is tried again. Another program is writing"
        )
        assert process.returncode == 0
        assert (stored(cli).content, stored(cli).status) == ("Half and half.", Status.COMPLETE)


def test_it_says_so_when_the_other_program_does_not_end(tmp_path: Path) -> None:
    with answering(tmp_path) as (cli, process, gate):
        with Database.open(cli.data / "llamachat.db") as other:
            other.connection.execute("BEGIN EXCLUSIVE")
            gate.set()
            printed, errors = process.communicate(timeout=60)
            other.connection.execute("ROLLBACK")
        assert (process.returncode, printed) == (1, "and half.\n")
        assert errors.splitlines()[-1].startswith("llamachat: The end of the answer is not saved. Another program is")
