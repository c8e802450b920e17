"""A conversation with everything said in it, as it travels between databases and programs."""

from __future__ import annotations

from dataclasses import dataclass

from llamachat.core.conversation import Conversation
from llamachat.core.messages import StoredMessage


@dataclass(frozen=True, slots=True)
class WholeChat:
    """A conversation and its messages on all branches, each after its parent.

    In one that was read from a file `id`, `parent_id` and `head_id` number the messages within it only; times that
    are not known are 0.
    """

    conversation: Conversation
    messages: tuple[StoredMessage, ...]
