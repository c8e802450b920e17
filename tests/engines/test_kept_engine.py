"""The engine that is started again when it has ended, and how its end is told."""

from __future__ import annotations

import os
import signal
import threading
from collections.abc import Iterator

import pytest

from llamachat.core.cancel import CancelToken
from llamachat.core.completion import CompletionRequest, ContentDelta, Delta
from llamachat.core.errors import Cancelled, EngineError, ServerCause, ServerError
from llamachat.engines.kept_engine import KeptEngine
from tests.integration.llama_server import ParrotServer


@pytest.fixture
def engine() -> Iterator[KeptEngine]:
    """An engine that is stopped in the end."""
    engine = KeptEngine()
    yield engine
    engine.stop()


@pytest.fixture
def started(engine: KeptEngine, parrot_server: ParrotServer) -> KeptEngine:
    """One that runs."""
    engine.start(parrot_server.model_file, CancelToken())
    return engine


def kill(engine: KeptEngine) -> None:
    """As the system does when memory runs out."""
    assert engine.pid is not None
    os.kill(engine.pid, signal.SIGKILL)
    os.waitid(os.P_PID, engine.pid, os.WEXITED | os.WNOWAIT)


class Breaking:
    """Says a word, and then its connection is gone."""

    def __init__(self, cause: ServerCause) -> None:
        self.cause = cause

    def stream(self, request: CompletionRequest, cancel: CancelToken) -> Iterator[Delta]:
        yield ContentDelta("word")
        raise ServerError("It failed.", cause=self.cause)


def failure(engine: KeptEngine, cause: ServerCause) -> ServerError:
    """What is told where an answer ends that way."""
    deltas = engine.watched(Breaking(cause)).stream(CompletionRequest(()), CancelToken())
    assert next(iter(deltas)) == ContentDelta("word")
    with pytest.raises(ServerError) as caught:
        list(deltas)
    assert caught.value.cause is cause
    return caught.value


def test_one_that_was_never_started_changes_nothing(engine: KeptEngine) -> None:
    engine.revive(CancelToken())
    engine.raise_if_ended()
    assert (engine.base_url, engine.running, engine.ended) == ("", False, False)
    assert failure(engine, ServerCause.CUT_OFF).sentence == "It failed."


@pytest.mark.slow
def test_one_that_was_killed_is_told_and_started_again(started: KeptEngine) -> None:
    first = started.pid
    started.raise_if_ended()
    kill(started)
    assert (started.running, started.ended) == (False, True)
    with pytest.raises(EngineError, match="memory ran out") as caught:
        started.raise_if_ended()
    assert "starts it again" in caught.value.next_step
    started.revive(CancelToken())
    assert (started.running, started.ended) == (True, False)
    assert started.pid != first
    started.revive(CancelToken())  # nothing to do


@pytest.mark.slow
def test_several_that_find_it_ended_start_it_once(started: KeptEngine) -> None:
    kill(started)
    first = threading.Thread(target=started.revive, args=(CancelToken(),))
    first.start()
    while not started.loading:
        threading.Event().wait(0.01)
    assert (started.away, started.ended) == (True, False)
    started.revive(CancelToken())
    assert started.running
    revived = started.pid
    first.join()
    assert started.pid == revived


@pytest.mark.slow
def test_the_end_of_the_engine_stands_in_the_place_of_the_broken_connection(started: KeptEngine) -> None:
    assert failure(started, ServerCause.CONTEXT_FULL).sentence == "It failed."
    kill(started)
    assert failure(started, ServerCause.CONTEXT_FULL).sentence == "It failed."
    assert "built-in engine" in failure(started, ServerCause.CUT_OFF).sentence
    assert "starts it again" in failure(started, ServerCause.UNREACHABLE).next_step


@pytest.mark.slow
def test_one_that_was_stopped_stays_so(started: KeptEngine) -> None:
    started.stop()
    started.revive(CancelToken())
    assert (started.base_url, started.running, started.ended) == ("", False, False)


@pytest.mark.slow
def test_stop_waits_for_no_start_and_ends_it(engine: KeptEngine, parrot_server: ParrotServer) -> None:
    outcome: list[type[BaseException] | None] = []

    def start() -> None:
        try:
            engine.start(parrot_server.model_file, CancelToken())
        except Cancelled as error:
            outcome.append(type(error))
        else:
            outcome.append(None)

    thread = threading.Thread(target=start)
    thread.start()
    while not engine.loading:
        threading.Event().wait(0.01)
    engine.stop()
    thread.join()
    assert outcome == [Cancelled]
    assert (engine.base_url, engine.running) == ("", False)


@pytest.mark.slow
def test_who_waits_for_another_start_can_stop(engine: KeptEngine, parrot_server: ParrotServer) -> None:
    thread = threading.Thread(target=engine.start, args=(parrot_server.model_file, CancelToken()))
    thread.start()
    while not engine.loading:
        threading.Event().wait(0.01)
    cancel = CancelToken()
    cancel.cancel()
    with pytest.raises(Cancelled):
        engine.start(parrot_server.model_file, cancel)
    thread.join()
    assert engine.running


class Noticing(CancelToken):
    """Tells when somebody who waits looks at it."""

    def __init__(self) -> None:
        super().__init__()
        self.waiting = threading.Event()

    def raise_if_cancelled(self) -> None:
        """Look."""
        self.waiting.set()
        super().raise_if_cancelled()


@pytest.mark.slow
def test_a_start_that_waited_for_another_one_is_given_up_by_a_stop_too(
    engine: KeptEngine, parrot_server: ParrotServer
) -> None:
    outcomes: list[str] = []
    first, second = CancelToken(), Noticing()

    def start(cancel: CancelToken) -> None:
        try:
            engine.start(parrot_server.model_file, cancel)
            outcomes.append("started")
        except Cancelled:
            outcomes.append("cancelled")

    threads = [threading.Thread(target=start, args=[token]) for token in (first, second)]
    threads[0].start()
    while not engine.loading:
        threading.Event().wait(0.01)
    threads[1].start()
    assert second.waiting.wait(20)
    engine.stop()
    for thread in threads:
        thread.join()
    assert outcomes == ["cancelled", "cancelled"]
    assert (engine.running, engine.base_url) == (False, "")
