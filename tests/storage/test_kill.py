"""A writer killed a hundred times: the database opens, is whole, and has lost nothing that was said to be written."""

from __future__ import annotations

import random
import sys
from collections import Counter
from collections.abc import Callable
from pathlib import Path

import pytest

from llamachat.core.messages import Role, Status
from llamachat.storage.broken_off import mark_broken_off
from llamachat.storage.database import Database
from llamachat.storage.fulltext import search_history
from llamachat.storage.messages import get_message
from tests.fakes.history_writer import FLUSH_S, PHASES, STEP_S, STEPS, answer_of, question_of
from tests.fakes.killer import Killing, kill_at

ROOT = Path(__file__).resolve().parent.parent.parent
KILLS = 100
CLOSE_S = 0.020


def nth_write_in(phase: str, nth: int) -> Callable[[str], bool]:
    """Takes the nth `writing` after the phase began."""
    seen, inside = 0, False

    def is_mark(line: str) -> bool:
        nonlocal seen, inside
        if line.startswith("phase "):
            seen, inside = 0, line == f"phase {phase}"
        seen += inside and line == "writing"
        return seen == nth

    return is_mark


def kill_once(path: Path, number: int, chance: random.Random) -> Killing:
    """Half of the kills fall close to a write, the others anywhere in a phase."""
    phase = PHASES[number % len(PHASES)]
    command = [sys.executable, "-m", "tests.fakes.history_writer", str(path), str(number * 1000)]
    if number % 8 < 4:
        nth = chance.randint(1, 2) if phase in ("thinking", "answering") else 1
        return kill_at(command, is_mark=nth_write_in(phase, nth), delay_s=chance.uniform(0, 0.008), cwd=ROOT)
    length = STEP_S * (STEPS if phase in ("thinking", "answering") else 4)
    return kill_at(
        command, is_mark=lambda line: line == f"phase {phase}", delay_s=chance.uniform(0, length), cwd=ROOT
    )


def check(db: Database, killing: Killing, known: dict[int, int]) -> None:
    """Everything the writer said is there; `known` gets the finished messages with their turns."""
    flushed: dict[int, int] = {}
    for line in killing.lines:
        what, *numbers = line.text.split()
        if what == "finished":
            known[int(numbers[0])] = int(numbers[1])
        elif what == "flushed":
            flushed[int(numbers[0])] = max(int(numbers[1]), flushed.get(int(numbers[0]), 0))
    assert db.rows("PRAGMA integrity_check")[0]["integrity_check"] == "ok"
    for message_id, turn in known.items():
        message = get_message(db, message_id)
        assert message is not None
        text = question_of(turn) if message.role is Role.USER else answer_of(turn)
        assert (message.content, message.status) == (text, Status.COMPLETE)
    for message_id, length in flushed.items():
        message = get_message(db, message_id)
        assert message is not None
        assert len(message.content) >= length


def check_partial(db: Database, unfinished: list[int]) -> None:
    """What was not finished is marked, and its text is the beginning of the answer."""
    for message_id in unfinished:
        message = get_message(db, message_id)
        assert message is not None
        assert message.status is Status.INTERRUPTED
        assert message.parent_id is not None
        question = get_message(db, message.parent_id)
        assert question is not None
        assert answer_of(int(question.content.split()[1])).startswith(message.content)


@pytest.mark.slow
def test_a_killed_writer_loses_nothing_it_said_was_written(path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    chance, known = random.Random(1), dict[int, int]()
    where: Counter[str] = Counter()
    for number in range(KILLS):
        killing = kill_once(path, number, chance)
        phases = [line.text for line in killing.lines if line.at <= killing.at and line.text.startswith("phase ")]
        where[phases[-1].removeprefix("phase ")] += 1
        where["close to a write"] += killing.since(lambda line: line == "writing") <= CLOSE_S
        with Database.open(path, check=True) as db:
            assert db.report.sentences == ()
            check(db, killing, known)
            streaming = [row["id"] for row in db.rows("SELECT id FROM messages WHERE status = 'streaming'")]
            assert len(streaming) <= 1
            assert mark_broken_off(db) == len(streaming)
            check_partial(db, streaming)
            where["with an answer half written"] += len(streaming)
    with Database.open(path) as db:
        for message_id, turn in known.items():
            hits = [*search_history(db, f"turn{turn}word0"), *search_history(db, question_of(turn))]
            assert message_id in [hit.message_id for hit in hits]
    with capsys.disabled():
        print(f"\n{KILLS} kills fell: {dict(where)} (writes every {FLUSH_S * 1000:.0f} ms)")
    assert where["close to a write"] >= 20
    assert all(where[phase] >= 10 for phase in PHASES)
