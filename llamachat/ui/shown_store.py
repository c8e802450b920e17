"""The store of the chat that is shown: the history, or for as long as a temporary chat is shown its own in memory."""

from __future__ import annotations

from collections.abc import Callable
from typing import TypeVar

from llamachat.core.conversation import is_temporary
from llamachat.storage.database import Database
from llamachat.ui.tasks import Failed, Lane

T = TypeVar("T")


class ShownStore:
    """Hands work to the lane that has the chat. Used in the GUI thread.

    history: the lane of what is stored. temporary: that of the temporary chat, while there is one.
    """

    def __init__(self, history: Lane[Database]) -> None:
        self.history = self._lane = history
        self.temporary: Lane[Database] | None = None
        self._keys: set[str] = set()

    def of(self, conversation_id: int | None) -> Lane[Database]:
        """The lane that has a chat, shown or not (None: one that is not made yet)."""
        return self.temporary if is_temporary(conversation_id) and self.temporary else self.history

    def turn_to(self, conversation_id: int | None) -> None:
        """This chat will be shown. What is still being read for the one before is dropped."""
        lane = self.of(conversation_id)
        if lane is not self._lane:
            for key in self._keys:
                self._lane.forget(key)
            self._lane = lane

    def read(
        self, fn: Callable[[Database], T], done: Callable[[T], None], failed: Failed | None = None, *, key: str = ""
    ) -> None:
        """As `Lane.read`."""
        if key:
            self._keys.add(key)
        self._lane.read(fn, done, failed, key=key)

    def forget(self, key: str) -> None:
        """As `Lane.forget`."""
        self._lane.forget(key)

    def write(
        self, fn: Callable[[Database], T], done: Callable[[T], None] | None = None, failed: Failed | None = None
    ) -> None:
        """As `Lane.write`."""
        self._lane.write(fn, done, failed)
