"""Writes turns into a database as the recorder does, without end: `python -m tests.fakes.history_writer FILE TURN`.

It prints what it is about to do and what it has done, one line each: `phase NAME`, `writing`, `flushed ID LENGTH`,
`finished ID TURN`. The answer of a turn is `answer_of(turn)`.
"""

from __future__ import annotations

import sys
import time
from itertools import count
from pathlib import Path

from llamachat.core.messages import Role, Status
from llamachat.core.search_record import SearchRecord, SearchResult
from llamachat.storage.conversations import create_conversation
from llamachat.storage.database import Database
from llamachat.storage.messages import MessageFields, add_message, update_message

PHASES = ("thinking", "searching", "answering", "finishing")
FLUSH_S = 0.03  # the program's is 0.25: here as many writes fit into less time
STEP_S = 0.004
STEPS = 20


def answer_of(turn: int) -> str:
    """The whole answer of a turn."""
    return " ".join(f"turn{turn}word{number}花" for number in range(STEPS * 4))


def question_of(turn: int) -> str:
    """What was asked."""
    return f"question {turn}"


def say(text: str) -> None:
    """Print a mark at once."""
    print(text, flush=True)


def write(db: Database, message_id: int, fields: MessageFields) -> None:
    """Write fields between marks."""
    say("writing")
    update_message(db, message_id, **fields)
    say(f"flushed {message_id} {len(fields.get('content', ''))}")


def stream(db: Database, message_id: int, text: str, name: str) -> None:
    """Let a text grow step by step and flush it when it is time."""
    flushed = time.monotonic()
    for step in range(1, STEPS + 1):
        time.sleep(STEP_S)
        if time.monotonic() - flushed >= FLUSH_S:
            part = text[: len(text) * step // STEPS]
            write(db, message_id, {"content": part} if name == "content" else {"reasoning": part})
            flushed = time.monotonic()


def write_turn(db: Database, turn: int) -> None:
    """One turn: question, thinking, a search, the answer, the end."""
    say("phase thinking")
    chat = create_conversation(db, title=question_of(turn))
    question = add_message(db, conversation_id=chat.id, parent_id=None, role=Role.USER, content=question_of(turn))
    say(f"finished {question.id} {turn}")
    answer = add_message(
        db, conversation_id=chat.id, parent_id=question.id, role=Role.ASSISTANT, status=Status.STREAMING
    )
    stream(db, answer.id, "thought " * 200, "reasoning")
    say("phase searching")
    time.sleep(STEP_S * 5)
    result = SearchResult("title", "https://example.org", "snippet " * 50)
    write(db, answer.id, {"searches": (SearchRecord(query="q", results=(result,) * 5),)})
    time.sleep(STEP_S * 5)
    say("phase answering")
    stream(db, answer.id, answer_of(turn), "content")
    say("phase finishing")
    write(db, answer.id, {"content": answer_of(turn), "wire": ({"role": "assistant", "content": answer_of(turn)},)})
    time.sleep(STEP_S * 5)
    write(db, answer.id, {"content": answer_of(turn), "status": Status.COMPLETE, "finish_reason": "stop"})
    say(f"finished {answer.id} {turn}")


def main() -> None:
    """Write until killed."""
    with Database.open(Path(sys.argv[1])) as db:
        for turn in count(int(sys.argv[2])):
            write_turn(db, turn)


if __name__ == "__main__":
    main()
