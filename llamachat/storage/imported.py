"""Chats that come from a file into the history, each once: what is there already is known by its uid."""

from __future__ import annotations

import json
from collections.abc import Iterable, Iterator
from dataclasses import asdict, dataclass
from enum import StrEnum

from llamachat.core.conversation import Conversation
from llamachat.core.errors import StorageError
from llamachat.core.messages import StoredMessage
from llamachat.core.text import clean, tr
from llamachat.core.whole_chat import WholeChat
from llamachat.storage.database import Database, Value
from llamachat.storage.message_rows import column_values

_TOLD_CHARS = 100
_OWN_COLUMNS = ("id", "conversation_id", "parent_id", "created_at")


class Fate(StrEnum):
    """What becomes of a chat that is imported."""

    NEW = "new"
    GROWN = "grown"  # it was here, with fewer messages
    RESTORED = "restored"  # it was here and deleted
    KNOWN = "known"  # nothing to do


@dataclass(frozen=True, slots=True)
class Arrival:
    """A chat from a file, and what becomes of it; `added_messages` counts those that were not here."""

    title: str
    updated_at: float
    fate: Fate
    added_messages: int


@dataclass(frozen=True, slots=True)
class _Present:
    """What is here of a chat: its row (None: nothing) and the ids of its messages by their uid."""

    id: int | None
    deleted: bool
    message_ids: dict[str, int]


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
    that in `chats`. Others cannot write meanwhile.
    """
    with db.transaction():
        return [_taken_in(db, chat) for chat in chats]


def _taken_in(db: Database, chat: WholeChat) -> Arrival:
    present = _present(db, chat)
    arrival = _arrival(chat, present, now=db.clock.now())
    if arrival.fate is Fate.KNOWN:
        return arrival
    conversation_id = present.id or _add_conversation(db, chat.conversation)
    ids = dict(_add_messages(db, chat, conversation_id, present.message_ids))
    if _goes_on(db, chat, conversation_id, ids):
        head_id = ids.get(chat.conversation.head_id or 0)
        db.write("UPDATE conversations SET head_id = ? WHERE id = ?", (head_id, conversation_id))
    db.write(
        "UPDATE conversations SET deleted_at = NULL, updated_at = max(updated_at, ?) WHERE id = ?",
        (chat.conversation.updated_at, conversation_id),
    )
    return arrival


def _present(db: Database, chat: WholeChat) -> _Present:
    row = db.row("SELECT id, deleted_at FROM conversations WHERE uid = ?", (chat.conversation.uid,))
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
    return _Present(row["id"] if row else None, bool(row and row["deleted_at"] is not None), known)


def _arrival(chat: WholeChat, present: _Present, *, now: float) -> Arrival:
    added = sum(message.uid not in present.message_ids for message in chat.messages)
    if present.id is None:
        fate = Fate.NEW
    elif present.deleted:
        fate = Fate.RESTORED
    else:
        fate = Fate.GROWN if added else Fate.KNOWN
    return Arrival(_short_title(chat), chat.conversation.updated_at or now, fate, added)


def _short_title(chat: WholeChat) -> str:
    """The title on one line, as much of it as is told."""
    return clean(" ".join(chat.conversation.title.split())[:_TOLD_CHARS])


def _add_conversation(db: Database, conversation: Conversation) -> int:
    row: dict[str, Value] = {
        name: clean(value) if isinstance(value, str) else value
        for name, value in asdict(conversation).items()
        if name not in ("id", "head_id")
    }
    now = db.clock.now()
    row["created_at"] = conversation.created_at or now
    row["updated_at"] = conversation.updated_at or row["created_at"]
    return _insert(db, "conversations", row)


def _add_messages(
    db: Database, chat: WholeChat, conversation_id: int, known: dict[str, int]
) -> Iterator[tuple[int, int]]:
    """Add the messages that are not here; yields the number within the chat and the row's id of each message."""
    ids: dict[int, int] = {}
    now = db.clock.now()
    for message in chat.messages:
        ids[message.id] = known.get(message.uid) or _add_message(
            db, message, conversation_id=conversation_id, parent_id=ids.get(message.parent_id or 0), now=now
        )
        yield message.id, ids[message.id]


def _add_message(
    db: Database, message: StoredMessage, *, conversation_id: int, parent_id: int | None, now: float
) -> int:
    fields = {name: getattr(message, name) for name in message.__slots__ if name not in _OWN_COLUMNS}
    row = column_values({name: value for name, value in fields.items() if value}) | {
        "conversation_id": conversation_id,
        "parent_id": parent_id,
        "created_at": message.created_at or now,
    }
    return _insert(db, "messages", row)


def _insert(db: Database, table: str, row: dict[str, Value]) -> int:
    names, slots = ", ".join(row), ", ".join(f":{name}" for name in row)
    return db.insert(f"INSERT INTO {table} ({names}) VALUES ({slots})", row)


def _goes_on(db: Database, chat: WholeChat, conversation_id: int, ids: dict[int, int]) -> bool:
    """Whether what the file shows goes on from what is shown here: otherwise the branch that is shown stays."""
    row = db.row("SELECT head_id FROM conversations WHERE id = ?", (conversation_id,))
    shown = row["head_id"] if row else None
    parents = {message.id: message.parent_id for message in chat.messages}
    number = chat.conversation.head_id
    while shown is not None and number is not None and ids[number] != shown:
        number = parents[number]
    return shown is None or number is not None
