"""Writes turns for some seconds, as often as it can: `python -m tests.fakes.many_writers FILE SECONDS THREADS`.

Prints one JSON: `chats` written, the sentences of `errors`, and the longest wait for a write in seconds.
"""

from __future__ import annotations

import json
import sys
import threading
import time
from collections.abc import Iterator
from dataclasses import asdict, dataclass, field, replace
from pathlib import Path

from llamachat.core.conversation import Conversation
from llamachat.core.errors import StorageError
from llamachat.core.messages import Role, Status, StoredMessage
from llamachat.core.whole_chat import WholeChat
from llamachat.storage.conversations import create_conversation, list_conversations
from llamachat.storage.database import Database
from llamachat.storage.imported import take_in
from llamachat.storage.messages import add_message, update_message

FILE_CHATS = 500


@dataclass(slots=True)
class Outcome:
    """What a number of writers did."""

    chats: int = 0
    imported: int = 0
    errors: list[str] = field(default_factory=list)
    longest_s: float = 0.0


def write_for(path: Path, seconds: float, threads: int, *, importing: bool = False) -> Outcome:
    """Write with so many threads, each with its own connection. importing: one more imports file after file."""
    outcome, lock = Outcome(), threading.Lock()
    deadline = time.monotonic() + seconds

    def write() -> None:
        chats, longest, errors = 0, 0.0, []
        with Database.open(path) as db:
            while time.monotonic() < deadline:
                started = time.monotonic()
                try:
                    write_turn(db)
                    chats += 1
                except StorageError as error:
                    errors.append(str(error))
                longest = max(longest, time.monotonic() - started)
        with lock:
            outcome.chats += chats
            outcome.errors += errors
            outcome.longest_s = max(outcome.longest_s, longest)

    def import_files() -> None:
        with Database.open(path) as db:
            while time.monotonic() < deadline:
                try:
                    outcome.imported += len(take_in(db, file_of_chats(outcome.imported)))
                except StorageError as error:
                    with lock:
                        outcome.errors.append(f"the import: {error}")

    started = [threading.Thread(target=write) for _ in range(threads)]
    if importing:
        started.append(threading.Thread(target=import_files))
    for thread in started:
        thread.start()
    for thread in started:
        thread.join()
    return outcome


def file_of_chats(first: int) -> Iterator[WholeChat]:
    """Yield chats as they come from a file, each with a question and an answer."""
    for number in range(first, first + FILE_CHATS):
        chat = Conversation(1, f"file chat {number}", "hornet", 1.0, 2.0, head_id=2)
        question = StoredMessage(1, f"file question {number}", 1, None, Role.USER, "hornet")
        answer = replace(question, id=2, uid=f"file answer {number}", parent_id=1, role=Role.ASSISTANT)
        yield WholeChat(chat, (question, answer))


def write_turn(db: Database) -> None:
    """A question, an answer that grows, its end; and a look at the list, as a window takes."""
    chat = create_conversation(db, title="bee")
    question = add_message(db, conversation_id=chat.id, parent_id=None, role=Role.USER, content="bee")
    answer = add_message(
        db, conversation_id=chat.id, parent_id=question.id, role=Role.ASSISTANT, status=Status.STREAMING
    )
    for size in range(1, 4):
        update_message(db, answer.id, content="wasp " * size)
    update_message(db, answer.id, status=Status.COMPLETE)
    list_conversations(db, limit=5)


if __name__ == "__main__":
    print(json.dumps(asdict(write_for(Path(sys.argv[1]), float(sys.argv[2]), int(sys.argv[3])))))
