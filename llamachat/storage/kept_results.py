"""From which message on a conversation's prompt holds search results whole; above it only titles and addresses.

It stands in the conversation's settings, so that every later prompt is made alike. The rows keep all that was found.
"""

from __future__ import annotations

from llamachat.storage.database import Database

_KEY = "$.results_kept_from"


def keep_results_from(db: Database, conversation_id: int, message_id: int) -> None:
    """Shorten the results above this message in all prompts from now on; never fewer than before."""
    db.write(
        "UPDATE conversations SET settings = json_set("
        "coalesce(settings, '{}'), :key, max(:first, coalesce(json_extract(settings, :key), 0))) WHERE id = :id",
        {"key": _KEY, "first": message_id, "id": conversation_id},
    )
