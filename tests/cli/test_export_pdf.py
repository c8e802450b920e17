"""PDFs from the command line, in a process that has no display."""

from __future__ import annotations

import os
import subprocess
import sys
from contextlib import closing
from pathlib import Path

import pypdfium2
import pytest

from llamachat.storage.database import Database
from llamachat.storage.messages import update_message
from tests.storage.stories import add_chat

pytest.importorskip("PySide6")
ROOT = Path(__file__).resolve().parent.parent.parent
NO_DISPLAY = {name: value for name, value in os.environ.items() if name not in ("DISPLAY", "WAYLAND_DISPLAY")}


@pytest.fixture
def data(tmp_path: Path) -> Path:
    """The folder of a history of two chats, and one in which nothing was said."""
    with Database.open(tmp_path / "data" / "llamachat.db") as db:
        _, (_, answer) = add_chat(db, "bee?", "An *insect*, with $x^2$ wings.", title="Bees")
        update_message(db, answer.id, reasoning="Six legs.")
        add_chat(db, "wasp?", title="Wasps")
        add_chat(db, title="Nothing")
    return tmp_path / "data"


def run(data: Path, *words: str | Path) -> subprocess.CompletedProcess[str]:
    """`llamachat history export --format pdf` with these words."""
    places = ["--config", str(data / "config.toml"), "--data-dir", str(data)]
    command = [sys.executable, "-m", "llamachat", *places, "history", "export", "--format", "pdf", *map(str, words)]
    environment = {**NO_DISPLAY, "QT_QPA_PLATFORM": "xcb"}
    return subprocess.run(command, cwd=ROOT, env=environment, capture_output=True, text=True, check=False, timeout=60)


def text_of(path: Path) -> str:
    with closing(pypdfium2.PdfDocument(path)) as document:
        return " ".join(str(page.get_textpage().get_text_range()) for page in document)


@pytest.mark.slow
def test_one_chat_into_a_file_and_all_into_a_folder(data: Path, tmp_path: Path) -> None:
    done = run(data, "1", "--output", tmp_path / "bees.pdf")
    assert (done.returncode, done.stderr) == (0, "1 chat was written. That is 1 page.\n")
    assert "An insect" in text_of(tmp_path / "bees.pdf")
    assert "Six legs." not in text_of(tmp_path / "bees.pdf")
    done = run(data, "--all", "--reasoning", "--output", f"{tmp_path / 'out'}/")
    assert (done.returncode, done.stderr) == (0, "2 chats were written. That is 2 pages.\n")
    first, second = sorted((tmp_path / "out").iterdir())
    assert (first.name[10:], second.name[10:]) == (" Bees 1.pdf", " Wasps 2.pdf")
    assert "Six legs." in text_of(first)


@pytest.mark.slow
def test_where_to_has_to_be_said_and_be_writable(data: Path, tmp_path: Path) -> None:
    for words in (["1"], ["--all", "--output", "x.pdf"], ["1", "2", "--output", "x.pdf"]):
        done = run(data, *words)
        assert (done.returncode, "A PDF is a file of its own for each chat." in done.stderr) == (1, True)
    done = run(data, "1", "--output", tmp_path / "none" / "x.pdf")
    assert (done.returncode, "cannot be written" in done.stderr) == (1, True)
