"""What all processes of a person know of their searches: pace, pauses and counts, in one small locked file.

It holds times, names of engines and their reasons; never a query.
"""

from __future__ import annotations

import json
import threading
from collections.abc import Iterator
from contextlib import ExitStack, contextmanager, suppress
from dataclasses import asdict, dataclass, field
from pathlib import Path
from typing import IO, Any, TypeAlias

from llamachat.core.file_lock import lock

Engines: TypeAlias = tuple[tuple[str, str], ...]


@dataclass(slots=True)
class Refusals:
    """How one provider has refused. Times are seconds since 1970; 0 is never.

    in_a_row: since the last search that worked. pauses: in a row, each twice as long as the one before.
    probe_until: while one search tries whether the pause may end, others wait for it no longer than this.
    """

    in_a_row: int = 0
    pauses: int = 0
    paused_until: float = 0.0
    probe_until: float = 0.0
    reason: str = ""
    engines: Engines = ()


@dataclass(slots=True)
class GuardState:
    """tokens: searches that may go out at once, as of `at`. The counts run since `since`."""

    tokens: float | None = None
    at: float = 0.0
    since: float = 0.0
    sent: int = 0
    cached: int = 0
    paced: int = 0
    paused: int = 0
    providers: dict[str, Refusals] = field(default_factory=dict)

    def of(self, provider: str) -> Refusals:
        """What is known of one provider."""
        return self.providers.setdefault(provider, Refusals())


class StateFile:
    """The file. Where it cannot be written or locked, the state is this process's own."""

    def __init__(self, path: Path) -> None:
        self._path = path
        self._own = GuardState()
        self._lock = threading.Lock()

    @contextmanager
    def changing(self) -> Iterator[GuardState]:
        """The state, to be looked at and changed in the block while nobody else can."""
        with self._lock, ExitStack() as stack:
            file = self._opened(stack)
            if file is None:
                yield self._own
                return
            before = file.read()
            self._own = _parsed(before)
            yield self._own
            after = json.dumps(asdict(self._own))
            if after != before:
                with suppress(OSError):
                    file.seek(0)
                    file.write(after)
                    file.truncate()

    def _opened(self, stack: ExitStack) -> IO[str] | None:
        try:
            self._path.parent.mkdir(mode=0o700, parents=True, exist_ok=True)
            if not self._path.exists():
                self._path.touch(mode=0o600)
            if not self._path.is_file():
                return None
            file = stack.enter_context(self._path.open("r+", encoding="utf-8", errors="replace"))
        except OSError:
            return None
        with suppress(OSError):  # some network disks have no locks
            lock(file)
        return file


def _parsed(text: str) -> GuardState:
    """The state in a text; what is missing or makes no sense counts as nothing known."""
    try:
        row = json.loads(text)
        return GuardState(
            tokens=None if row["tokens"] is None else float(row["tokens"]),
            at=float(row["at"]),
            since=float(row["since"]),
            sent=int(row["sent"]),
            cached=int(row["cached"]),
            paced=int(row["paced"]),
            paused=int(row["paused"]),
            providers={str(name): _refusals(one) for name, one in row["providers"].items()},
        )
    except (ValueError, TypeError, KeyError, AttributeError, OverflowError, RecursionError):
        return GuardState()


def _refusals(row: dict[str, Any]) -> Refusals:
    return Refusals(
        in_a_row=int(row["in_a_row"]),
        pauses=int(row["pauses"]),
        paused_until=float(row["paused_until"]),
        probe_until=float(row["probe_until"]),
        reason=str(row["reason"]),
        engines=tuple((str(name), str(reason)) for name, reason in row["engines"]),
    )
