"""What the window shows when its history cannot be read, or not be written: a sentence, a next step, nothing lost."""

from __future__ import annotations

import json
import os
import resource
import signal
import sqlite3
import subprocess
import sys
import tempfile
import threading
from collections.abc import Callable, Iterator
from contextlib import closing, contextmanager
from pathlib import Path

import pytest
from pytestqt.qtbot import QtBot

from llamachat.config.paths import Paths, resolve_paths
from llamachat.core.messages import Status
from llamachat.storage.database import Database
from llamachat.storage.messages import load_branch
from llamachat.storage.migrations import LATEST
from llamachat.ui.unsaved_control import BAR
from tests.end2end.stage import Stage, stage
from tests.fakes.scripted_llama import ScriptedLlama, says
from tests.storage.stories import add_chat
from tests.storage.test_rescue import leaf_pages, overwrite

pytestmark = pytest.mark.slow
ROOT = Path(__file__).resolve().parent.parent.parent
Damage = Callable[[Path], object]


def write_chats(path: Path) -> None:
    """A history with sixty chats."""
    path.parent.mkdir(parents=True, exist_ok=True)
    with Database.open(path) as db:
        for number in range(60):
            add_chat(db, f"bee {number} " * 50, f"wasp {number} " * 50, title=f"Chat {number}")


def newer(path: Path) -> None:
    """As a later version of the program leaves it."""
    with closing(sqlite3.connect(path)) as connection:
        connection.execute(f"PRAGMA user_version = {LATEST + 1}")


def folder(path: Path) -> None:
    """No file at all."""
    path.unlink()
    path.mkdir()


def damaged_index(path: Path) -> None:
    """Words cannot be looked up."""
    with closing(sqlite3.connect(path)) as connection, connection:
        connection.execute("DELETE FROM messages_fts_data WHERE id > 1")


@contextmanager
def window(tmp_path: Path, damage: Damage) -> Iterator[Stage]:
    """A window on the history after what has become of it."""

    def before(paths: Paths) -> None:
        write_chats(paths.database)
        damage(paths.database)

    with (
        ScriptedLlama(says("Hello")) as llama,
        stage(tmp_path / "p", f'base_url = "{llama.base_url}"\n', before=before) as shown,
    ):
        yield shown


def titles(shown: Stage) -> list[str]:
    """The chats in the list."""
    rows = shown.window.sidebar.chats.rows
    return [row.text for n in range(rows.rowCount()) if (row := rows.row(rows.index(n))).conversation]


@pytest.mark.parametrize(
    ("damage", "sentence", "next_step"),
    [
        (lambda path: path.write_bytes(b""), "The history file was empty.", "A new history has been started."),
        (lambda path: path.write_text("Dear diary, " * 900), "no message in it could be read", "file is kept as"),
        (lambda path: overwrite(path, leaf_pages(path, "messages")[3:6]), "messages of it were rescued", "kept as"),
    ],
    ids=["zero bytes", "a text file", "a damaged page"],
)
def test_a_lost_history_is_told_and_the_chat_goes_on(
    qtbot: QtBot, tmp_path: Path, damage: Damage, sentence: str, next_step: str
) -> None:
    with window(tmp_path, damage) as shown:
        shown.until(lambda: any(sentence in told and next_step in told for told in shown.told()))
        shown.ask("One")
        shown.until(lambda: "One" in titles(shown))
        path = shown.app.paths.database
        kept = [file.name for file in path.parent.glob("llamachat-damaged-*.db")]
        assert bool(kept) == ("kept" in next_step)
        assert all(any(name in told for told in shown.told()) for name in kept)


@pytest.mark.parametrize(
    ("damage", "sentence", "next_step"),
    [
        (newer, "was written by a newer version of this program", "Update the program"),
        (folder, "is not a file", "Move it away"),
    ],
    ids=["a newer version", "a folder"],
)
def test_what_is_not_ours_to_touch_is_told_and_the_text_stays(
    qtbot: QtBot, tmp_path: Path, damage: Damage, sentence: str, next_step: str
) -> None:
    with window(tmp_path, damage) as shown:
        shown.until(lambda: sentence in shown.window.notices.text("failure"))
        assert next_step in shown.window.notices.text("failure")
        shown.window.notices.drop("failure")
        shown.window.page.composer.set_text("Is it kept?")
        shown.window.page.composer.send.click()
        shown.until(lambda: sentence in shown.window.notices.text("failure"))
        assert shown.window.page.composer.text == "Is it kept?"


def test_a_damaged_index_is_built_again_unasked(qtbot: QtBot, tmp_path: Path) -> None:
    with window(tmp_path, damaged_index) as shown:
        shown.until(lambda: len(titles(shown)) == 60)
        shown.window.sidebar.field.setText("wasp")
        shown.until(lambda: shown.window.sidebar.hits.rows.rowCount() > 10)
        assert shown.window.notices.text("failure") == ""


def test_a_history_that_another_program_holds_is_read_as_soon_as_that_ends(qtbot: QtBot, tmp_path: Path) -> None:
    path = resolve_paths(tmp_path / "p" / "config.toml", tmp_path / "p" / "data").database
    with ScriptedLlama(says("Hello")) as llama:
        (tmp_path / "p").mkdir()
        write_chats(path)
        with closing(sqlite3.connect(path, isolation_level=None)) as other:
            other.execute("PRAGMA locking_mode = EXCLUSIVE")
            other.execute("BEGIN EXCLUSIVE")
            with stage(tmp_path / "p", f'base_url = "{llama.base_url}"\n') as shown:
                shown.until(lambda: "Another program is writing" in shown.window.notices.text("failure"))
                assert titles(shown) == []
                other.close()
                shown.be_in_front()
                shown.until(lambda: len(titles(shown)) == 60)
                shown.until(lambda: shown.window.notices.text("failure") == "")


def test_an_answer_that_finds_the_disk_full_stays_and_is_saved_when_there_is_room(
    qtbot: QtBot, tmp_path: Path
) -> None:
    gate = threading.Event()
    rest = "and so it goes on. " * 9000
    with (
        ScriptedLlama([*says("The first half "), gate, {"content": rest}]) as llama,
        stage(tmp_path / "p", f'base_url = "{llama.base_url}"\n') as shown,
    ):
        shown.ask("One", wait=False)
        shown.until(lambda: "first half" in shown.window.page.view.toPlainText())
        with full_disk(shown.app.paths.database.parent):
            gate.set()
            shown.until(lambda: "not saved yet" in shown.window.notices.text(BAR))
            assert "The disk did not take what was written" in shown.window.notices.text(BAR)
            shown.until(shown.idle)
            assert "and so it goes on." in shown.window.page.view.toPlainText()
        shown.until(lambda: shown.window.notices.text(BAR) == "")
        with Database.open(shown.app.paths.database, check=True) as db:
            answer = load_branch(db, 1)[-1]
        assert (answer.content, answer.status) == (f"The first half {rest}", Status.COMPLETE)


@contextmanager
def full_disk(place: Path) -> Iterator[None]:
    """No file of this process may grow far beyond the largest in the folder."""
    before = signal.signal(signal.SIGXFSZ, signal.SIG_IGN)
    largest = max(file.stat().st_size for file in place.iterdir())
    _, hard = resource.getrlimit(resource.RLIMIT_FSIZE)
    resource.setrlimit(resource.RLIMIT_FSIZE, (largest + 20_000, hard))
    try:
        yield
    finally:
        resource.setrlimit(resource.RLIMIT_FSIZE, (hard, hard))
        signal.signal(signal.SIGXFSZ, before)


@pytest.mark.parametrize(("file", "folder_mode"), [(0o444, 0o777), (0o666, 0o555)], ids=["a file", "a folder"])
def test_a_write_protected_history_is_shown_and_what_is_sent_stays(file: int, folder_mode: int) -> None:
    with tempfile.TemporaryDirectory() as name:
        place = Path(name)
        place.chmod(0o777)  # whoever runs the window
        path = resolve_paths(place / "config.toml", place / "data").database
        write_chats(path)
        path.chmod(file)
        path.parent.chmod(folder_mode)
        command = [sys.executable, "-m", "tests.end2end.nobody_window", name, "Is it kept?"]
        environment = {**os.environ, "QT_QPA_PLATFORM": "offscreen", "HOME": name, "XDG_RUNTIME_DIR": name}
        done = subprocess.run(command, cwd=ROOT, env=environment, capture_output=True, text=True, check=True)
        path.parent.chmod(0o777)
    (shown_titles, *bars), (kept, failure) = map(json.loads, done.stdout.splitlines())
    assert len(shown_titles) == 60
    assert any("can be read, but nothing is saved" in bar and "Check the permissions" in bar for bar in bars)
    assert "cannot be written to" in failure
    assert kept == "Is it kept?"
