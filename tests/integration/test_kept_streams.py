"""Answers of a real router over connections that are lost: nothing is missing, and nothing comes twice."""

from __future__ import annotations

import threading
from collections.abc import Iterator
from contextlib import closing
from dataclasses import replace

import httpx
import pytest

from llamachat.core.cancel import CancelToken
from llamachat.core.clock import SystemClock
from llamachat.core.completion import (
    CompletionRequest,
    ContentDelta,
    Delta,
    FinishDelta,
    ReasoningDelta,
    Sampling,
    StreamPosition,
    ToolCallDelta,
)
from llamachat.core.errors import Cancelled, ServerCause, ServerError
from llamachat.core.messages import JsonObject
from llamachat.llm.client import ChatClient
from llamachat.llm.server import ServerProbe
from llamachat.llm.streams import Patience, stop_stream
from tests.fakes.cutting_proxy import CuttingProxy
from tests.integration.llama_router import Router
from tests.integration.llama_server import thinking
from tests.recorder_parts import wait_until

pytestmark = pytest.mark.slow

SAID = ("The bee — 蜜蜂 — makes honey, 🐝 and wax. " * 30).strip()
ENDLESS = "on and on " * 230


def request(text: str, router: Router, max_tokens: int = 4000) -> CompletionRequest:
    """A request for an answer that the server is to keep."""
    messages = ({"role": "user", "content": text},)
    return CompletionRequest(messages, model=router.model, sampling=Sampling(max_tokens=max_tokens), keep=True)


def texts(deltas: list[Delta]) -> tuple[str, str]:
    """The reasoning and the content."""
    reasoning = "".join(delta.text for delta in deltas if isinstance(delta, ReasoningDelta))
    return reasoning, "".join(delta.text for delta in deltas if isinstance(delta, ContentDelta))


def keeping(router: Router, base_url: str = "") -> ChatClient:
    """A client that knows that the server keeps streams."""
    endpoint = replace(router.endpoint, base_url=base_url or router.base_url)
    return ChatClient(endpoint, clock=SystemClock(), keeps_streams=True)


@pytest.fixture
def probe(llama_router: Router) -> Iterator[ServerProbe]:
    """A probe of the router whose model has been loaded."""
    with closing(keeping(llama_router)) as client:
        list(client.stream(request("Hello.", llama_router), CancelToken()))
    with closing(ServerProbe(llama_router.endpoint)) as made:
        yield made


def wait_until_free(probe: ServerProbe, router: Router) -> None:
    """Look at the slots until none is busy."""
    for _ in range(300):
        if not any(slot.busy for slot in probe.slots(router.model)):
            return
        threading.Event().wait(0.01)
    raise AssertionError("a slot is still busy")


def unload(router: Router) -> None:
    """Have the router let go of its model, which it refuses while it stops another request."""
    with closing(ServerProbe(router.endpoint)) as probe:

        def is_unloaded() -> bool:
            httpx.post(f"{router.base_url}/models/unload", json={"model": router.model}, trust_env=False, timeout=30)
            return probe.models()[0].state == "unloaded"

        wait_until(is_unloaded)


@pytest.mark.parametrize("reset", [True, False], ids=["reset", "ended"])
def test_an_answer_over_connections_that_are_cut_is_the_same(
    llama_router: Router, probe: ServerProbe, *, reset: bool
) -> None:
    text = thinking("So it is. " * 20) + SAID
    with (
        CuttingProxy(llama_router.base_url, (400, 9_000, 230, 20_011, 70_000), reset=reset) as proxy,
        closing(keeping(llama_router, proxy.base_url)) as client,
    ):
        deltas = list(client.stream(request(text, llama_router), CancelToken()))
    with closing(keeping(llama_router)) as client:
        uncut = list(client.stream(request(text, llama_router), CancelToken()))
    assert texts(deltas) == texts(uncut)
    assert texts(deltas)[1] == SAID
    assert deltas.count(FinishDelta("stop")) == 1
    assert proxy.opened > 4


def test_without_keeping_a_cut_ends_the_answer(llama_router: Router, probe: ServerProbe) -> None:
    with (
        CuttingProxy(llama_router.base_url, (9_000,)) as proxy,
        closing(ChatClient(replace(llama_router.endpoint, base_url=proxy.base_url), clock=SystemClock())) as client,
        pytest.raises(ServerError) as failed,
    ):
        list(client.stream(request(SAID, llama_router), CancelToken()))
    assert failed.value.cause is ServerCause.CUT_OFF
    assert proxy.opened == 1


def test_an_answer_is_taken_up_by_another_client_from_each_position(llama_router: Router, probe: ServerProbe) -> None:
    with closing(keeping(llama_router)) as client:
        whole = list(client.stream(request(SAID, llama_router), CancelToken()))
        places = [place for place, delta in enumerate(whole) if isinstance(delta, StreamPosition)]
        assert len(places) > 5
        for place in places:
            position = whole[place]
            assert isinstance(position, StreamPosition)
            later = replace(request("", llama_router), takes_up=position)
            rest = list(client.stream(later, CancelToken()))
            assert texts(whole[:place])[1] + texts(rest)[1] == SAID


def test_stop_frees_the_slot_and_forgets_the_answer(llama_router: Router, probe: ServerProbe) -> None:
    cancel, came = CancelToken(), []
    with closing(keeping(llama_router)) as client:
        deltas = client.stream(request(ENDLESS, llama_router, 12_000), cancel)
        for delta in deltas:
            came.append(delta)
            if isinstance(delta, ContentDelta):
                break
        cancel.cancel()
        with pytest.raises(Cancelled):
            list(deltas)
    wait_until_free(probe, llama_router)
    assert isinstance(came[0], StreamPosition)
    assert probe.kept_streams([came[0].id]) == frozenset()


@pytest.mark.parametrize("after_s", [0.0, 0.002, 0.02, 0.2])
def test_stop_at_the_beginning_frees_the_slot(llama_router: Router, probe: ServerProbe, after_s: float) -> None:
    cancel = CancelToken()
    with closing(keeping(llama_router)) as client:
        timer = threading.Timer(after_s, cancel.cancel)
        timer.start()
        with pytest.raises(Cancelled):
            list(client.stream(request(ENDLESS, llama_router, 12_000), cancel))
        timer.join()
    wait_until_free(probe, llama_router)


def test_stop_while_the_model_loads(llama_router: Router, probe: ServerProbe) -> None:
    unload(llama_router)
    cancel = CancelToken()
    with closing(keeping(llama_router)) as client:
        timer = threading.Timer(0.15, cancel.cancel)
        timer.start()
        with pytest.raises(Cancelled):
            list(client.stream(request(ENDLESS, llama_router, 12_000), cancel))
        timer.join()
        list(client.stream(request("Hello.", llama_router), CancelToken()))
    wait_until_free(probe, llama_router)


def test_closing_the_iterator_frees_the_slot(llama_router: Router, probe: ServerProbe) -> None:
    with closing(keeping(llama_router)) as client:
        deltas = client.stream(request(ENDLESS, llama_router, 12_000), CancelToken())
        assert any(isinstance(delta, ContentDelta) for delta in deltas)
        deltas.close()
    wait_until_free(probe, llama_router)


def test_stop_while_the_network_is_away_ends_at_once(llama_router: Router, probe: ServerProbe) -> None:
    cancel = CancelToken()
    with (
        CuttingProxy(llama_router.base_url) as proxy,
        closing(keeping(llama_router, proxy.base_url)) as client,
    ):
        deltas = client.stream(request(ENDLESS, llama_router, 12_000), cancel)
        assert any(isinstance(delta, ContentDelta) for delta in deltas)
        proxy.down = True
        proxy.cut_all()
        threading.Timer(0.3, cancel.cancel).start()
        with pytest.raises(Cancelled):
            list(deltas)
        proxy.down = False  # the program still tries to tell the server
        wait_until_free(probe, llama_router)


def test_an_answer_that_was_given_up_goes_on_until_it_is_stopped(llama_router: Router, probe: ServerProbe) -> None:
    came: list[Delta] = []
    with CuttingProxy(llama_router.base_url, (9_000,)) as proxy:
        endpoint = replace(llama_router.endpoint, base_url=proxy.base_url)
        hasty = ChatClient(endpoint, clock=SystemClock(), keeps_streams=True, patience=Patience(pauses_s=()))
        with closing(hasty) as client, pytest.raises(ServerError):
            came.extend(client.stream(request(ENDLESS, llama_router, 12_000), CancelToken()))
    assert isinstance(came[0], StreamPosition)
    assert probe.kept_streams([came[0].id]) == frozenset({came[0].id})
    assert any(slot.busy for slot in probe.slots(llama_router.model))
    stop_stream(llama_router.endpoint, came[0].id, clock=SystemClock())
    wait_until_free(probe, llama_router)


def test_an_answer_that_the_server_does_not_have_is_cut_off_and_not_asked_for_twice(
    llama_router: Router, probe: ServerProbe
) -> None:
    with (
        CuttingProxy(llama_router.base_url) as proxy,
        closing(keeping(llama_router, proxy.base_url)) as client,
        pytest.raises(ServerError) as failed,
    ):
        list(client.stream(replace(request("", llama_router), takes_up=StreamPosition("gone", 7)), CancelToken()))
    assert failed.value.cause is ServerCause.CUT_OFF
    assert proxy.opened == 1


def test_the_router_says_what_it_has(llama_router: Router, probe: ServerProbe) -> None:
    with closing(keeping(llama_router)) as client:
        first = next(iter(client.stream(request("Hi.", llama_router), CancelToken())))
        assert isinstance(first, StreamPosition)
        assert first.id.endswith("::parrot")
        whole = list(client.stream(request("Hi.", llama_router), CancelToken()))
    position = whole[0]
    assert isinstance(position, StreamPosition)
    assert probe.kept_streams([position.id, "other"]) == frozenset({position.id})
    assert probe.kept_streams([]) == frozenset()


def test_a_tool_call_over_a_connection_that_is_cut(llama_router: Router, probe: ServerProbe) -> None:
    parameters: JsonObject = {"type": "object", "properties": {"query": {"type": "string"}}, "required": ["query"]}
    tool: JsonObject = {"type": "function", "function": {"name": "web_search", "parameters": parameters}}
    call = '<tool_call>\n{"name": "web_search", "arguments": {"query": "bees"}}\n</tool_call>'
    asked = replace(request(thinking("Look.") + call, llama_router), tools=(tool,))
    with (
        CuttingProxy(llama_router.base_url, (4_000, 1_000, 500, 600)) as proxy,
        closing(keeping(llama_router, proxy.base_url)) as client,
    ):
        deltas = list(client.stream(asked, CancelToken()))
    arguments = "".join(delta.arguments for delta in deltas if isinstance(delta, ToolCallDelta))
    assert arguments == '{"query": "bees"}'
    assert proxy.opened > 3
