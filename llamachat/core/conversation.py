"""A conversation, as its row in the store."""

from __future__ import annotations

from dataclasses import dataclass
from enum import StrEnum


class SearchMode(StrEnum):
    """When a conversation searches the web: never, when the model (or the router for it) wants to, in each turn."""

    OFF = "off"
    AUTO = "auto"
    ALWAYS = "always"


class ListOrder(StrEnum):
    """What a list of conversations is sorted by: the newest message, the newest conversation, the title."""

    ACTIVITY = "activity"
    CREATED = "created"
    TITLE = "title"


@dataclass(frozen=True, slots=True)
class SystemPrompt:
    """What a model is told before the first question. `name`: of the settings, "" for default_prompt.

    edited: the text is this conversation's own; otherwise it is what the settings said when it was chosen.
    """

    name: str = ""
    text: str = ""
    edited: bool = False


@dataclass(frozen=True, slots=True)
class Conversation:
    """A row of `conversations`. `head_id` is the last message of the branch shown; `prompt` the system prompt.

    `id` is negative where the chat is in memory only (`storage/temporary.py`), and known to no database on a disk.
    Times are seconds since 1970, UTC. `model` is "" where the server's own choice is taken. `results_kept_from`: of
    messages with a lower id, prompts hold search results as titles and addresses alone. `forked`: from a message of
    another chat, which is still known.
    """

    id: int
    uid: str
    title: str
    created_at: float
    updated_at: float
    model: str = ""
    prompt: str = ""
    search_mode: SearchMode = SearchMode.AUTO
    head_id: int | None = None
    draft: str = ""
    pinned: bool = False
    archived: bool = False
    prompt_name: str = ""
    prompt_edited: bool = False
    tags: tuple[str, ...] = ()
    results_kept_from: int = 0
    forked: bool = False

    @property
    def system_prompt(self) -> SystemPrompt:
        """The prompt with what is known of it."""
        return SystemPrompt(self.prompt_name, self.prompt, self.prompt_edited)


def is_temporary(conversation_id: int | None) -> bool:
    """Whether this is a chat that is never written."""
    return conversation_id is not None and conversation_id < 0


@dataclass(frozen=True, slots=True)
class SearchHit:
    """A message (or a title: `message_id` None) that a history search found.

    `snippet` is text around the hit in pieces; the pieces with an odd index are what was searched for. `role` and
    `model` tell who wrote it ("": a title); `archived` that the chat was put away.
    """

    conversation_id: int
    message_id: int | None
    title: str
    snippet: tuple[str, ...]
    created_at: float
    role: str = ""
    archived: bool = False
    model: str = ""


@dataclass(frozen=True, slots=True)
class ChatHits:
    """What a history search found in one chat; never empty."""

    conversation_id: int
    title: str
    hits: tuple[SearchHit, ...]
