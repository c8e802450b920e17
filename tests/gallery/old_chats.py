"""A list of chats for pictures of the window."""

from __future__ import annotations

import time

from llamachat.config.paths import Paths
from llamachat.core.clock import SystemClock
from llamachat.core.messages import Role
from llamachat.storage.conversations import create_conversation
from llamachat.storage.database import Database
from llamachat.storage.messages import add_message

OLD_CHATS = (  # title, age in days
    ("Sourdough that does not rise", 0.02),
    ("Regex for ISO dates with an optional time zone", 0.1),
    ("Was bedeutet »Fernweh«?", 1.0),
    ("Explain the borrow checker with a library card", 1.2),
    ("A very long title of a chat that somebody began with a whole paragraph and never renamed", 3.0),
    ("Packing list for a week in the mountains", 5.0),
    ("Compare zram and zswap", 20.0),
    ("日本語の敬語の練習", 21.0),
    ("Letter to the landlord about the heating", 70.0),
)


class Shifted(SystemClock):
    """Real time, some days ago."""

    def __init__(self, days: float) -> None:
        self._seconds = days * 86400

    def now(self) -> float:
        """Then."""
        return time.time() - self._seconds


def make_history(paths: Paths) -> None:
    """Fill the list of chats."""
    for title, days in reversed(OLD_CHATS):
        with Database.open(paths.database, clock=Shifted(days)) as db:
            chat = create_conversation(db, title=title)
            question = add_message(db, conversation_id=chat.id, parent_id=None, role=Role.USER, content=title)
            text = f"It depends, as a lighthouse keeper would say. {title}: here is what I know."
            add_message(db, conversation_id=chat.id, parent_id=question.id, role=Role.ASSISTANT, content=text)
