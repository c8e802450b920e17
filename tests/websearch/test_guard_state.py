"""The guard's file: shared by processes, private, and no hindrance when it is damaged or cannot be written."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

import pytest

from llamachat.core.errors import SearchError
from llamachat.searxng.answer import SearchAnswer
from llamachat.websearch.guard import Guard, GuardLimits
from llamachat.websearch.guard_state import StateFile
from tests.fakes.still_clock import StillClock

CHILD = """
import sys
from pathlib import Path
from llamachat.core.clock import SystemClock
from llamachat.core.errors import SearchError
from llamachat.searxng.answer import SearchAnswer
from llamachat.websearch.guard import Guard, GuardLimits
guard = Guard(GuardLimits(burst=20, refill_s=3600), Path(sys.argv[1]), clock=SystemClock())
sent = 0
sys.stdin.read()
for number in range(30):
    try:
        guard.search(f"query {number}", lambda: SearchAnswer(()), provider="searxng")
        sent += 1
    except SearchError:
        pass
print(sent)
"""


def searches(file: Path, count: int) -> int:
    """How many of so many searches a new guard lets through."""
    guard = Guard(GuardLimits(), file, clock=StillClock())
    sent = 0
    for number in range(count):
        try:
            guard.search(f"query {number}", lambda: SearchAnswer(()), provider="searxng")
        except SearchError:
            continue
        sent += 1
    return sent


def test_processes_at_once_never_exceed_one_burst_together(tmp_path: Path) -> None:
    command = [sys.executable, "-c", CHILD, str(tmp_path / "run" / "search.json")]
    children = [
        subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, encoding="utf-8") for _ in range(3)
    ]
    for child in children:
        assert child.stdin is not None
        child.stdin.close()  # all are loaded, or soon: they begin together
        child.stdin = None
    assert sum(int(child.communicate(timeout=60)[0]) for child in children) == 20


@pytest.mark.parametrize(
    "text",
    [
        "",
        "{",
        "[]",
        "null",
        '{"tokens": "many"}',
        "\ud800".encode("utf-8", "surrogatepass").decode("latin-1"),
        "[" * 9999,
    ],
)
def test_a_damaged_file_counts_as_a_new_one(tmp_path: Path, text: str) -> None:
    file = tmp_path / "search.json"
    file.write_text(text, encoding="utf-8")
    assert searches(file, 10) == 6
    assert searches(file, 10) == 0


def test_numbers_that_are_none_do_not_let_everything_through(tmp_path: Path) -> None:
    file = tmp_path / "search.json"
    searches(file, 1)
    text = file.read_text(encoding="utf-8")
    file.write_text(text.replace('"tokens": 5', '"tokens": NaN'), encoding="utf-8")
    assert searches(file, 20) == 6


def test_the_file_is_for_its_owner_alone(tmp_path: Path) -> None:
    file = tmp_path / "run" / "search.json"
    searches(file, 1)
    assert file.stat().st_mode & 0o777 == 0o600


@pytest.mark.skipif(not hasattr(os, "mkfifo"), reason="there are no FIFOs here")
def test_what_is_no_file_is_left_alone(tmp_path: Path) -> None:
    fifo = tmp_path / "fifo"
    os.mkfifo(fifo)
    assert searches(fifo, 10) == 6
    assert searches(tmp_path, 10) == 6


def test_without_a_file_one_process_keeps_its_own_pace(tmp_path: Path) -> None:
    (tmp_path / "run").write_text("in the way", encoding="utf-8")
    assert searches(tmp_path / "run" / "search.json", 10) == 6


def test_the_state_is_written_only_when_it_changed(tmp_path: Path) -> None:
    file = tmp_path / "search.json"
    searches(file, 1)
    before = file.stat().st_mtime_ns
    with StateFile(file).changing() as state:
        assert state.sent == 1
    assert file.stat().st_mtime_ns == before
