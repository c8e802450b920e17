"""The guard in front of every search: what was asked already, how often may be asked, and when engines refuse.

Public engines shut out who asks too often, and then every search comes back empty. So the same question is answered
from memory, searches are paced (a burst, then one at a time), and refusals pause them for longer and longer. One pace
holds for all of a person's processes; the answers are remembered in this one only (`search_memory`).
"""

from __future__ import annotations

import copy
import math
from collections.abc import Callable, Hashable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import TypeAlias
from urllib.parse import unquote_plus

from llamachat.core.errors import SearchCause, SearchError
from llamachat.core.seams import Clock
from llamachat.core.text import tr, trn
from llamachat.searxng.answer import SearchAnswer
from llamachat.websearch.guard_state import Engines, GuardState, Refusals, StateFile
from llamachat.websearch.query_words import query_words
from llamachat.websearch.search_memory import Remembered, SearchMemory

PROBE_S = 60.0  # a search that tries whether a pause may end is over by then
_REFUSED = frozenset({SearchCause.ENGINES_REFUSED, SearchCause.LIMITED, SearchCause.BOT_PAGE})


@dataclass(frozen=True, slots=True)
class GuardLimits:
    """Seconds and counts: how long answers are remembered; the burst, and the time until one more may go out;
    refusals in a row that pause, the first pause and the longest."""

    cache_s: float = 900.0
    burst: int = 6
    refill_s: float = 20.0
    trip_after: int = 2
    pause_s: float = 300.0
    pause_max_s: float = 3600.0


@dataclass(frozen=True, slots=True)
class Guarded:
    """An answer. age_s: how old it is where it came from memory, else None; query: what was asked for it then."""

    answer: SearchAnswer
    age_s: float | None = None
    query: str = ""


@dataclass(frozen=True, slots=True)
class GuardStatus:
    """For people and `/status`. The counts run since `since` (seconds since 1970).

    paused_s: seconds left, 0 when not paused. free: searches that may go out at once.
    """

    sent: int
    cached: int
    paced: int
    paused: int
    since: float
    paused_s: float
    reason: str
    free: int


Ask: TypeAlias = Callable[[], SearchAnswer]


class Guard:
    """One for the process; any thread may call it. Nothing waits: what may not go out now is refused.

    memory: what was found a short time ago.
    """

    def __init__(self, limits: GuardLimits, state_file: Path, *, clock: Clock) -> None:
        self.limits = limits
        self.memory = SearchMemory()
        self._state = StateFile(state_file)
        self._clock = clock

    def apart(self) -> Guard:
        """The same pace and the same pauses, with a memory that nobody else has."""
        other = copy.copy(self)
        other.memory = SearchMemory()
        return other

    def search(self, query: str, ask: Ask, *, provider: str, scope: Hashable = (), fresh: bool = False) -> Guarded:
        """Answer from memory, or call `ask` if that may be now, and learn from how it went.

        scope: whatever else the answer depends on. fresh: not from memory. Raises SearchError, also one with the
        cause PACED or PAUSED and `retry_after_s`, and whatever else `ask` raises.
        """
        known = None if fresh else self.remembered(query, provider=provider, scope=scope)
        if known is not None:
            return known
        with self._outcome(provider, query, probing=self._permit(provider)):
            answer = ask()
        self.memory.keep(Remembered(query, query_words(query), (provider, scope), answer, self._clock.now()))
        return Guarded(answer)

    def remembered(self, query: str, *, provider: str, scope: Hashable = ()) -> Guarded | None:
        """What was answered to this question a short time ago."""
        known = self.memory.answer(query_words(query), (provider, scope), after=self.oldest)
        if known is None:
            return None
        with self._state.changing() as state:
            state.cached += 1
        return Guarded(known.answer, max(0.0, self._clock.now() - known.at), known.query)

    def knows(self, query: str, *, provider: str, scope: Hashable = ()) -> bool:
        """Whether a search would be answered from memory."""
        return self.memory.answer(query_words(query), (provider, scope), after=self.oldest) is not None

    @property
    def oldest(self) -> float:
        """From when on something is remembered, in seconds since 1970."""
        return self._clock.now() - self.limits.cache_s

    def status(self, provider: str) -> GuardStatus:
        """How things stand."""
        now = self._clock.now()
        with self._state.changing() as state:
            refusals = state.providers.get(provider, Refusals())
            left = self._pause_left(refusals, now)
            return GuardStatus(
                sent=state.sent,
                cached=state.cached,
                paced=state.paced,
                paused=state.paused,
                since=state.since,
                paused_s=left,
                reason=refusals.reason if left else "",
                free=int(self._tokens(state, now)),
            )

    def refusal(self, provider: str) -> SearchError | None:
        """Why nothing can be sent now; None where a search may go out."""
        now = self._clock.now()
        with self._state.changing() as state:
            return self._why_not(state, state.providers.get(provider, Refusals()), now)

    # How often may be asked

    def _permit(self, provider: str) -> bool:
        """Take the right to send one search; True where it is to try whether a pause may end."""
        now = self._clock.now()
        with self._state.changing() as state:
            state.since = state.since or now
            refusals = state.of(provider)
            error = self._refuse(state, refusals, now)
            if error is None:
                state.tokens, state.at = self._tokens(state, now) - 1, now
                state.sent += 1
                probing = refusals.pauses > 0
                refusals.probe_until = now + PROBE_S if probing else 0.0
        if error:
            raise error
        return probing

    def _refuse(self, state: GuardState, refusals: Refusals, now: float) -> SearchError | None:
        error = self._why_not(state, refusals, now)
        state.paused += error is not None and error.cause is SearchCause.PAUSED
        state.paced += error is not None and error.cause is SearchCause.PACED
        return error

    def _why_not(self, state: GuardState, refusals: Refusals, now: float) -> SearchError | None:
        if left := max(self._pause_left(refusals, now), min(PROBE_S, refusals.probe_until - now)):
            return _paused(refusals, left)
        tokens = self._tokens(state, now)
        return _paced((1 - tokens) * self.limits.refill_s) if tokens < 1 else None

    def _tokens(self, state: GuardState, now: float) -> float:
        if state.tokens is None:
            return self.limits.burst
        state.at = min(state.at, now)  # the clock was set back
        return min(self.limits.burst, state.tokens + (now - state.at) / self.limits.refill_s)

    def _pause_left(self, refusals: Refusals, now: float) -> float:
        """Seconds; a clock that was set back makes no pause longer than the longest."""
        refusals.paused_until = min(refusals.paused_until, now + self.limits.pause_max_s)
        return max(0.0, refusals.paused_until - now)

    # When engines refuse

    @contextmanager
    def _outcome(self, provider: str, query: str, *, probing: bool) -> Iterator[None]:
        try:
            yield
        except SearchError as error:
            with self._state.changing() as state:
                refusals = state.of(provider)
                refusals.probe_until = 0.0
                if error.cause in _REFUSED:
                    refusals.engines = tuple(pair for pair in error.engines if not _repeats(query, " ".join(pair)))
                    refusals.reason = _reason(error.sentence, refusals.engines, query)
                    self._count_refusal(refusals, error, probing=probing)
            raise
        except BaseException:  # stopped: nothing is known
            with self._state.changing() as state:
                state.of(provider).probe_until = 0.0
            raise
        with self._state.changing() as state:
            state.providers[provider] = Refusals()

    def _count_refusal(self, refusals: Refusals, error: SearchError, *, probing: bool) -> None:
        longest, now = self.limits.pause_max_s, self._clock.now()
        named = min(longest, error.retry_after_s or 0)
        if 0 < named < self.limits.pause_s and not probing:  # only asked too fast: it says when it answers again
            refusals.paused_until = now + named
            return
        refusals.in_a_row += 1
        if not (probing or refusals.in_a_row >= self.limits.trip_after or named):
            return
        pause = min(longest, self.limits.pause_s * 2 ** min(refusals.pauses, 32))
        refusals.paused_until = now + max(pause, named)
        refusals.pauses += 1


def _reason(sentence: str, engines: Engines, query: str) -> str:
    """Why searches are refused, in words for the file of all processes: what was searched for is not among them."""
    if not engines:
        return tr("the search service refuses requests") if _repeats(query, sentence) else sentence
    told = "; ".join(f"{name}: {reason}" for name, reason in engines)
    return tr("the search engines are refusing requests ({engines})").format(engines=told)


def _repeats(query: str, text: str) -> bool:
    """Whether a text has a word of a query in it: some services repeat what they were asked."""
    said = unquote_plus(text).casefold()
    return any(word in said for word in query_words(query) if len(word) > 2 or not word.isascii())


def _paused(refusals: Refusals, left_s: float) -> SearchError:
    sentence = tr("Web search is paused for {time}: {reason}.").format(
        time=spoken_time(left_s), reason=refusals.reason.rstrip(".")
    )
    return SearchError(
        sentence,
        tr("It goes on by itself then; what was found before is still answered."),
        cause=SearchCause.PAUSED,
        engines=refusals.engines,
        retry_after_s=left_s,
    )


def _paced(wait_s: float) -> SearchError:
    return SearchError(
        tr("Too many searches in a short time: the next one may go out in {time}.").format(time=spoken_time(wait_s)),
        tr("Wait, so that the search engines do not shut this computer out."),
        cause=SearchCause.PACED,
        retry_after_s=wait_s,
    )


def spoken_time(seconds: float) -> str:
    """A time to wait, rounded up: "12 s", "4 min"."""
    whole = max(1, math.ceil(seconds))
    return trn("{count} s", "{count} s", whole).format(count=whole) if whole < 90 else _minutes(math.ceil(whole / 60))


def _minutes(count: int) -> str:
    return trn("{count} min", "{count} min", count).format(count=count)
