"""An answer that the server has kept is taken up again: what of it was stored, and what of it will come twice.

A row may be ahead of the place from which the answer is asked for: that is moved on only where nothing was held back.
"""

from __future__ import annotations

import itertools
from collections.abc import Generator, Iterable, Sequence
from contextlib import closing
from dataclasses import dataclass, replace
from typing import TypeAlias

from llamachat.chat.history import BREAK, StoredAnswer, take_apart
from llamachat.core.completion import StreamPosition
from llamachat.core.events import Event, Kind
from llamachat.core.messages import StoredMessage, StreamMark, WireMessage

Events: TypeAlias = Generator[Event, None, None]


@dataclass(frozen=True, slots=True)
class TakenUp:
    """An answer from `position` on. begun: what there was before it was asked for.

    content, reasoning: what it had brought by `position`. content_ahead, reasoning_ahead: what of the texts that come
    now stands in the row already.
    """

    position: StreamPosition
    begun: StoredAnswer
    content: str = ""
    reasoning: str = ""
    content_ahead: str = ""
    reasoning_ahead: str = ""


def take_up(answer: StoredMessage, mark: StreamMark) -> TakenUp:
    """What `mark` says about the row."""
    content, reasoning = answer.content, answer.reasoning
    before = replace(answer, content=content[: mark.content_from], reasoning=reasoning[: mark.reasoning_from])
    begun = take_apart(before)
    return TakenUp(
        StreamPosition(mark.id, mark.offset, mark.server),
        begun if begun.content.strip() else replace(begun, content=""),
        _brought(content[mark.content_from : mark.content], begun.rounds, begun.content),
        _brought(reasoning[mark.reasoning_from : mark.reasoning], begun.rounds, begun.reasoning),
        content[mark.content :],
        reasoning[mark.reasoning :],
    )


def _brought(text: str, rounds: Sequence[WireMessage], before: str) -> str:
    """What the model has said of the text: what sets it apart from a tool round is shown and belongs to neither."""
    return text.removeprefix(BREAK) if rounds and not before else text


def without_repeats(events: Events, taken: TakenUp) -> Events:
    """The same without the text that stands in the row; until that is over, no place from which to take up either."""
    ahead = {Kind.CONTENT: taken.content_ahead, Kind.REASONING: taken.reasoning_ahead}
    with closing(events):
        for event in events:
            kind, data = event
            if isinstance(data, StreamPosition) and data.id and any(ahead.values()):
                continue
            if ahead.get(kind) and isinstance(data, str):
                data, ahead[kind] = _new(data, ahead[kind])
            if data != "":
                yield Event(kind, data)


def _new(text: str, ahead: str) -> tuple[str, str]:
    """What of the text is new, and what is ahead after it: nothing once the two differ.

    They do where text was taken for the beginning of a call, and shown when the connection was lost.
    """
    common = min(len(text), len(ahead))
    return (text[common:], ahead[common:]) if text[:common] == ahead[:common] else (text, "")


def rounds_before(messages: Iterable[WireMessage]) -> tuple[int, int]:
    """How many rounds of calls the turn has had, and how many calls."""
    turn = itertools.takewhile(lambda message: message.get("role") != "user", reversed(list(messages)))
    calls = [calls for message in turn if isinstance(calls := message.get("tool_calls"), list) and calls]
    return len(calls), sum(map(len, calls))
