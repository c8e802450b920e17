"""Where an answer that the server keeps can be taken up again stands beside its text."""

from __future__ import annotations

from llamachat.core.messages import Role, Status, StreamMark, Usage
from llamachat.storage.broken_off import mark_broken_off
from llamachat.storage.conversations import create_conversation
from llamachat.storage.database import Database
from llamachat.storage.messages import (
    add_message,
    get_message,
    take_stream_marks,
    update_message,
)

MARK = StreamMark(
    "n0-one-guesses::Qwen/Qwen3",
    offset=3_000_000_000,
    server="ab12",
    content=7,
    reasoning=5,
    content_from=2,
    reasoning_from=1,
    usage=Usage(prompt_tokens=3, predicted_ms=1.5),
)


def _answer(db: Database) -> int:
    chat = create_conversation(db)
    added = add_message(
        db, conversation_id=chat.id, parent_id=None, role=Role.ASSISTANT, content="A bee.", status=Status.STREAMING
    )
    return added.id


def test_a_mark_is_read_back_as_it_was_written_and_taken_away_again(db: Database) -> None:
    answer = _answer(db)
    update_message(db, answer, stream=MARK, content="A bee is")
    read = get_message(db, answer)
    assert read is not None
    assert (read.stream, read.content) == (MARK, "A bee is")
    update_message(db, answer, stream=None)
    read = get_message(db, answer)
    assert read is not None
    assert read.stream is None


def test_what_a_killed_program_left_keeps_its_mark(db: Database) -> None:
    answer = _answer(db)
    update_message(db, answer, stream=MARK)
    assert mark_broken_off(db) == 1
    read = get_message(db, answer)
    assert read is not None
    assert (read.status, read.stream) == (Status.INTERRUPTED, MARK)


def test_a_mark_that_cannot_be_read_is_none(db: Database) -> None:
    answer = _answer(db)
    for state in (None, "", "{", "[]", "3"):
        db.write(
            "UPDATE messages SET stream_id = 'x', stream_offset = 1, stream_state = ? WHERE id = ?", (state, answer)
        )
        read = get_message(db, answer)
        assert read is not None
        assert read.stream is None
    db.write('UPDATE messages SET stream_state = \'{"content": "seven", "server": 3}\' WHERE id = ?', (answer,))
    read = get_message(db, answer)
    assert read is not None
    assert read.stream == StreamMark("x", 1)


def test_marks_are_taken_once_but_for_those_of_what_goes_on(db: Database) -> None:
    answer, other = _answer(db), _answer(db)
    update_message(db, answer, stream=MARK, status=Status.INTERRUPTED)
    update_message(db, other, stream=MARK, status=Status.INTERRUPTED)
    asked = get_message(db, answer)
    assert asked is not None
    chat = asked.conversation_id
    assert take_stream_marks(db, chat, besides=answer) == ()
    assert take_stream_marks(db, chat, besides=0) == (MARK,)
    assert take_stream_marks(db, chat, besides=0) == ()
    update_message(db, answer, stream=MARK, status=Status.STREAMING)
    assert take_stream_marks(db, chat, besides=0) == ()
    untouched = get_message(db, other)
    assert untouched is not None
    assert untouched.stream == MARK
