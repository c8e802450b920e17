"""What goes for good: chats, messages and tags that are deleted now, and that nothing which stays needs."""

from __future__ import annotations

import json
from collections.abc import Sequence
from dataclasses import dataclass

from llamachat.storage.database import Database

# What may go of the messages that were deleted one by one: not what something that is shown, or arrives, hangs below.
_DELETED_MESSAGES = """
    WITH RECURSIVE
        deleted (id) AS (
            SELECT id FROM messages WHERE deleted_at IS NOT NULL
            EXCEPT SELECT id FROM arriving WHERE kind = 'message'),
        kept (id) AS (
            SELECT parent.id FROM deleted AS parent WHERE EXISTS (
                SELECT 1 FROM messages WHERE parent_id = parent.id
                AND (deleted_at IS NULL OR id IN (SELECT id FROM arriving WHERE kind = 'message')))
            UNION
            SELECT messages.parent_id FROM kept JOIN messages ON messages.id = kept.id
            WHERE messages.parent_id IS NOT NULL)
    SELECT uid FROM messages WHERE id IN (SELECT id FROM deleted EXCEPT SELECT id FROM kept)
"""
# What chosen deletions have hidden, with all that is below; not what something that is shown hangs below.
_CHOSEN_MESSAGES = """
    WITH RECURSIVE
        below (id) AS (
            SELECT hidden.value FROM deletions, json_each(deletions.hidden) AS hidden
            WHERE kind = 'messages' AND deletions.id IN (SELECT value FROM json_each(?))
            UNION
            SELECT messages.id FROM below JOIN messages ON messages.parent_id = below.id),
        kept (id) AS (
            SELECT id FROM messages WHERE id IN (SELECT id FROM below)
                AND (deleted_at IS NULL OR id IN (SELECT id FROM arriving WHERE kind = 'message'))
            UNION
            SELECT messages.parent_id FROM kept JOIN messages ON messages.id = kept.id
            WHERE messages.parent_id IS NOT NULL)
    SELECT uid FROM messages WHERE id IN (SELECT id FROM below) AND id NOT IN (SELECT id FROM kept)
"""
# Those of an import that is under way are hidden as well, and it may be bringing others back.
_DELETED_CHATS = """
    SELECT uid FROM conversations WHERE deleted_at IS NOT NULL
        AND id NOT IN (SELECT id FROM arriving WHERE kind IN ('conversation', 'known'))
"""


@dataclass(frozen=True, slots=True)
class Gone:
    """What goes: chats and messages by their uids, tags by id and key."""

    chats: Sequence[str] = ()
    messages: Sequence[str] = ()
    tags: Sequence[tuple[int, str]] = ()

    def both(self, other: Gone) -> Gone:
        """What goes according to both."""
        return Gone(
            sorted({*self.chats} & {*other.chats}),
            sorted({*self.messages} & {*other.messages}),
            sorted({*self.tags} & {*other.tags}),
        )


def all_deleted(db: Database) -> Gone:
    """Whatever is deleted by now. Raises StorageError."""
    tags = db.rows("SELECT id, key FROM tags WHERE deleted_at IS NOT NULL")
    return Gone(
        chats=[row["uid"] for row in db.rows(_DELETED_CHATS)],
        messages=[row["uid"] for row in db.rows(_DELETED_MESSAGES)],
        tags=[(row["id"], row["key"]) for row in tags],
    )


def chosen_deletions(db: Database, deletion_ids: Sequence[int]) -> Gone:
    """These things of `list_deleted`, messages with all below them. Raises StorageError."""
    chosen = (json.dumps(deletion_ids),)
    these = "id IN (SELECT value FROM json_each(?))"
    chats = db.rows(
        f"{_DELETED_CHATS} AND id IN (SELECT conversation_id FROM deletions WHERE kind = 'chat' AND {these})", chosen
    )
    tags = db.rows(
        "SELECT id, key FROM tags WHERE deleted_at IS NOT NULL AND id IN "
        f"(SELECT json_extract(hidden, '$.tag_id') FROM deletions WHERE kind = 'tag' AND {these})",
        chosen,
    )
    return Gone(
        chats=[row["uid"] for row in chats],
        messages=[row["uid"] for row in db.rows(_CHOSEN_MESSAGES, chosen)],
        tags=[(row["id"], row["key"]) for row in tags],
    )
