"""The turn that runs: takes in its events, says which parts of the drawn answer change. No Qt."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field, replace

from llamachat.core.completion import PromptProgress
from llamachat.core.events import Event, EventData, Finish, Kind, Phase, PhaseName
from llamachat.core.messages import StoredMessage, Usage
from llamachat.core.seams import Clock
from llamachat.core.search_record import record_from_json
from llamachat.core.text import tr
from llamachat.render.blocks import format_seconds
from llamachat.ui.status import phase_text
from llamachat.ui.transcript.parts import Part

_PATIENCE_S = 2.0  # how long waiting goes without a number


@dataclass(slots=True)
class Changes:
    """What a batch of events changes: text and notices that came, and parts to draw anew.

    `sources` is True when a search gave results: numbers in the body may be links now.
    """

    content: str = ""
    notices: list[str] = field(default_factory=list)
    sources: bool = False
    parts: set[Part] = field(default_factory=set)


class LiveTurn:
    """The answer as far as it has come, and what is going on while nothing comes."""

    def __init__(self, message: StoredMessage, *, clock: Clock, provider: str) -> None:
        self.message = message
        self.behind = False  # the server is busy with other chats
        self._clock = clock
        self._provider = provider
        self._waiting: Callable[[float], str] | None = None
        self._since = 0.0
        self._wait(_waiting_text)
        self._takers: Mapping[Kind, Callable[[EventData, Changes], None]] = {
            Kind.REASONING: self._take_reasoning,
            Kind.CONTENT: self._take_content,
            Kind.PHASE: self._take_phase,
            Kind.PROGRESS: self._take_progress,
            Kind.SEARCH_START: self._take_search_start,
            Kind.SEARCH_DONE: self._take_search,
            Kind.NOTICE: self._take_notice,
            Kind.USAGE: self._take_usage,
            Kind.FINISH: self._take_finish,
        }

    def take(self, events: Sequence[Event]) -> Changes:
        """Take in a batch."""
        changes = Changes()
        for kind, data in events:
            taker = self._takers.get(kind)
            if taker:
                taker(data, changes)
        return changes

    def waiting_text(self) -> str:
        """What goes on right now; "" while text comes."""
        text = _behind_text if self.behind and self._waiting == _waiting_text else self._waiting
        return text(self._clock.monotonic() - self._since) if text else ""

    def _wait(self, text: Callable[[float], str] | None, waited_s: float = 0.0) -> None:
        self._waiting = text
        self._since = self._clock.monotonic() - waited_s

    def _take_reasoning(self, data: EventData, changes: Changes) -> None:
        if isinstance(data, str) and data:
            self.message = replace(self.message, reasoning=self.message.reasoning + data)
            self._text_came(changes, Part.THINKING)

    def _take_content(self, data: EventData, changes: Changes) -> None:
        if isinstance(data, str) and data:
            self.message = replace(self.message, content=self.message.content + data)
            changes.content += data
            self._text_came(changes, Part.BODY)

    def _text_came(self, changes: Changes, part: Part) -> None:
        self._wait(None)
        changes.parts |= {part, Part.WAITING}

    def _take_phase(self, data: EventData, changes: Changes) -> None:
        if isinstance(data, Phase):
            self._wait(_text_of(data), data.waited_s)
            changes.parts.add(Part.WAITING)

    def _take_progress(self, data: EventData, changes: Changes) -> None:
        if isinstance(data, PromptProgress) and data.total > 0:
            percent = min(round(100 * data.processed / data.total), 100)
            self._wait(lambda _: tr("reading the prompt {percent} %").format(percent=percent))
            changes.parts.add(Part.WAITING)

    def _take_search_start(self, data: EventData, changes: Changes) -> None:
        query, provider = str(data), self._provider
        searching = tr("searching: {query}…").format(query=query)
        self._wait(lambda waited: " · ".join(filter(None, (searching, provider, format_seconds(waited)))))
        changes.parts.add(Part.WAITING)

    def _take_search(self, data: EventData, changes: Changes) -> None:
        record = record_from_json(str(data))
        self.message = replace(self.message, searches=(*self.message.searches, record))
        self._wait(_waiting_text)
        changes.sources |= bool(record.results)
        changes.parts |= {Part.SEARCHES, Part.WAITING}

    def _take_notice(self, data: EventData, changes: Changes) -> None:
        changes.notices.append(str(data))
        changes.parts.add(Part.NOTICES)

    def _take_usage(self, data: EventData, _changes: Changes) -> None:
        if isinstance(data, Usage):
            self.message = replace(self.message, usage=data)

    def _take_finish(self, data: EventData, changes: Changes) -> None:
        if isinstance(data, Finish):
            self._wait(None)
            changes.parts.add(Part.WAITING)


def _waiting_text(waited_s: float) -> str:
    if waited_s < _PATIENCE_S:
        return tr("waiting for the first token")
    return tr("waiting for the first token, {seconds:.0f} s").format(seconds=waited_s)


def _behind_text(waited_s: float) -> str:
    if waited_s < _PATIENCE_S:
        return tr("waiting for another answer to end")
    return tr("waiting for another answer to end, {seconds:.0f} s").format(seconds=waited_s)


def _loading_text(waited_s: float) -> str:
    return tr("loading the model, {seconds:.0f} s").format(seconds=waited_s)


def _retrying_text(waited_s: float) -> str:
    return tr("the server is away, trying again, {seconds:.0f} s").format(seconds=waited_s)


def _taking_up_text(waited_s: float) -> str:
    return tr("the connection was lost, taking the answer up again, {seconds:.0f} s").format(seconds=waited_s)


def _text_of(phase: Phase) -> Callable[[float], str]:
    return _PHASES.get(phase.name) or (lambda _: phase_text(phase.name, phase.done, phase.total))


_PHASES: Mapping[PhaseName, Callable[[float], str]] = {
    PhaseName.WAITING: _waiting_text,
    PhaseName.BEHIND: _behind_text,
    PhaseName.LOADING: _loading_text,
    PhaseName.RETRYING: _retrying_text,
    PhaseName.TAKING_UP: _taking_up_text,
}
