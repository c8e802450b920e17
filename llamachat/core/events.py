"""What a turn tells its listeners: a closed list of kinds, read by name or unpacked as (kind, data)."""

from __future__ import annotations

import json
from dataclasses import asdict, dataclass, is_dataclass
from enum import StrEnum
from typing import NamedTuple, TypeAlias

from llamachat.core.completion import PromptProgress, StreamPosition
from llamachat.core.messages import Usage, WireMessage


class Kind(StrEnum):
    """The kinds of events; the type of `data` stands beside each."""

    REASONING = "reasoning"  # str
    CONTENT = "content"  # str
    PHASE = "phase"  # Phase
    PROGRESS = "progress"  # PromptProgress
    SEARCH_START = "search_start"  # str: the query
    SEARCH_DONE = "search_done"  # str: JSON of one SearchRecord
    MESSAGE = "message"  # WireMessage that belongs to the turn
    NOTICE = "notice"  # str: a sentence for the user
    USAGE = "usage"  # Usage
    STREAM = "stream"  # StreamPosition: what was told before is all of the answer up to there; the recorder keeps it
    FINISH = "finish"  # Finish, always the last event


class PhaseName(StrEnum):
    """What is going on while nothing else comes."""

    WAITING = "waiting"  # the request is out, no token yet
    BEHIND = "behind"  # other answers of the program take up all that the server writes at a time
    LOADING = "loading"  # the server loads the model
    RETRYING = "retrying"  # the server was away for a moment
    TAKING_UP = "taking_up"  # the connection was lost while the answer came, and the server keeps it
    ROUTING = "routing"  # the model is asked whether to search
    FRAMING = "framing"  # the query is being written
    CONSENT = "consent"  # the user is asked whether the query may go out
    READING = "reading"  # pages are being read


@dataclass(frozen=True, slots=True)
class Phase:
    """A phase and how long it has lasted, in seconds. done, total: where it is about several things."""

    name: PhaseName
    waited_s: float = 0.0
    done: int = 0
    total: int = 0


class FinishReason(StrEnum):
    """How a turn ended."""

    STOP = "stop"  # the answer is whole
    LENGTH = "length"  # cut by the token limit
    THINKING = "thinking"  # likewise, before an answer began
    STOPPED = "stopped"  # by the user
    CUT_OFF = "cut_off"  # the stream broke off
    EMPTY = "empty"  # the model gave nothing that can be read
    ERROR = "error"


@dataclass(frozen=True, slots=True)
class Finish:
    """The end of a turn. `error` and `next_step` are sentences, empty when all went well; `cause` a ServerCause."""

    reason: FinishReason
    error: str = ""
    next_step: str = ""
    cause: str = ""


EventData: TypeAlias = str | Phase | PromptProgress | WireMessage | Usage | StreamPosition | Finish


class Event(NamedTuple):
    """One thing that happened in a turn."""

    kind: Kind
    data: EventData


def event_to_json(event: Event) -> str:
    """One line of JSON, as `llamachat ask --json` prints it: `{"kind": ..., "data": ...}`."""
    data = event.data
    plain = asdict(data) if is_dataclass(data) else dict(data) if not isinstance(data, str) else data
    if event.kind is Kind.SEARCH_DONE and isinstance(data, str):
        plain = json.loads(data)
    return json.dumps({"kind": event.kind, "data": plain}, ensure_ascii=False)
