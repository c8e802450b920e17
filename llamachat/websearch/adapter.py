"""What is particular to one search service: how it is asked, how it answers, how it refuses."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass, field

from llamachat.core.errors import SearchCause
from llamachat.core.messages import JsonValue
from llamachat.searxng.reply import Reply
from llamachat.web_request import WebRequest


@dataclass(frozen=True, slots=True)
class Question:
    """One search. `address` is that of the service without a path, `count` how many results are wanted."""

    words: str
    count: int
    address: str
    key: str = field(default="", repr=False)


@dataclass(frozen=True, slots=True)
class Refusal:
    """Why a service gave no results. words: its own, as they came. wait_s: how long it asks to wait.

    link: an address of the service where a person can set it right.
    """

    cause: SearchCause
    words: str = ""
    wait_s: float | None = None
    link: str = ""


@dataclass(frozen=True, slots=True)
class Found:
    """A result as it came: three fields of any kind."""

    title: JsonValue
    url: JsonValue
    content: JsonValue


@dataclass(frozen=True, slots=True, kw_only=True)
class Adapter:
    """One service. Nothing in it is verified against the live service; shapes are those of docs/providers.md.

    address: where it listens. host: where queries end up, for people. key_variable: the environment variable with its
    key, "" where it needs none. keys_at: the site that hands keys out. most: results that one request brings.
    max_chars: the longest query it takes. request: makes the request. refusal: what a reply says went wrong, looking
    at the body before the status; None where it holds an answer. results: the results in a reply, None where it has
    another shape. sentences: its own sentence and next step for a cause, in place of the usual ones, with {name},
    {site} and {link} to be filled in.
    """

    id: str
    name: str
    address: str
    host: str
    key_variable: str = ""
    keys_at: str = ""
    most: int = 20
    max_chars: int = 400
    request: Callable[[Question], WebRequest]
    refusal: Callable[[Reply], Refusal | None]
    results: Callable[[Reply], Iterable[Found] | None]
    sentences: Callable[[], Mapping[SearchCause, tuple[str, str]]] = dict
