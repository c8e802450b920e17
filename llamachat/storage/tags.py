"""Tags: giving them to chats, renaming, merging, deleting and bringing them back."""

from __future__ import annotations

import json
from collections.abc import Iterable, Sequence
from dataclasses import asdict, dataclass

from llamachat.core.errors import StorageError
from llamachat.core.tag import Tag, tag_key, tag_name
from llamachat.core.text import tr
from llamachat.storage.database import Database
from llamachat.storage.deletions import note_tag


@dataclass(frozen=True, slots=True)
class TagDeletion:
    """What `restore_tag` takes. Where the tag went into another one (`into_id`): which chats had not had that one."""

    tag_id: int
    into_id: int | None = None
    added: tuple[int, ...] = ()


def list_tags(db: Database) -> list[Tag]:
    """All tags by name, with the number of their chats."""
    rows = db.rows(
        """
        SELECT id, name, (
            SELECT count(*) FROM conversation_tags AS link JOIN conversations ON conversations.id = conversation_id
            WHERE link.tag_id = tags.id AND conversations.deleted_at IS NULL) AS chats
        FROM tags WHERE deleted_at IS NULL ORDER BY key
        """
    )
    return [Tag(row["id"], row["name"], row["chats"]) for row in rows]


def tag_names(db: Database) -> tuple[str, ...]:
    """The names of all tags."""
    return tuple(row["name"] for row in db.rows("SELECT name FROM tags WHERE deleted_at IS NULL ORDER BY key"))


def tag_chats(db: Database, chats: Iterable[int], name: str) -> str:
    """Give a tag, made where there is none of that name; returns its name. Raises StorageError for no name at all."""
    with db.transaction():
        tag_id = _find(db, name) or _make(db, name)
        _link(db, chats, tag_id)
        (row,) = db.rows("SELECT name FROM tags WHERE id = ?", (tag_id,))
    return str(row["name"])


def untag_chats(db: Database, chats: Iterable[int], name: str) -> None:
    """Take a tag from chats."""
    db.write(
        "DELETE FROM conversation_tags WHERE conversation_id IN (SELECT value FROM json_each(?)) "
        "AND tag_id IN (SELECT id FROM tags WHERE key = ? AND deleted_at IS NULL)",
        (json.dumps(list(chats)), tag_key(tag_name(name))),
    )


def rename_tag(db: Database, name: str, new_name: str) -> TagDeletion | None:
    """Give a tag another name. Where a tag has that name the chats get that one: then this tag is deleted."""
    with db.transaction():
        tag_id, into_id = _existing(db, name), _find(db, new_name)
        if into_id is not None and into_id != tag_id:
            return _noted(db, _merge(db, tag_id, into_id))
        new_name = _checked(new_name)
        db.write("UPDATE tags SET name = ?, key = ? WHERE id = ?", (new_name, tag_key(new_name), tag_id))
    return None


def delete_tag(db: Database, name: str) -> TagDeletion:
    """Take a tag from all chats, until `restore_tag`."""
    with db.transaction():
        deletion = TagDeletion(_existing(db, name))
        _hide(db, deletion.tag_id)
        return _noted(db, deletion)


def restore_tag(db: Database, deletion: TagDeletion) -> None:
    """Bring a deleted tag back to its chats; where its name was given to a new one meanwhile, they get that."""
    with db.transaction():
        row = db.row("SELECT name FROM tags WHERE id = ? AND deleted_at IS NOT NULL", (deletion.tag_id,))
        if row is None:
            raise _gone()
        db.write(
            "DELETE FROM deletions WHERE kind = 'tag' AND json_extract(hidden, '$.tag_id') = ?", (deletion.tag_id,)
        )
        if deletion.into_id is not None:
            _unlink(db, deletion.added, deletion.into_id)
        other = _find(db, row["name"])
        if other is None:
            db.write("UPDATE tags SET deleted_at = NULL WHERE id = ?", (deletion.tag_id,))
        else:
            _merge(db, deletion.tag_id, other)


def _noted(db: Database, deletion: TagDeletion) -> TagDeletion:
    """Let it be undone also after a restart."""
    note_tag(db, asdict(deletion), at=db.clock.now())
    return deletion


def _merge(db: Database, tag_id: int, into_id: int) -> TagDeletion:
    rows = db.rows(
        "SELECT conversation_id AS id FROM conversation_tags WHERE tag_id = ? AND conversation_id NOT IN "
        "(SELECT conversation_id FROM conversation_tags WHERE tag_id = ?)",
        (tag_id, into_id),
    )
    added = tuple(row["id"] for row in rows)
    _link(db, added, into_id)
    _hide(db, tag_id)
    return TagDeletion(tag_id, into_id, added)


def _link(db: Database, chats: Iterable[int], tag_id: int) -> None:
    db.write(
        "INSERT OR IGNORE INTO conversation_tags (conversation_id, tag_id) SELECT value, ? FROM json_each(?) "
        "WHERE value IN (SELECT id FROM conversations)",
        (tag_id, json.dumps(list(chats))),
    )


def _unlink(db: Database, chats: Sequence[int], tag_id: int) -> None:
    db.write(
        "DELETE FROM conversation_tags WHERE tag_id = ? AND conversation_id IN (SELECT value FROM json_each(?))",
        (tag_id, json.dumps(chats)),
    )


def _hide(db: Database, tag_id: int) -> None:
    db.write("UPDATE tags SET deleted_at = ? WHERE id = ?", (db.clock.now(), tag_id))


def _make(db: Database, name: str) -> int:
    name = _checked(name)
    return db.insert("INSERT INTO tags (name, key) VALUES (?, ?)", (name, tag_key(name)))


def _find(db: Database, name: str) -> int | None:
    row = db.row("SELECT id FROM tags WHERE key = ? AND deleted_at IS NULL", (tag_key(tag_name(name)),))
    return int(row["id"]) if row else None


def _existing(db: Database, name: str) -> int:
    tag_id = _find(db, name)
    if tag_id is None:
        raise _gone()
    return tag_id


def _checked(name: str) -> str:
    name = tag_name(name)
    if not name:
        raise StorageError(tr("A tag needs a name."), tr("Type letters or digits."))
    return name


def _gone() -> StorageError:
    return StorageError(
        tr("There is no such tag any more."), tr("It was renamed or deleted: look at the tags again.")
    )
