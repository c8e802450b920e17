"""One row of the journal around one search or page, whichever way it ends."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager

from llamachat.core.egress import Egress
from llamachat.core.errors import Cancelled, PageError, SearchError
from llamachat.core.seams import Clock, EgressLog
from llamachat.web_request import Traffic


@contextmanager
def journaled(log: EgressLog, clock: Clock, *, host: str, what: str, query: str) -> Iterator[Traffic]:
    """Take down what goes out inside the block, which counts it; nothing where nothing was sent."""
    traffic, outcome = Traffic(), "ok"
    at, started = clock.now(), clock.monotonic()
    try:
        yield traffic
    except Cancelled:
        outcome = "stopped"
        raise
    except SearchError as failed:
        outcome = failed.cause.value
        raise
    except PageError as failed:
        outcome = failed.sentence
        raise
    finally:
        if traffic.bytes_out:
            seconds = clock.monotonic() - started
            log.record(Egress(at, host, what, query, traffic.bytes_out, traffic.bytes_in, seconds, outcome))
