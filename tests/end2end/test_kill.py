"""The program is killed a hundred times while it thinks, searches, answers and finishes; the history stays whole."""

from __future__ import annotations

import itertools
import json
import math
import os
import random
import signal
import subprocess
import sys
import time
from collections import Counter
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from dataclasses import dataclass, field
from pathlib import Path

import pytest

from llamachat.config.paths import resolve_paths
from llamachat.core.messages import Role, Status, StoredMessage
from llamachat.storage.broken_off import mark_broken_off
from llamachat.storage.conversations import list_conversations
from llamachat.storage.database import Database
from llamachat.storage.messages import load_branch
from tests.integration.llama_server import ParrotServer, script, thinking
from tests.integration.searxng_server import Searxng

KILLS = 100
NEAR_A_WRITE_S = 0.020
FLUSHED_S = 1.0  # text this old must be on disk: 250 ms on a machine that is not busy with other tests
THOUGHT = "I think about the bridge and the toll. " * 8
ANSWER = "The toll is six crowns, and bicycles cross for free [1]. " * 12


@dataclass(frozen=True)
class Moment:
    """When to kill: after so many events of a kind, chosen between two numbers, and up to so much later."""

    kind: str
    first: int
    last: int
    later_s: float = 0.03


MOMENTS = (
    Moment("reasoning", 1, 2 * len(THOUGHT) - 100),
    Moment("search_start", 1, 1),
    Moment("search_done", 1, 1),
    Moment("content", 1, len(ANSWER) - 1),
    Moment("usage", 2, 2, later_s=0.003),
)


@dataclass
class Killed:
    """What was seen of a turn before it was killed: (when, kind, data)."""

    events: list[tuple[float, str, object]] = field(default_factory=list)
    at: float = 0.0
    since_write: float = math.inf  # seconds; unknown once the log is put away

    def text(self, kind: str, *, before: float) -> str:
        """The text of a kind that came before a moment."""
        return "".join(str(data) for when, seen, data in self.events if seen == kind and when < before)

    @property
    def last_mark(self) -> float:
        """When the last event came that is written before it is told."""
        marks = [when for when, kind, _ in self.events if kind in ("search_start", "search_done", "message")]
        return max(marks, default=0.0)

    @property
    def phase(self) -> str:
        """What the program was doing."""
        kinds = [kind for _, kind, _ in self.events]
        if "finish" in kinds:
            return "after the end"
        if kinds.count("usage") == 2:
            return "finishing"
        names = {"reasoning": "thinking", "content": "answering", "search_start": "searching"}
        return names.get(kinds[-1], "between")


@dataclass(frozen=True)
class Program:
    """The program with a history of its own."""

    process: subprocess.Popen[str]
    database: Path

    def ask_and_kill(self, question: str, moment: Moment, chance: random.Random) -> Killed:
        """Ask, and kill the child that does."""
        assert self.process.stdin is not None
        assert self.process.stdout is not None
        self.process.stdin.write(json.dumps(question) + "\n")
        self.process.stdin.flush()
        lines = iter(self.process.stdout.readline, "\n")
        pid = int(next(lines))
        killed = Killed()
        left = chance.randint(moment.first, moment.last)
        for line in lines:
            event = json.loads(line)
            killed.events.append((time.time(), event["kind"], event["data"]))
            left -= event["kind"] == moment.kind
            if left <= 0 and not killed.at:
                time.sleep(chance.random() * moment.later_s)  # the moment is what is tested
                killed.at = time.time()
                with suppress(ProcessLookupError):
                    os.kill(pid, signal.SIGKILL)
                with suppress(FileNotFoundError):  # the child had ended and put its log away
                    killed.since_write = killed.at - Path(f"{self.database}-wal").stat().st_mtime
        return killed


@contextmanager
def program(folder: Path, config: str) -> Iterator[Program]:
    """Start what forks the children."""
    (folder / "config.toml").write_text(config, encoding="utf-8")
    paths = resolve_paths(folder / "config.toml", folder / "data")
    command = [sys.executable, "-m", "tests.end2end.turn_child", str(folder / "config.toml"), str(folder / "data")]
    with subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True) as process:
        yield Program(process, paths.database)
        assert process.stdin is not None
        process.stdin.close()
        assert process.wait(10) == 0


@pytest.mark.slow
@pytest.mark.timeout(600)
def test_whenever_it_is_killed_the_history_is_whole(
    tmp_path: Path, parrot_server: ParrotServer, searxng: Searxng
) -> None:
    config = f'base_url = "{parrot_server.base_url}"\nsearch_enabled = true\nsearch_url = "{searxng.url}"\n'
    config += "search_cache_s = 0\nsearch_burst = 1000\n"  # else most turns would not search
    call = parrot_server.call("web_search", query="Brasswick Bridge toll")
    question = script(thinking(THOUGHT) + call, thinking(THOUGHT) + ANSWER)
    chance = random.Random(417)
    fell: Counter[str] = Counter()
    stored: dict[int, list[StoredMessage]] = {}
    with program(tmp_path, config) as running:
        for moment in itertools.islice(itertools.cycle(MOMENTS), KILLS):
            killed = running.ask_and_kill(question, moment, chance)
            fell[killed.phase] += 1
            fell["within 20 ms of a write"] += killed.since_write <= NEAR_A_WRITE_S
            with Database.open(running.database) as db:
                assert [tuple(row) for row in db.rows("PRAGMA integrity_check")] == [("ok",)]
                assert mark_broken_off(db) <= 1
                newest = list_conversations(db)[0].id
                stored[newest] = load_branch(db, newest)
            check_turn(stored[newest], question, killed)
        with Database.open(running.database) as db:
            assert {chat.id: load_branch(db, chat.id) for chat in list_conversations(db)} == stored
    print(f"\n{KILLS} kills: " + ", ".join(f"{count} {name}" for name, count in fell.most_common()))
    assert len(stored) == KILLS
    assert min(fell[phase] for phase in ("thinking", "searching", "answering", "finishing")) >= 5
    assert fell["within 20 ms of a write"] >= 20


def check_turn(branch: list[StoredMessage], question: str, killed: Killed) -> None:
    """The question is there, and the answer with all that was flushed, marked as what it is."""
    user, answer = branch
    assert (user.role, user.content, user.status) == (Role.USER, question, Status.COMPLETE)
    ended = any(kind == "finish" for _, kind, _ in killed.events)
    assert answer.status in ((Status.COMPLETE,) if ended else (Status.COMPLETE, Status.INTERRUPTED))
    if answer.status is Status.COMPLETE:
        assert answer.content == ANSWER
    flushed = max(killed.last_mark, killed.at - FLUSHED_S)
    for kind, stored, whole in ("content", answer.content, ANSWER), ("reasoning", answer.reasoning, THOUGHT):
        assert stored.startswith(killed.text(kind, before=flushed))
        assert stored[: len(whole) - 2] in whole
    assert len(answer.searches) >= sum(kind == "search_done" for _, kind, _ in killed.events)
