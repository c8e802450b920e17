"""A chat in memory: shared by the threads of the process, known to no disk, gone with the last connection."""

from __future__ import annotations

import threading
from pathlib import Path

import pytest

from llamachat.core.conversation import Conversation, SearchMode, SystemPrompt, is_temporary
from llamachat.core.messages import Role
from llamachat.storage.conversations import get_conversation
from llamachat.storage.database import Database
from llamachat.storage.fulltext import search_history
from llamachat.storage.kept_results import keep_results_from
from llamachat.storage.messages import add_message, load_messages, update_message
from llamachat.storage.temporary import TemporaryHistory, keep_temporary_chat, read_temporary_chat
from llamachat.storage.undo import undo
from llamachat.storage.versions import delete_message
from tests.fakes.still_clock import StillClock
from tests.storage.stories import add_chat

MARK = "zq-only-in-memory-"


def made(history: TemporaryHistory, db: Database) -> Conversation:
    """The chat of a history."""
    prompt = SystemPrompt("short", "Be brief.", edited=True)
    return history.make_chat(db, title="Temporary chat", prompt=prompt, model="qwen", search_mode=SearchMode.OFF)


def test_connections_of_one_chat_share_it_and_others_do_not_see_it(clock: StillClock) -> None:
    history, another = TemporaryHistory(clock=clock), TemporaryHistory(clock=clock)
    with history.database() as db, history.database() as beside, another.database() as stranger:
        chat = made(history, db)
        assert get_conversation(beside, history.chat_id) == chat
        assert get_conversation(stranger, history.chat_id) is None
        assert (chat.model, chat.search_mode) == ("qwen", SearchMode.OFF)
        assert chat.system_prompt == SystemPrompt("short", "Be brief.", edited=True)
        assert is_temporary(chat.id)
        assert history.chat_id != another.chat_id


def test_it_is_gone_with_its_last_connection(clock: StillClock) -> None:
    history = TemporaryHistory(clock=clock)
    db, beside = history.database(), history.database()
    made(history, db)
    db.close()
    assert get_conversation(beside, history.chat_id)
    beside.close()
    with history.database() as later:
        assert get_conversation(later, history.chat_id) is None


def test_what_can_be_done_in_a_stored_chat_can_be_done_in_it(clock: StillClock) -> None:
    history = TemporaryHistory(clock=clock)
    with history.database() as db:
        chat = made(history, db)
        question = add_message(
            db, conversation_id=chat.id, parent_id=None, role=Role.USER, content="When is high tide?"
        )
        answer = add_message(
            db, conversation_id=chat.id, parent_id=question.id, role=Role.ASSISTANT, content="At noon."
        )
        assert question.id > 1_000_000_000  # no number of it is that of a message in the history
        deletion = delete_message(db, answer.id)
        assert load_messages(db, chat.id) == [question]
        undo(db, deletion.act)
        assert [message.id for message in load_messages(db, chat.id)] == [question.id, answer.id]
        assert [hit.conversation_id for hit in search_history(db, "tide")] == [chat.id]


def test_two_threads_write_at_once_and_nobody_has_to_try_again(clock: StillClock) -> None:
    """An answer that grows, as a turn writes it, while the window writes and reads."""
    history = TemporaryHistory(clock=clock)
    failures: list[BaseException] = []
    with history.database() as keeper:
        chat = made(history, keeper)

        def write() -> None:
            try:
                with history.database() as db:
                    row = add_message(db, conversation_id=chat.id, parent_id=None, role=Role.USER)
                    for number in range(60):
                        update_message(db, row.id, content="word " * number)
                        load_messages(db, chat.id)
            except BaseException as error:  # noqa: BLE001  # whatever it is, the test tells it
                failures.append(error)

        threads = [threading.Thread(target=write) for _ in range(4)]
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join()
        assert failures == []
        assert [message.content for message in load_messages(keeper, chat.id)] == ["word " * 59] * 4


def test_no_file_is_made_or_held_open(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, clock: StillClock) -> None:
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("SQLITE_TMPDIR", str(tmp_path))
    before = open_files()
    history = TemporaryHistory(clock=clock)
    with history.database() as db, history.database() as beside:
        chat = made(history, db)
        for _ in range(200):  # more than a page cache of SQLite spills, in one transaction and sorted
            add_message(beside, conversation_id=chat.id, parent_id=None, role=Role.USER, content=MARK * 2000)
        with db.transaction():
            db.write("UPDATE messages SET content = content || '!'")
            assert len(db.rows("SELECT content FROM messages ORDER BY content || random()")) == 200
            assert open_files() == before
            assert list(tmp_path.iterdir()) == []


def test_saved_it_is_a_chat_like_any_other(db: Database, clock: StillClock) -> None:
    history = TemporaryHistory(clock=clock)
    with history.database() as memory:
        chat = made(history, memory)
        question = add_message(memory, conversation_id=chat.id, parent_id=None, role=Role.USER, content="Tide?")
        for text in ("At noon.", "At six."):
            add_message(memory, conversation_id=chat.id, parent_id=question.id, role=Role.ASSISTANT, content=text)
        whole = read_temporary_chat(memory, chat.id)
    saved = keep_temporary_chat(db, whole)
    assert saved is not None
    assert not is_temporary(saved.id)
    assert (saved.title, saved.prompt, saved.model) == ("Temporary chat", "Be brief.", "qwen")
    assert [message.content for message in load_messages(db, saved.id)] == ["Tide?", "At noon.", "At six."]
    assert [hit.conversation_id for hit in search_history(db, "noon")] == [saved.id]


def open_files() -> set[str]:
    """What this process holds open on a disk."""
    folder = Path("/proc/self/fd")
    found = (str(link.readlink()) for link in folder.iterdir() if link.is_symlink())
    return {target for target in found if target.startswith("/") and not target.startswith(("/proc/", "/dev/"))}


@pytest.mark.parametrize("shortened", [0, 1, 2, 3])
def test_what_was_dropped_from_its_prompt_stays_so(db: Database, clock: StillClock, shortened: int) -> None:
    add_chat(db, "Others", "have", "numbers", "too")
    history = TemporaryHistory(clock=clock)
    with history.database() as memory:
        chat = made(history, memory)
        parent = None
        for role in (Role.USER, Role.ASSISTANT, Role.USER):
            parent = add_message(memory, conversation_id=chat.id, parent_id=parent, role=role, content="x").id
        if shortened:
            keep_results_from(memory, chat.id, load_messages(memory, chat.id)[0].id + shortened)
        saved = keep_temporary_chat(db, read_temporary_chat(memory, chat.id))
    assert saved
    ids = [message.id for message in load_messages(db, saved.id)]
    assert sum(number < saved.results_kept_from for number in ids) == shortened
