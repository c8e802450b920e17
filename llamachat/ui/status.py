"""What the status line says. `status_text` alone decides: search, then server, then queue, then idle.

No Qt. A turn's events are folded into a `TurnStatus`; times are seconds of a monotonic clock.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, replace
from enum import StrEnum

from llamachat.core.completion import PromptProgress
from llamachat.core.events import Event, Kind, Phase, PhaseName
from llamachat.core.messages import Usage
from llamachat.core.search_record import record_from_json
from llamachat.core.text import tr, trn

FAILURE_SHOWN_S = 2.5


class Doing(StrEnum):
    """What a turn is at."""

    WAITING = "waiting"
    BEHIND = "behind"
    LOADING = "loading"
    RETRYING = "retrying"
    TAKING_UP = "taking_up"
    ROUTING = "routing"
    FRAMING = "framing"
    ASKING = "asking"
    PAGES = "pages"
    READING = "reading"
    THINKING = "thinking"
    SEARCHING = "searching"
    ANSWERING = "answering"


AT_WORK = (Doing.READING, Doing.THINKING, Doing.ANSWERING)  # what takes up a slot of the server
_PHASES = {
    PhaseName.WAITING: Doing.WAITING,
    PhaseName.BEHIND: Doing.BEHIND,
    PhaseName.LOADING: Doing.LOADING,
    PhaseName.RETRYING: Doing.RETRYING,
    PhaseName.TAKING_UP: Doing.TAKING_UP,
    PhaseName.ROUTING: Doing.ROUTING,
    PhaseName.FRAMING: Doing.FRAMING,
    PhaseName.CONSENT: Doing.ASKING,
    PhaseName.READING: Doing.PAGES,
}
_TEXTS = {Kind.REASONING: Doing.THINKING, Kind.CONTENT: Doing.ANSWERING}


@dataclass(frozen=True, slots=True)
class TurnStatus:
    """Where a turn stands. `since`: when that began; `failed_at`: when a search last failed; `pages`: read, of all.

    `behind`: the server is busy with other chats of this window.
    """

    doing: Doing = Doing.WAITING
    since: float = 0.0
    query: str = ""
    percent: int = 0
    pages: tuple[int, int] = (0, 0)
    failed_at: float | None = None
    stopping: bool = False
    behind: bool = False

    @property
    def is_behind(self) -> bool:
        """Whether other answers have to end first, in the program or, as far as one can tell, at the server."""
        return self.doing is Doing.BEHIND or (self.behind and self.doing is Doing.WAITING)


@dataclass(frozen=True, slots=True)
class ServerStatus:
    """What is known of the model server. `sentence` is empty while nothing is known."""

    reachable: bool = False
    sentence: str = ""


def follow(status: TurnStatus, events: Iterable[Event], *, now: float) -> TurnStatus:
    """The status after some more events of the turn."""
    for event in events:
        status = _after(status, event, now)
    return status


def _after(status: TurnStatus, event: Event, now: float) -> TurnStatus:
    data = event.data
    if isinstance(data, Phase):
        status = replace(status, pages=(data.done, data.total))
        return _at(status, _PHASES[data.name], now - data.waited_s)
    if isinstance(data, PromptProgress):
        percent = round(100 * data.processed / data.total) if data.total > 0 else 0
        return replace(_at(status, Doing.READING, now), percent=percent)
    if event.kind is Kind.SEARCH_START and isinstance(data, str):
        return replace(status, doing=Doing.SEARCHING, since=now, query=" ".join(data.split()))
    if event.kind is Kind.SEARCH_DONE and isinstance(data, str):
        failed = record_from_json(data).failed
        return replace(_at(status, Doing.WAITING, now), failed_at=now if failed else status.failed_at)
    doing = _TEXTS.get(event.kind)
    return _at(status, doing, now) if doing else status


def _at(status: TurnStatus, doing: Doing, since: float) -> TurnStatus:
    return (
        status if status.doing is doing and doing is not Doing.READING else replace(status, doing=doing, since=since)
    )


def status_text(
    turn: TurnStatus | None, server: ServerStatus, *, now: float, provider: str = "", waiting: int = 0, idle: str = ""
) -> str:
    """The one line. `turn`: of the chat that is shown; `waiting`: how many other chats wait; `idle`: the rest."""
    text = _turn_text(turn, now=now, provider=provider) if turn else _idle_text(server, idle)
    if waiting:
        text += " · " + trn("{count} other chat waits", "{count} other chats wait", waiting)
    return text


def _turn_text(turn: TurnStatus, *, now: float, provider: str) -> str:
    if turn.stopping:
        return tr("Stopping")
    if turn.doing is Doing.SEARCHING:
        parts = [tr("searching: {query}…").format(query=turn.query), provider, _seconds(now - turn.since, digits=1)]
        return " · ".join(part for part in parts if part)
    if turn.failed_at is not None and now - turn.failed_at < FAILURE_SHOWN_S:
        return tr("Search failed")
    if turn.doing in SEARCH_PHASES:
        return phase_text(SEARCH_PHASES[turn.doing], *turn.pages)
    if turn.doing is Doing.READING:
        return tr("Reading the prompt · {percent} %").format(percent=turn.percent)
    if turn.doing in (Doing.THINKING, Doing.ANSWERING):
        return tr("Thinking") if turn.doing is Doing.THINKING else tr("Answering")
    waiting = tr("Waiting for another answer to end") if turn.is_behind else _waiting_text(turn.doing)
    return f"{waiting} · {_seconds(now - turn.since, digits=0)}"


SEARCH_PHASES = {
    Doing.ROUTING: PhaseName.ROUTING,
    Doing.FRAMING: PhaseName.FRAMING,
    Doing.ASKING: PhaseName.CONSENT,
    Doing.PAGES: PhaseName.READING,
}


def phase_text(name: PhaseName, done: int, total: int) -> str:
    """What the phases around a search are called, in the status line and in the answer's place."""
    if name is PhaseName.ROUTING:
        return tr("Deciding whether to search")
    if name is PhaseName.FRAMING:
        return tr("Framing query")
    if name is PhaseName.CONSENT:
        return tr("Waiting for your word on the search")
    return tr("Reading pages · {done} of {total}").format(done=done, total=total)


def _waiting_text(doing: Doing) -> str:
    words = {
        Doing.LOADING: tr("The server is loading the model"),
        Doing.RETRYING: tr("Trying to reach the server again"),
        Doing.TAKING_UP: tr("The connection was lost, taking the answer up again"),
    }
    return words.get(doing) or tr("Waiting for the model")


def _idle_text(server: ServerStatus, idle: str) -> str:
    return idle if server.reachable and idle else server.sentence


def _seconds(seconds: float, *, digits: int) -> str:
    return tr("{seconds} s").format(seconds=f"{max(0.0, seconds):.{digits}f}")


def usage_text(usage: Usage) -> str:
    """What the last answer cost, in few words; "" where the server did not say."""
    count = usage.completion_tokens or usage.predicted_n
    if not count:
        return ""
    text = trn("{count} token", "{count} tokens", count)
    if usage.predicted_n and usage.predicted_ms:
        text += " · " + tr("{rate} tokens/s").format(rate=f"{usage.predicted_n / usage.predicted_ms * 1000:.1f}")
    return text
