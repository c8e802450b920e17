"""Conversations: making, listing, changing them, and the small state of the program beside them."""

from __future__ import annotations

import json
import sqlite3
import uuid
from collections.abc import Iterable

from llamachat.core.conversation import Conversation, ListOrder, SearchMode, SystemPrompt
from llamachat.core.tag import tag_key
from llamachat.core.text import clean
from llamachat.storage.database import Database, Value
from llamachat.storage.failures import conversation_gone
from llamachat.storage.title_key import title_key

NEW_CHAT_DRAFT, LAST_MODEL = "draft", "last_model"  # keys in the program's small state

_COLUMNS = """
    id, uid, title, created_at, updated_at, model, prompt, prompt_name, prompt_edited, search_mode, head_id, draft,
    pinned, archived, forked_from IS NOT NULL AS forked, (
        SELECT json_group_array(name) FROM (
            SELECT tags.name FROM conversation_tags JOIN tags ON tags.id = tag_id
            WHERE conversation_id = conversations.id AND tags.deleted_at IS NULL ORDER BY tags.key)) AS tags,
    CAST(iif(json_valid(settings), json_extract(settings, '$.results_kept_from'), 0) AS INTEGER) AS results_kept_from
"""
# Column and direction of each order; each has an index.
_ORDERS = {
    ListOrder.ACTIVITY: ("updated_at", "DESC"),
    ListOrder.CREATED: ("created_at", "DESC"),
    ListOrder.TITLE: ("title_key", "ASC"),
}


def create_conversation(
    db: Database,
    *,
    title: str = "",
    prompt: str = "",
    prompt_name: str = "",
    prompt_edited: bool = False,
    model: str = "",
    search_mode: SearchMode = SearchMode.AUTO,
    uid: str = "",
    conversation_id: int | None = None,
) -> Conversation:
    """Add a conversation without messages. `uid` and `conversation_id` are made up where none is given."""
    now = db.clock.now()
    row: dict[str, Value] = {
        "id": conversation_id,
        "uid": uid or uuid.uuid4().hex,
        "title": clean(title),
        "title_key": title_key(clean(title)),
        "now": now,
        "model": clean(model),
        "prompt": clean(prompt),
        "prompt_name": clean(prompt_name),
        "prompt_edited": prompt_edited,
        "search_mode": search_mode.value,
    }
    with db.transaction():
        new_id = db.insert(
            "INSERT INTO conversations "
            "(id, uid, title, title_key, created_at, updated_at, model, prompt, prompt_name, prompt_edited, "
            "search_mode) VALUES (:id, :uid, :title, :title_key, :now, :now, :model, :prompt, :prompt_name, "
            ":prompt_edited, :search_mode)",
            row,
        )
        (made,) = db.rows(f"SELECT {_COLUMNS} FROM conversations WHERE id = ?", (new_id,))
        return _conversation(made)


def get_conversation(db: Database, conversation_id: int) -> Conversation | None:
    """The conversation, or None where there is none or it is deleted."""
    row = db.row(f"SELECT {_COLUMNS} FROM conversations WHERE id = ? AND deleted_at IS NULL", (conversation_id,))
    return _conversation(row) if row else None


def list_conversations(
    db: Database,
    *,
    limit: int | None = None,
    before: Conversation | None = None,
    archived: bool = False,
    order: ListOrder = ListOrder.ACTIVITY,
    tag: str = "",
) -> list[Conversation]:
    """Conversations that are not deleted: pinned ones first, then by `order`; `before` ended the page before.

    archived: those that were put away instead of the others. tag: only those that have it.
    """
    listed: list[Conversation] = []
    column, direction = _ORDERS[order]
    for pinned in (True, False):
        if before is not None and pinned and not before.pinned:
            continue
        where, values = _listed(order, archived=archived, pinned=pinned, before=before)
        if tag:
            where += """ AND id IN (
                SELECT conversation_id FROM conversation_tags JOIN tags ON tags.id = tag_id
                WHERE key = ? AND tags.deleted_at IS NULL)"""
            values.append(tag_key(tag))
        sql = f"SELECT {_COLUMNS} FROM conversations WHERE {where} ORDER BY {column} {direction}, id {direction}"
        rows = db.rows(
            f"{sql} LIMIT ?",
            [*values, -1 if limit is None else limit - len(listed)],
        )
        listed += [_conversation(row) for row in rows]
    return listed


def _listed(
    order: ListOrder, *, archived: bool, pinned: bool, before: Conversation | None
) -> tuple[str, list[Value]]:
    """The condition for the pinned or the other rows of a list that goes on behind `before`."""
    where, values = "deleted_at IS NULL AND archived = ? AND pinned = ?", list[Value]([archived, pinned])
    if before is not None and before.pinned == pinned:
        column, direction = _ORDERS[order]
        where += f" AND ({column}, id) {'<' if direction == 'DESC' else '>'} (?, ?)"
        values += [title_key(before.title) if order is ListOrder.TITLE else getattr(before, column), before.id]
    return where, values


def rename_conversation(db: Database, conversation_id: int, title: str) -> None:
    """Give a new title."""
    title = clean(title)
    with db.transaction():
        _set(db, conversation_id, "title", title)
        _set(db, conversation_id, "title_key", title_key(title))


def set_draft(db: Database, conversation_id: int, text: str) -> None:
    """Keep what is typed and not sent."""
    _set(db, conversation_id, "draft", clean(text))


def keep_draft(db: Database, conversation_id: int | None, text: str) -> None:
    """The same, also for the conversation that is not made yet: None."""
    if conversation_id is None:
        set_state(db, NEW_CHAT_DRAFT, text)
    else:
        set_draft(db, conversation_id, text)


def put_above_draft(db: Database, conversation_id: int, text: str) -> None:
    """Put a text above what is typed in a conversation and not sent, unless that is the same text."""
    text = clean(text)
    db.write(
        "UPDATE conversations SET draft = CASE WHEN trim(draft) IN ('', trim(:text)) THEN :text "
        "ELSE :text || char(10, 10) || draft END WHERE id = :id",
        {"text": text, "id": conversation_id},
    )


def drop_draft(db: Database, conversation_id: int | None, text: str) -> None:
    """Empty the draft if it is this text, which was sent; something else may be typed there by now."""
    if conversation_id is None:
        db.write("UPDATE state SET value = '' WHERE key = ? AND value = ?", (NEW_CHAT_DRAFT, clean(text)))
    else:
        db.write("UPDATE conversations SET draft = '' WHERE id = ? AND draft = ?", (conversation_id, clean(text)))


def set_search_mode(db: Database, conversation_id: int, mode: SearchMode) -> None:
    """Choose whether this conversation may search."""
    _set(db, conversation_id, "search_mode", mode.value)


def set_model(db: Database, conversation_id: int, model: str) -> None:
    """Choose the model of the next answers."""
    _set(db, conversation_id, "model", clean(model))


def set_prompt(db: Database, conversation_id: int, prompt: SystemPrompt) -> None:
    """Choose the system prompt of the next answers."""
    with db.transaction():
        _set(db, conversation_id, "prompt", clean(prompt.text))
        _set(db, conversation_id, "prompt_name", clean(prompt.name))
        _set(db, conversation_id, "prompt_edited", prompt.edited)


def set_pinned(db: Database, *conversation_ids: int, pinned: bool) -> None:
    """Keep conversations at the top of the list, or no longer."""
    _set_all(db, conversation_ids, "pinned = ?", pinned)


def set_archived(db: Database, *conversation_ids: int, archived: bool) -> tuple[int, ...]:
    """Put conversations away: out of the list and off its top, still found by searches. Or take them back.

    Gives those that were at the top.
    """
    with db.transaction():
        rows = db.rows(
            "SELECT id FROM conversations WHERE pinned AND id IN (SELECT value FROM json_each(?))",
            (json.dumps(conversation_ids),),
        )
        _set_all(db, conversation_ids, "archived = ?, pinned = 0", archived)
    return tuple(row["id"] for row in rows)


def get_state(db: Database, key: str) -> str | None:
    """A small value the program keeps, such as the draft of a chat not yet made."""
    row = db.row("SELECT value FROM state WHERE key = ?", (key,))
    return str(row["value"]) if row else None


def set_state(db: Database, key: str, value: str) -> None:
    """Keep a small value; the one before is replaced."""
    db.write(
        "INSERT INTO state (key, value) VALUES (?, ?) ON CONFLICT (key) DO UPDATE SET value = excluded.value",
        (key, clean(value)),
    )


def _set(db: Database, conversation_id: int, column: str, value: Value) -> None:
    changed = db.write(f"UPDATE conversations SET {column} = ? WHERE id = ?", (value, conversation_id)).rowcount
    if not changed:
        raise conversation_gone()


def _set_all(db: Database, conversation_ids: Iterable[int], assignments: str, value: Value) -> None:
    db.write(
        f"UPDATE conversations SET {assignments} WHERE id IN (SELECT value FROM json_each(?))",
        (value, json.dumps(list(conversation_ids))),
    )


def _conversation(row: sqlite3.Row) -> Conversation:
    return Conversation(
        id=row["id"],
        uid=row["uid"],
        title=row["title"],
        created_at=row["created_at"],
        updated_at=row["updated_at"],
        model=row["model"],
        prompt=row["prompt"],
        search_mode=_search_mode(row["search_mode"]),
        head_id=row["head_id"],
        draft=row["draft"],
        pinned=bool(row["pinned"]),
        archived=bool(row["archived"]),
        tags=tuple(json.loads(row["tags"])),
        prompt_name=row["prompt_name"],
        prompt_edited=bool(row["prompt_edited"]),
        results_kept_from=row["results_kept_from"] or 0,
        forked=bool(row["forked"]),
    )


def _search_mode(text: str) -> SearchMode:
    return SearchMode(text) if text in SearchMode.__members__.values() else SearchMode.AUTO
