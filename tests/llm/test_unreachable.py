"""Errors of the system told to people."""

from __future__ import annotations

import socket
import ssl

import pytest

from llamachat.core.errors import ServerCause
from llamachat.llm.unreachable import broke_off, no_answer, unreachable


@pytest.mark.parametrize(
    ("base_url", "cause", "says", "step"),
    [
        ("http://127.0.0.1:9", ConnectionRefusedError(), "answers at http://127.0.0.1:9.", "model.gguf --port 9"),
        ("http://box", OSError(113, "No route to host"), "answers at http://box.", "--port 8080 --host 0.0.0.0"),
        ("http://box:81", TimeoutError(), "within 5 seconds", "--port 81 --host 0.0.0.0"),
        ("http://box:port", OSError(), "http://box:port", "--port 8080"),
        ("http://box", socket.gaierror(-2, "Name or service not known"), "no machine named box", "address"),
        ("http://a..b", UnicodeError("label empty"), "no machine named a..b", "address"),
        ("https://box", ssl.SSLError("wrong version number"), "does not speak TLS", "http://"),
        ("https://box", ssl.SSLCertVerificationError("x"), "certificate of https://box", "authority"),
    ],
)
def test_ways_not_to_get_there(base_url: str, cause: Exception, says: str, step: str) -> None:
    error = unreachable(base_url, cause, timeout_s=5.0)
    assert error.cause is ServerCause.UNREACHABLE
    assert says in error.sentence
    assert step in error.next_step


def test_silence_and_breaks() -> None:
    assert "300 seconds" in no_answer(300).sentence
    assert no_answer(300).cause is ServerCause.TIMEOUT
    assert broke_off().cause is ServerCause.CUT_OFF
