"""A request to a model and the deltas of its answer: what `llm` and `chat` hand each other."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TypeAlias

from llamachat.core.messages import JsonObject, Usage, WireMessage


@dataclass(frozen=True, slots=True)
class Endpoint:
    """A server with the OpenAI API. `base_url` has a scheme and no `/v1`. `api_key` is kept out of `repr`.

    request_timeout_s: longest silence between two bytes. load_timeout_s: how long a loading model is waited for.
    """

    base_url: str
    api_key: str = field(default="", repr=False)
    request_timeout_s: float = 300.0
    load_timeout_s: float = 600.0


@dataclass(frozen=True, slots=True)
class Sampling:
    """How tokens are picked. None leaves it to the server. Names as llama-server takes them."""

    temperature: float | None = None
    top_k: int | None = None
    top_p: float | None = None
    min_p: float | None = None
    repeat_penalty: float | None = None
    presence_penalty: float | None = None
    frequency_penalty: float | None = None
    seed: int | None = None
    max_tokens: int | None = None


@dataclass(frozen=True, slots=True)
class StreamPosition:
    """All deltas of the first `offset` bytes of an answer have been given, which the server keeps under `id`.

    Once with 0 before it is asked for, and from time to time while it comes. server: a digest of its address.
    id "": the server has it no more.
    """

    id: str
    offset: int = 0
    server: str = ""


@dataclass(frozen=True, slots=True)
class CompletionRequest:
    """One chat completion. `tools` keep their order and wording over a whole chat (append-only prompts).

    tool_choice: "auto", "none" or None (not sent). thinking: None leaves it to the server. grammar (GBNF, as
    llama-server takes it) and schema (of JSON) bind the answer; neither goes with tools.
    continues: the field of the last message, an assistant's, that a llama-server goes on with ("content" or
    "reasoning_content"; the thinking ends where the content goes on); "" leaves it to the server.
    keep: have the server keep the answer while the connection is lost, where it can.
    takes_up: ask for nothing; go on with an answer that the server keeps, from there on.
    slot: of a llama-server, the one that is to answer, whose prompt it forgets; None leaves it to the server.
    """

    messages: tuple[WireMessage, ...]
    tools: tuple[JsonObject, ...] = ()
    tool_choice: str | None = None
    model: str = ""
    sampling: Sampling = field(default_factory=Sampling)
    thinking: bool | None = None
    grammar: str = ""
    schema: JsonObject | None = None
    continues: str = ""
    keep: bool = False
    takes_up: StreamPosition | None = None
    slot: int | None = None


@dataclass(frozen=True, slots=True)
class ReasoningDelta:
    """More thinking."""

    text: str


@dataclass(frozen=True, slots=True)
class ContentDelta:
    """More of the answer."""

    text: str


@dataclass(frozen=True, slots=True)
class ToolCallDelta:
    """A piece of a tool call. `index`, `id` and `name` may be missing: servers differ."""

    index: int | None = None
    id: str = ""
    name: str = ""
    arguments: str = ""


@dataclass(frozen=True, slots=True)
class PromptProgress:
    """How much of the prompt has been read, in tokens; `cache` of them came free."""

    total: int
    cache: int
    processed: int
    time_ms: float = 0.0


@dataclass(frozen=True, slots=True)
class ServerWait:
    """The request waits: the model is loading, the server is away for a moment, or the connection was lost while
    the answer came and is taken up again. Sent about once a second.
    """

    reason: str  # "loading", "retrying" or "taking_up"
    waited_s: float


@dataclass(frozen=True, slots=True)
class UsageDelta:
    """What the answer cost."""

    usage: Usage


@dataclass(frozen=True, slots=True)
class FinishDelta:
    """The server's finish reason: stop, tool_calls, length or a word of its own."""

    reason: str


Delta: TypeAlias = (
    ReasoningDelta
    | ContentDelta
    | ToolCallDelta
    | PromptProgress
    | ServerWait
    | UsageDelta
    | FinishDelta
    | StreamPosition
)
