"""From which message on a conversation's prompt holds search results whole; above it only titles and addresses.

It stands in the conversation's settings, so that every later prompt is made alike. The rows keep all that was found.
"""

from __future__ import annotations

from llamachat.storage.database import Database

_KEY = "$.results_kept_from"


def keep_results_from(db: Database, conversation_id: int, message_id: int) -> None:
    """Shorten the results above this message in all prompts from now on; never fewer than before."""
    first = max(message_id, results_kept_from(db, conversation_id))
    db.write(
        "UPDATE conversations SET settings = json_set(coalesce(settings, '{}'), ?, ?) WHERE id = ?",
        (_KEY, first, conversation_id),
    )


def results_kept_from(db: Database, conversation_id: int) -> int:
    """The first message whose results are whole; 0 where all are."""
    row = db.row("SELECT json_extract(settings, ?) AS first FROM conversations WHERE id = ?", (_KEY, conversation_id))
    return row["first"] if row and isinstance(row["first"], int) else 0
