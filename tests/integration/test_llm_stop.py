"""Stop frees the slot of a real llama-server: while it reads the prompt, thinks and answers, and on a hang-up."""

from __future__ import annotations

import threading
from collections.abc import Iterator

import pytest

from llamachat.core.cancel import CancelToken
from llamachat.core.clock import SystemClock
from llamachat.core.completion import CompletionRequest, ContentDelta, Delta, PromptProgress, ReasoningDelta, Sampling
from llamachat.core.errors import Cancelled
from llamachat.llm.client import ChatClient
from llamachat.llm.server import ServerProbe
from tests.integration.llama_server import ParrotServer, thinking

ENDLESS = "on and on " * 230  # longer than the parrot's period, so that it never ends by itself
LONG = "on and on " * 600  # 12,000 tokens to read before


@pytest.fixture
def probe(parrot_server: ParrotServer) -> Iterator[ServerProbe]:
    """A probe of the server."""
    made = ServerProbe(parrot_server.endpoint)
    yield made
    made.close()


@pytest.fixture
def client(parrot_server: ParrotServer) -> Iterator[ChatClient]:
    """A client of the server."""
    made = ChatClient(parrot_server.endpoint, clock=SystemClock())
    yield made
    made.close()


def wait_until_free(probe: ServerProbe) -> None:
    """Look at the slots until none is busy: soon, but the server ends the batch of the prompt that it reads.

    A request that went on would keep its slot for far longer.
    """
    for _ in range(300):
        if not any(slot.busy for slot in probe.slots()):
            return
        threading.Event().wait(0.01)
    raise AssertionError("a slot is still busy")


def request(text: str) -> CompletionRequest:
    """A request for an answer that takes many seconds."""
    return CompletionRequest(({"role": "user", "content": text},), sampling=Sampling(max_tokens=12_000))


def stop_soon(cancel: CancelToken) -> None:
    """Set the token when the reading thread is blocked again."""
    threading.Timer(0.05, cancel.cancel).start()


@pytest.mark.timeout(20)
@pytest.mark.parametrize(
    ("kind", "text"),
    [
        (PromptProgress, LONG),
        (ReasoningDelta, thinking("so it is " * 200)),
        (ContentDelta, ENDLESS),
    ],
    ids=["reading the prompt", "thinking", "answering"],
)
def test_stop(kind: type[Delta], text: str, client: ChatClient, probe: ServerProbe) -> None:
    cancel = CancelToken()
    deltas = client.stream(request(text), cancel)
    assert any(isinstance(delta, kind) for delta in deltas)
    stop_soon(cancel)
    with pytest.raises(Cancelled):
        list(deltas)
    wait_until_free(probe)


@pytest.mark.timeout(20)
def test_stop_before_anything_came(client: ChatClient, probe: ServerProbe) -> None:
    cancel = CancelToken()
    stop_soon(cancel)
    with pytest.raises(Cancelled):
        list(client.stream(request(LONG), cancel))
    wait_until_free(probe)


@pytest.mark.timeout(20)
def test_closing_the_iterator_hangs_up(client: ChatClient, probe: ServerProbe) -> None:
    deltas = client.stream(request(ENDLESS), CancelToken())
    assert any(isinstance(delta, ContentDelta) for delta in deltas)
    deltas.close()
    wait_until_free(probe)


def test_the_client_can_be_used_again(client: ChatClient) -> None:
    cancel = CancelToken()
    cancel.cancel()
    with pytest.raises(Cancelled):
        list(client.stream(request(ENDLESS), cancel))
    again = list(client.stream(request("Hello"), CancelToken()))
    assert "".join(delta.text for delta in again if isinstance(delta, ContentDelta)) == "Hello"
