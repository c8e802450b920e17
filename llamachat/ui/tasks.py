"""Work off the GUI thread: `read` and `write` on one background thread, results handed back in the GUI thread.

What a lane's functions get is its context, opened by the thread that uses it: for the store its own `Database`. The
window's lanes stand in `lanes`.
"""

from __future__ import annotations

import logging
import threading
from collections.abc import Callable
from dataclasses import dataclass
from queue import SimpleQueue
from typing import Generic, Protocol, TypeVar

from PySide6.QtCore import QObject, Signal

from llamachat.core.errors import Cancelled, UserFacingError
from llamachat.core.text import tr

log = logging.getLogger(__name__)

C = TypeVar("C")
C_co = TypeVar("C_co", covariant=True)
T = TypeVar("T")
Call = Callable[[], None]
Failed = Callable[[UserFacingError], None]


class Tasks(Protocol[C_co]):
    """What a lane does for those who use it."""

    def read(
        self, fn: Callable[[C_co], T], done: Callable[[T], None], failed: Failed | None = None, *, key: str = ""
    ) -> None:
        """Run `fn`, then `done` with its result. A later read with the same key supersedes this one."""
        ...

    def forget(self, key: str) -> None:
        """Drop the results of reads with this key that are still to come."""
        ...

    def write(
        self, fn: Callable[[C_co], T], done: Callable[[T], None] | None = None, failed: Failed | None = None
    ) -> None:
        """Run `fn`, in the order of the calls and also when the lane is closing."""
        ...


class _Bridge(QObject):
    """Lives in the GUI thread and runs there what another thread emits."""

    arrived = Signal(object)

    def __init__(self, parent: QObject) -> None:
        super().__init__(parent)
        self.arrived.connect(self._run)

    def _run(self, call: Call) -> None:
        call()


@dataclass(frozen=True, slots=True)
class _Job(Generic[C]):
    """One call. `work` runs in the lane's thread and returns what the GUI thread runs."""

    work: Callable[[C], Call]
    failed: Failed
    key: str
    number: int
    must_run: bool


class Lane(Generic[C]):
    """One background thread, started at its first job. Made and closed in the GUI thread."""

    def __init__(
        self,
        name: str,
        *,
        opened: Callable[[], C],
        closed: Callable[[C], None],
        failed: Failed,
        parent: QObject,
    ) -> None:
        """`opened` and `closed` run in the lane's thread; `failed` is told of errors that no job's own takes.

        `parent` owns what Qt has of the lane, so that no other thread can be the one to destroy it.
        """
        self._name, self._opened, self._closed, self._failed = name, opened, closed, failed
        self._bridge = _Bridge(parent)
        self._jobs: SimpleQueue[_Job[C] | None] = SimpleQueue()
        self._latest: dict[str, int] = {}
        self._count = 0
        self._thread: threading.Thread | None = None
        self._closing = False

    def read(
        self, fn: Callable[[C], T], done: Callable[[T], None], failed: Failed | None = None, *, key: str = ""
    ) -> None:
        """Run `fn`, then `done` with its result. A later read with the same key supersedes this one."""
        self._submit(lambda context: _then(done, fn(context)), failed, key=key, must_run=False)

    def forget(self, key: str) -> None:
        """Drop the results of reads with this key that are still to come."""
        self._count += 1
        self._latest[key] = self._count

    def write(
        self, fn: Callable[[C], T], done: Callable[[T], None] | None = None, failed: Failed | None = None
    ) -> None:
        """Run `fn`, in the order of the calls and also when the lane is closing."""
        self._submit(lambda context: _then(done or _ignore, fn(context)), failed, key="", must_run=True)

    def post(self, call: Call) -> None:
        """From a job that runs: have the GUI thread run `call`, for progress."""
        if not self._closing:
            self._bridge.arrived.emit(lambda: None if self._closing else call())

    def close(self, limit_s: float = 3.0) -> bool:
        """Let waiting writes run, drop reads and results, end the thread; False if it did not end in time."""
        self._closing = True
        if self._thread is None:
            return True
        self._jobs.put(None)
        self._thread.join(limit_s)
        return not self._thread.is_alive()

    def _submit(self, work: Callable[[C], Call], failed: Failed | None, *, key: str, must_run: bool) -> None:
        if self._closing:
            return
        self._count += 1
        if key:
            self._latest[key] = self._count
        self._jobs.put(_Job(work, failed or self._failed, key, self._count, must_run))
        if self._thread is None:
            self._thread = threading.Thread(target=self._run, name=self._name, daemon=True)
            self._thread.start()

    def _wanted(self, job: _Job[C]) -> bool:
        return job.must_run or not (self._closing or self._latest.get(job.key, job.number) != job.number)

    def _run(self) -> None:
        context: C | None = None
        while (job := self._jobs.get()) is not None:
            if not self._wanted(job):
                continue
            try:
                if context is None:
                    context = self._opened()
                self._deliver(job, job.work(context))
            except Cancelled:
                continue
            except UserFacingError as error:
                self._deliver(job, _then(job.failed, error))
            except Exception:  # the outermost frame of the thread: it must live on
                log.exception("a task of the lane %s failed", self._name)
                self._deliver(job, _then(job.failed, UserFacingError(*_internal())))
        if context is not None:
            self._closed(context)

    def _deliver(self, job: _Job[C], call: Call) -> None:
        if not self._closing:
            self._bridge.arrived.emit(lambda: call() if self._current(job) else None)

    def _current(self, job: _Job[C]) -> bool:
        return not self._closing and self._latest.get(job.key, job.number) == job.number


def _then(done: Callable[[T], None], value: T) -> Call:
    return lambda: done(value)


def _ignore(_: object) -> None:
    return None


def _internal() -> tuple[str, str]:
    return tr("Something went wrong inside the program."), tr("The log has the details.")
