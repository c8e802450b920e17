"""The built-in engine as the program uses it: once started it is started again when it has ended by itself."""

from __future__ import annotations

import threading
from collections.abc import Iterator
from pathlib import Path

from llamachat.core.cancel import CancelToken
from llamachat.core.completion import CompletionRequest, Delta
from llamachat.core.errors import Cancelled, ServerCause, ServerError
from llamachat.core.seams import Completer
from llamachat.engines.embedded_llama import EmbeddedLlama
from llamachat.engines.only_one import one_thread

_GRACE_S = 1.0  # between the end of its connections and the end of its process
_GONE = (ServerCause.CUT_OFF, ServerCause.UNREACHABLE)


class KeptEngine:
    """At most one engine at a time; for all threads.

    base_url: where it answers, or answered before it ended; "" while none is wanted.
    """

    def __init__(self) -> None:
        self._engine = EmbeddedLlama()
        self._starting = threading.Lock()
        self._model: Path | None = None
        self._state = threading.Lock()
        self._stops = 0  # how often it was stopped: a start that began before is given up
        self.base_url = ""

    @property
    def pid(self) -> int | None:
        """The number of the process started last, or None."""
        return self._engine.pid

    @property
    def running(self) -> bool:
        """Whether it can be asked."""
        return bool(self.base_url) and self._engine.running

    @property
    def loading(self) -> bool:
        """Whether it is being started."""
        return self._starting.locked()

    @property
    def ended(self) -> bool:
        """Whether it was started, and has died or was killed since."""
        return self.away and not self.loading

    @property
    def away(self) -> bool:
        """Whether it is wanted and does not run: it has ended, or is being started again."""
        return bool(self.base_url) and not self._engine.running

    def start(self, model: Path, cancel: CancelToken) -> None:
        """Load `model` in place of what was loaded. Blocks; raises EngineError, or Cancelled, also after `stop`."""
        stops = self._stops
        with one_thread(self._starting, cancel):
            self._load(model, cancel, stops)

    def revive(self, cancel: CancelToken) -> None:
        """Start it again with its last model if it has ended; raises like `start`."""
        stops = self._stops
        if not self.away:
            return
        with one_thread(self._starting, cancel):
            if self.away and self._model is not None:
                self._load(self._model, cancel, stops)

    def raise_if_ended(self) -> None:
        """Raises EngineError, which tells how it ended."""
        if self.ended:
            raise self._engine.farewell()

    def watched(self, completer: Completer) -> Completer:
        """The completer, which tells of the engine's end where that is why an answer broke off."""
        return _Watched(completer, self._engine) if self.base_url else completer

    def stop(self) -> None:
        """End it; it is not started again by itself."""
        with self._state:
            self.base_url = ""
            self._stops += 1
        self._engine.stop()

    def _load(self, model: Path, cancel: CancelToken, stops: int) -> None:
        """Load it, unless it was stopped since it had been stopped so often."""
        if stops == self._stops:
            base_url = self._engine.start(model, cancel=cancel)
            with self._state:
                if stops == self._stops:
                    self._model, self.base_url = model, base_url
                    return
            self._engine.stop()
        raise Cancelled


class _Watched:
    """A Completer over an engine that may die."""

    def __init__(self, completer: Completer, engine: EmbeddedLlama) -> None:
        self._completer, self._engine = completer, engine

    def stream(self, request: CompletionRequest, cancel: CancelToken) -> Iterator[Delta]:
        """As the completer; in the place of a broken connection stands the end of the engine."""
        try:
            yield from self._completer.stream(request, cancel)
        except ServerError as error:
            if error.cause not in _GONE or not self._engine.ends_within(_GRACE_S):
                raise
            told = self._engine.farewell()
            raise ServerError(told.sentence, told.next_step, cause=error.cause) from error
