"""A temporary chat leaves nothing: no file of the program holds a word of it, while it lasts and after its end."""

from __future__ import annotations

import json
import os
import signal
import subprocess
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest

from tests.fakes.replay import answer, replay
from tests.integration.llama_server import ParrotServer, script

pytestmark = pytest.mark.slow

ASKED, ANSWERED, SEARCHED, FOUND = "zq-asked", "zq-answered", "zq-searched", "zq-found"
EDITED, TYPED = "zq-edited", "zq-typed"
MARKS = (ASKED, ANSWERED, SEARCHED, FOUND, EDITED, TYPED)
REPLY = {"results": [{"url": f"http://127.0.0.1:9/{FOUND}", "title": FOUND, "content": FOUND}]}
FINDS = answer(200, {"Content-Type": "application/json"}, json.dumps(REPLY).encode())


@contextmanager
def held_chat(folder: Path, kind: str, server: ParrotServer) -> Iterator[subprocess.Popen[str]]:
    """A process whose window has had a chat, with searches; everything that is the user's lies in `folder`."""
    with replay(*[FINDS] * 9) as searxng:
        call = server.call("web_search", query=SEARCHED)
        words = {
            "config": f'base_url = "{server.base_url}"\nsearch_enabled = true\nsearch_url = "{searxng.url}"\n'
            "read_pages = 1\n",
            "ask": script(call, f"{ANSWERED} and {ASKED}"),
            "edited": f"{EDITED} {ASKED}",
            "typed": TYPED,
        }
        home = {"HOME": str(folder), "TMPDIR": str(folder / "tmp"), "XDG_RUNTIME_DIR": str(folder / "run")}
        for place in ("tmp", "run"):
            (folder / place).mkdir(mode=0o700, parents=True)
        variables = {name: value for name, value in os.environ.items() if not name.startswith("XDG_")}
        process = subprocess.Popen(
            [sys.executable, "-m", "tests.end2end.temporary_child", str(folder / "profile"), kind],
            env={**variables, **home, "QT_QPA_PLATFORM": "offscreen"},
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=subprocess.STDOUT,
            text=True,
        )
        assert process.stdin
        assert process.stdout
        process.stdin.write(json.dumps(words))
        process.stdin.close()
        try:
            said = ""
            while (line := process.stdout.readline()) != "ready\n":
                assert line, said
                said += line
            yield process
        finally:
            process.kill()
            process.wait()
            process.stdout.close()


def in_files(folder: Path) -> set[str]:
    """The marks that stand in a file."""
    texts = [path.read_bytes() for path in folder.rglob("*") if path.is_file() and not path.is_symlink()]
    return {mark for mark in MARKS if any(mark.encode() in text for text in texts)}


def in_open_files(pid: int) -> set[str]:
    """The marks in files that a process holds open, also in those that have no name any more."""
    found: set[str] = set()
    for link in Path(f"/proc/{pid}/fd").iterdir():
        target = link.readlink()
        if target.is_absolute() and not str(target).startswith(("/dev/", "/proc/")) and link.is_file():
            text = link.read_bytes()
            found |= {mark for mark in MARKS if mark.encode() in text}
    return found


def ended(process: subprocess.Popen[str]) -> str:
    """Ask it to end; what it said."""
    process.send_signal(signal.SIGTERM)
    assert process.stdout
    said = process.stdout.read()
    assert process.wait(30) == 0
    return said


def test_a_temporary_chat_leaves_nothing(tmp_path: Path, parrot_server: ParrotServer) -> None:
    with held_chat(tmp_path, "temporary", parrot_server) as process:
        assert in_files(tmp_path) == set()
        assert in_open_files(process.pid) == set()
        said = ended(process)
    assert in_files(tmp_path) == set()
    assert not [mark for mark in MARKS if mark in said]


def test_a_stored_chat_is_found_where_the_other_is_not(tmp_path: Path, parrot_server: ParrotServer) -> None:
    """Otherwise the test above would look in the wrong places."""
    with held_chat(tmp_path, "stored", parrot_server) as process:
        assert in_files(tmp_path) == set(MARKS)
        assert in_open_files(process.pid) == set(MARKS)
        ended(process)
    assert in_files(tmp_path) == set(MARKS)
