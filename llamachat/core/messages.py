"""Messages as they go over the wire, and as rows of the store."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from enum import StrEnum
from typing import TypeAlias

from llamachat.core.search_record import SearchRecord

JsonValue: TypeAlias = "str | int | float | bool | list[JsonValue] | dict[str, JsonValue] | None"
JsonObject: TypeAlias = dict[str, JsonValue]

# A message of the OpenAI chat protocol. Treated as frozen: whoever wants another one makes another one.
WireMessage: TypeAlias = Mapping[str, JsonValue]


class Role(StrEnum):
    """Who speaks in a stored row. Tool messages stand in the `wire` of the assistant row they belong to."""

    USER = "user"
    ASSISTANT = "assistant"


class Status(StrEnum):
    """How far a row has come."""

    COMPLETE = "complete"
    STREAMING = "streaming"  # found at start: the program was killed
    STOPPED = "stopped"  # by the user
    INTERRUPTED = "interrupted"  # stream cut off, error after text, program ended
    FAILED = "failed"  # no text came


@dataclass(frozen=True, slots=True)
class ToolCall:
    """A whole call of a model: `arguments` is the JSON text as it came, checked by whoever runs it."""

    id: str
    name: str
    arguments: str


@dataclass(frozen=True, slots=True)
class Usage:
    """What an answer cost. Counts are tokens, times milliseconds; None where the server did not say.

    Source: llama-server's `usage` and `timings` (`cache_n`, `prompt_n`, `prompt_ms`, `predicted_n`, `predicted_ms`).
    """

    prompt_tokens: int | None = None
    completion_tokens: int | None = None
    cache_n: int | None = None
    prompt_n: int | None = None
    prompt_ms: float | None = None
    predicted_n: int | None = None
    predicted_ms: float | None = None


@dataclass(frozen=True, slots=True)
class StreamMark:
    """An answer that the server keeps under `id` for a while, and how far it stands in a row: `offset` bytes of it.

    server: a digest of its address; only there is it asked for. content, reasoning: how many characters the texts
    of the row had at `offset`; content_from, reasoning_from: and at the first byte. usage: the cost before it.
    """

    id: str
    offset: int = 0
    server: str = ""
    content: int = 0
    reasoning: int = 0
    content_from: int = 0
    reasoning_from: int = 0
    usage: Usage = field(default_factory=Usage)


@dataclass(frozen=True, slots=True)
class StoredMessage:
    """A row of `messages`. `content` and `reasoning` are for people, `wire` is for the next request.

    `prompt` is the system prompt the answer was made with; times are seconds since 1970, UTC. `edited`: a person has
    written the text of the answer, or changed it. `stream`: where an answer that broke off may be taken up again.
    """

    id: int
    uid: str
    conversation_id: int
    parent_id: int | None
    role: Role
    content: str
    reasoning: str = ""
    prompt: str = ""
    searches: tuple[SearchRecord, ...] = ()
    wire: tuple[WireMessage, ...] = ()
    model: str = ""
    status: Status = Status.COMPLETE
    finish_reason: str = ""
    error: str = ""
    usage: Usage = field(default_factory=Usage)
    created_at: float = 0.0
    edited: bool = False
    stream: StreamMark | None = None

    @property
    def rounds(self) -> tuple[WireMessage, ...]:
        """Of `wire` of an answer what went over the wire after its question, with which it may begin."""
        return self.wire[1:] if self.wire and self.wire[0].get("role") == "user" else self.wire
