"""What a look through files of chats has found, in sentences. No Qt."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from llamachat.core.text import tr, trn
from llamachat.storage.imported import Arrival, Fate
from llamachat.transfer.reading import Reading, left_out
from llamachat.ui.days import day_of


@dataclass(frozen=True, slots=True)
class Preview:
    """The chats in the files, at least one, and what was met besides."""

    arrivals: tuple[Arrival, ...]
    reading: Reading


def found_sentence(preview: Preview) -> str:
    """Such as `ChatGPT: 312 chats with 5,021 messages, from 2023-01-02 to 2026-05-01, 40 of them with versions.`."""
    arrivals = preview.arrivals
    chats = trn("{count} chat", "{count} chats", len(arrivals))
    total = sum(arrival.messages for arrival in arrivals)
    messages = trn("{count} message", "{count} messages", total)
    parts = [tr("{chats} with {messages}").format(chats=chats, messages=messages)]
    times = [arrival.updated_at for arrival in arrivals]
    first, last = day_of(min(times)), day_of(max(times))
    span = tr("from {first} to {last}") if first != last else tr("of {first}")
    parts.append(span.format(first=first, last=last))
    if branches := sum(arrival.has_branches for arrival in arrivals):
        parts.append(trn("{count} of them with versions", "{count} of them with versions", branches))
    return f"{', '.join(preview.reading.formats)}: {', '.join(parts)}."


def remarks(preview: Preview) -> Iterator[str]:
    """Yield what is here already, and what does not come along."""
    counts = {fate: sum(arrival.fate is fate for arrival in preview.arrivals) for fate in Fate}
    if counts[Fate.KNOWN]:
        yield trn(
            "{count} chat is here already, with all its messages.",
            "{count} chats are here already, with all their messages.",
            counts[Fate.KNOWN],
        )
    if counts[Fate.GROWN]:
        yield trn(
            "{count} chat is here already and gets the messages that are new.",
            "{count} chats are here already and get the messages that are new.",
            counts[Fate.GROWN],
        )
    if counts[Fate.RESTORED]:
        yield trn(
            "{count} chat was deleted here and comes back.",
            "{count} chats were deleted here and come back.",
            counts[Fate.RESTORED],
        )
    yield from left_out(preview.reading)


def done_sentence(arrivals: Sequence[Arrival]) -> str:
    """What was imported."""
    grown = sum(arrival.fate is Fate.GROWN for arrival in arrivals)
    made = sum(arrival.fate in (Fate.NEW, Fate.RESTORED) for arrival in arrivals)
    told = [trn("{count} chat was imported.", "{count} chats were imported.", made)] if made or not grown else []
    if grown:
        told.append(trn("{count} chat has new messages.", "{count} chats have new messages.", grown))
    return " ".join(told)
