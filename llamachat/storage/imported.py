"""Chats that come from a file into the history, each once: what is there already is known by its uid.

They are stored slice by slice, so that answers can be stored in between, and hidden until all are there (`arriving`).
"""

from __future__ import annotations

import json
import time
from collections.abc import Iterable, Iterator
from contextlib import suppress
from dataclasses import asdict, dataclass, field, replace
from enum import StrEnum

from llamachat.core.conversation import Conversation
from llamachat.core.errors import StorageError
from llamachat.core.messages import StoredMessage
from llamachat.core.tag import tag_name
from llamachat.core.text import clean, tr
from llamachat.core.whole_chat import WholeChat
from llamachat.storage.arriving import drop_arrivals, note_arrival, one_import, reveal_arrivals
from llamachat.storage.database import Database, Value
from llamachat.storage.deletions import tidy_deletions
from llamachat.storage.index_queue import refresh_index
from llamachat.storage.kept_results import keep_results_from
from llamachat.storage.message_rows import column_values
from llamachat.storage.tags import tag_chats
from llamachat.storage.title_key import title_key

_TOLD_CHARS = 100
_SLICE_MESSAGES, _SLICE_CHARS = 300, 2_000_000  # of one transaction: some tens of milliseconds
_PAUSE = 0.5  # of the time of a slice: other processes look for a gap only ten times a second
_OWN_COLUMNS = ("id", "conversation_id", "parent_id", "created_at")


class Fate(StrEnum):
    """What becomes of a chat that is imported."""

    NEW = "new"
    GROWN = "grown"  # it was here, with fewer messages
    RESTORED = "restored"  # it was here and deleted
    KNOWN = "known"  # nothing to do


@dataclass(frozen=True, slots=True)
class Arrival:
    """A chat from a file, and what becomes of it; `added_messages` counts those that were not here.

    conversation_id: its row, known once it is stored (before: 0).
    """

    uid: str
    title: str
    updated_at: float
    fate: Fate
    added_messages: int
    messages: int
    has_branches: bool
    conversation_id: int = field(default=0, compare=False)


@dataclass(frozen=True, slots=True)
class _Present:
    """What is here of a chat: its row (None: nothing) and the ids of its messages by their uid."""

    id: int | None
    deleted: bool
    message_ids: dict[str, int]


@dataclass(frozen=True, slots=True)
class _Grown:
    """A chat that was here, and what it gets at the end of the import. shown: the file's branch, its head first."""

    id: int
    updated_at: float
    shown: tuple[int, ...]


def expected_arrivals(db: Database, chats: Iterable[WholeChat]) -> Iterator[Arrival]:
    """Yield what `take_in` would do with each chat, once; changes nothing. Raises StorageError as it would."""
    seen = set[str]()
    for chat in chats:
        arrival = _arrival(chat, _present(db, chat), now=db.clock.now())
        if chat.conversation.uid not in seen:
            yield arrival
        seen.add(chat.conversation.uid)


def take_in(db: Database, chats: Iterable[WholeChat]) -> list[Arrival]:
    """Store of the chats what is not here yet; what is here stays as it is. Raises StorageError.

    All or nothing: where reading the next chat raises anything, nothing is stored; so whoever counts or stops does
    that in `chats`. Others write in between.
    """
    arrivals, grown = list[Arrival](), list[_Grown]()
    with one_import(db):
        try:
            for batch in _slices(chats):
                began = time.monotonic()
                with db.transaction():
                    arrivals += [_taken_in(db, chat, grown) for chat in batch]
                with suppress(StorageError):  # a search puts into the index what is not in it yet
                    refresh_index(db)
                time.sleep((time.monotonic() - began) * _PAUSE)
            with db.transaction() as connection:
                reveal_arrivals(connection)
                for chat in grown:
                    _show_grown(db, chat)
        except BaseException:
            drop_arrivals(db)
            raise
    return arrivals


def _slices(chats: Iterable[WholeChat]) -> Iterator[list[WholeChat]]:
    """Yield some chats at a time, at least one. Whatever reading them takes is done before they are stored."""
    batch, messages, characters = list[WholeChat](), 0, 0
    for chat in chats:
        batch.append(chat)
        messages += len(chat.messages)
        characters += sum(len(message.content) + len(message.reasoning) for message in chat.messages)
        if messages >= _SLICE_MESSAGES or characters >= _SLICE_CHARS:
            yield batch
            batch, messages, characters = [], 0, 0
    if batch:
        yield batch


def _taken_in(db: Database, chat: WholeChat, grown: list[_Grown]) -> Arrival:
    present = _present(db, chat)
    arrival = _arrival(chat, present, now=db.clock.now())
    if arrival.fate is Fate.KNOWN:
        return arrival
    conversation_id = present.id or _add_conversation(db, chat.conversation)
    ids = dict(_add_messages(db, chat, conversation_id, present))
    shown = tuple(ids[number] for number in _shown(chat))
    if present.id is None:
        kept_from = chat.conversation.results_kept_from
        if shortened := [ids[message.id] for message in chat.messages if message.id < kept_from]:
            keep_results_from(db, conversation_id, max(shortened) + 1)
        db.write("UPDATE conversations SET head_id = ? WHERE id = ?", (shown[0] if shown else None, conversation_id))
    else:
        grown.append(_Grown(conversation_id, chat.conversation.updated_at, shown))
        note_arrival(db.connection, "known", conversation_id)
    return replace(arrival, conversation_id=conversation_id)


def _shown(chat: WholeChat) -> Iterator[int]:
    """Yield the numbers of the messages that the file shows, the last one first."""
    parents = {message.id: message.parent_id for message in chat.messages}
    number = chat.conversation.head_id
    while number is not None:
        yield number
        number = parents[number]


def _show_grown(db: Database, chat: _Grown) -> None:
    """Show a chat that was here with what is new in it. Where it went on here as well, its branch stays shown."""
    row = db.row("SELECT head_id FROM conversations WHERE id = ?", (chat.id,))
    leads = row is not None and chat.shown and row["head_id"] in (None, *chat.shown)
    db.write(
        """
        UPDATE conversations SET deleted_at = NULL, updated_at = max(updated_at, :updated_at), head_id = coalesce(
            (SELECT id FROM messages WHERE id = :head_id AND deleted_at IS NULL), head_id,
            (SELECT max(id) FROM messages WHERE conversation_id = :id AND deleted_at IS NULL))
        WHERE id = :id
        """,
        {"id": chat.id, "updated_at": chat.updated_at, "head_id": chat.shown[0] if leads else None},
    )
    tidy_deletions(db, chat.id)


def _present(db: Database, chat: WholeChat) -> _Present:
    row = db.row(
        "SELECT id, deleted_at IS NOT NULL AND id NOT IN (SELECT id FROM arriving "
        "WHERE kind IN ('conversation', 'known')) AS deleted FROM conversations WHERE uid = ?",
        (chat.conversation.uid,),
    )
    uids = json.dumps([message.uid for message in chat.messages])
    rows = db.rows(
        "SELECT messages.uid, messages.id, conversation_id FROM json_each(?) AS given "
        "JOIN messages ON messages.uid = given.value",
        (uids,),
    )
    if any(row is None or found["conversation_id"] != row["id"] for found in rows):
        raise StorageError(
            tr("Messages of “{title}” are part of another chat here.").format(title=_short_title(chat)),
            tr("Nothing was changed. The file was not written by the program it seems to come from."),
        )
    known = {str(found["uid"]): int(found["id"]) for found in rows}
    return _Present(row["id"] if row else None, bool(row and row["deleted"]), known)


def _arrival(chat: WholeChat, present: _Present, *, now: float) -> Arrival:
    added = sum(message.uid not in present.message_ids for message in chat.messages)
    if present.id is None:
        fate = Fate.NEW
    elif present.deleted:
        fate = Fate.RESTORED
    else:
        fate = Fate.GROWN if added else Fate.KNOWN
    parents = [message.parent_id for message in chat.messages]
    return Arrival(
        uid=chat.conversation.uid,
        title=_short_title(chat),
        updated_at=chat.conversation.updated_at or now,
        fate=fate,
        added_messages=added,
        messages=len(chat.messages),
        has_branches=len(set(parents)) < len(parents),
        conversation_id=present.id or 0,
    )


def _short_title(chat: WholeChat) -> str:
    """The title on one line, as much of it as is told."""
    return clean(" ".join(chat.conversation.title.split())[:_TOLD_CHARS])


def _add_conversation(db: Database, conversation: Conversation) -> int:
    row: dict[str, Value] = {
        name: clean(value) if isinstance(value, str) else value
        for name, value in asdict(conversation).items()
        if name not in ("id", "head_id", "tags", "results_kept_from", "forked")
    }
    now = db.clock.now()
    row["created_at"] = conversation.created_at or now
    row["updated_at"] = conversation.updated_at or row["created_at"]
    row["deleted_at"] = now
    row["title_key"] = title_key(str(row["title"]))
    number = _insert(db, "conversations", row)
    note_arrival(db.connection, "conversation", number)
    _add_tags(db, number, conversation.tags)
    return number


def _add_tags(db: Database, conversation_id: int, names: Iterable[str]) -> None:
    """Give a new chat its tags. What is made of them here goes with an import that is broken off."""
    before = db.row("SELECT max(id) AS id FROM tags")
    for name in filter(tag_name, names):
        tag_chats(db, [conversation_id], name)
    for made in db.rows("SELECT id FROM tags WHERE id > ?", (before["id"] or 0 if before else 0,)):
        note_arrival(db.connection, "tag", made["id"])


def _add_messages(
    db: Database, chat: WholeChat, conversation_id: int, present: _Present
) -> Iterator[tuple[int, int]]:
    """Add the messages that are not here; yields the number within the chat and the row's id of each message."""
    ids: dict[int, int] = {}
    now = db.clock.now()
    for message in chat.messages:
        row = _message_row(message, now) | {
            "conversation_id": conversation_id,
            "parent_id": ids.get(message.parent_id or 0),
            "deleted_at": None if present.id is None else now,  # in a chat that is shown it must not be seen yet
        }
        ids[message.id] = present.message_ids.get(message.uid) or _add_message(db, row)
        yield message.id, ids[message.id]


def _add_message(db: Database, row: dict[str, Value]) -> int:
    number = _insert(db, "messages", row)
    if row["deleted_at"] is not None:
        note_arrival(db.connection, "message", number)
    return number


def _message_row(message: StoredMessage, now: float) -> dict[str, Value]:
    fields = {name: getattr(message, name) for name in message.__slots__ if name not in _OWN_COLUMNS}
    return column_values({name: value for name, value in fields.items() if value}) | {
        "created_at": message.created_at or now
    }


def _insert(db: Database, table: str, row: dict[str, Value]) -> int:
    names, slots = ", ".join(row), ", ".join(f":{name}" for name in row)
    return db.insert(f"INSERT INTO {table} ({names}) VALUES ({slots})", row)
