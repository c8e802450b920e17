"""Who wants to write first writes first, and nobody waits for ever."""

from __future__ import annotations

import threading
from pathlib import Path

import pytest

from llamachat.core.errors import StorageError
from llamachat.storage.database import Database
from llamachat.storage.write_queue import WriteQueue
from tests.storage.stories import add_chat

FILE = Path("a.db")


def test_turns_come_in_the_order_of_asking() -> None:
    queue, order = WriteQueue(), list[int]()

    def take(number: int, asked: threading.Event) -> None:
        asked.set()
        with queue.turn(FILE, 30):
            order.append(number)

    threads = []
    with queue.turn(FILE, 30):
        for number in range(8):
            asked = threading.Event()
            threads.append(threading.Thread(target=take, args=(number, asked)))
            threads[-1].start()
            asked.wait()
            while len(queue._waiting[FILE]) < number + 2:  # it stands in the queue
                threads[-1].join(0.001)
        assert order == []
    for thread in threads:
        thread.join()
    assert order == list(range(8))
    assert queue._waiting == {}


def test_whoever_waits_too_long_is_told_and_keeps_nobody_waiting() -> None:
    queue = WriteQueue()
    with queue.turn(FILE, 30):
        with pytest.raises(StorageError, match="Another program is writing"), queue.turn(FILE, 0.001):
            pass
        with queue.turn(Path("another.db"), 0.001):
            pass
    with queue.turn(FILE, 0.001):
        pass


def test_a_thread_that_fails_lets_the_next_one_go(path: Path) -> None:
    with Database.open(path) as db, Database.open(path, busy_timeout_s=0.001) as other:
        with pytest.raises(ZeroDivisionError), db.transaction():
            raise ZeroDivisionError
        add_chat(other, "bee")
        with db.transaction(), pytest.raises(StorageError, match="Another program is writing"):
            add_chat(other, "wasp")
        add_chat(other, "hornet")
        assert len(db.rows("SELECT id FROM messages")) == 2
