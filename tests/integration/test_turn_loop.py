"""Whole turns through `stream_chat` on a real llama-server and a real SearXNG."""

from __future__ import annotations

import itertools
import os
import signal
import time
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path

import pytest

from llamachat.chat.stream_chat import Turn, stream_chat
from llamachat.chat.tools import Toolbox
from llamachat.core.cancel import CancelToken
from llamachat.core.clock import SystemClock
from llamachat.core.completion import Sampling
from llamachat.core.conversation import SearchMode
from llamachat.core.events import FinishReason, Kind
from llamachat.llm.client import ChatClient
from llamachat.llm.server import ServerProbe
from tests.chat.running import TURN, Outcome, roles, run, search_box
from tests.fakes.searching import searxng_search
from tests.integration.llama_server import ParrotServer, running_parrot, script, thinking
from tests.integration.searxng_server import Searxng

LIGHTHOUSE = "Tidewater Lighthouse steps"
BRIDGE = "Brasswick Bridge toll"
ENDLESS = "An answer without an end. " * 100


@pytest.fixture(
    params=["parrot_server", pytest.param("parrot_xml_server", marks=pytest.mark.slow)],
    ids=["json", "xml"],
)
def server(request: pytest.FixtureRequest) -> ParrotServer:
    """A llama-server, for each of the two styles of tool calls."""
    found: ParrotServer = request.getfixturevalue(request.param)
    return found


@pytest.fixture
def client(server: ParrotServer) -> Iterator[ChatClient]:
    """A connection to it."""
    client = ChatClient(server.endpoint, clock=SystemClock())
    yield client
    client.close()


@pytest.fixture
def box(searxng: Searxng) -> Toolbox:
    """The search of one turn."""
    return search_box(searxng_search(searxng.url))


def saying(*pieces: str) -> Turn:
    """A turn in which the model says these pieces."""
    return replace(TURN, messages=({"role": "user", "content": script(*pieces)},))


@pytest.mark.claim("LC-001", "LC-061", "LC-004", "LC-009")
def test_the_model_thinks_searches_and_answers(client: ChatClient, server: ParrotServer, box: Toolbox) -> None:
    first = thinking("I should look that up.") + server.call("web_search", query=LIGHTHOUSE)
    outcome = run(client, turn=saying(first, "It has 213 steps [1]."), toolbox=box)
    assert (outcome.content, outcome.reasoning.strip()) == ("It has 213 steps [1].", "I should look that up.")
    (record,) = outcome.searches
    assert (record.query, record.error, record.provider, record.first_number) == (LIGHTHOUSE, "", "SearXNG", 1)
    assert any("213 steps" in result.content for result in record.results)
    assert roles(outcome.messages) == ["assistant", "tool", "assistant"]
    assert "213 steps" in str(outcome.messages[1]["content"])
    kinds = [event.kind for event in outcome.events]
    assert kinds.index(Kind.REASONING) < kinds.index(Kind.SEARCH_START) < kinds.index(Kind.SEARCH_DONE)
    assert kinds.index(Kind.SEARCH_DONE) < kinds.index(Kind.CONTENT)
    assert Kind.USAGE in kinds
    assert outcome.finish.reason is FinishReason.STOP


@pytest.mark.claim("LC-016", "LC-061")
@pytest.mark.slow
def test_two_rounds_and_the_cap(client: ChatClient, server: ParrotServer, box: Toolbox, searxng: Searxng) -> None:
    before = searxng.searches(LIGHTHOUSE)
    one, two = (server.call("web_search", query=query) for query in (LIGHTHOUSE, BRIDGE))
    outcome = run(client, turn=saying("One moment. " + one, two, "Both are known [1][6]."), toolbox=box)
    assert [(record.query, record.first_number) for record in outcome.searches] == [
        (LIGHTHOUSE, 1),
        (BRIDGE, 1 + len(outcome.searches[0].results)),
    ]
    assert outcome.content.split() == ["One", "moment.", "Both", "are", "known", "[1][6]."]
    assert searxng.searches(LIGHTHOUSE) == before + 1


@pytest.mark.claim("LC-060", "LC-016")
@pytest.mark.slow
def test_a_model_that_never_answers_is_asked_without_tools_at_last(
    client: ChatClient, server: ParrotServer, box: Toolbox
) -> None:
    outcome = run(client, turn=saying(*[server.call("web_search", query=LIGHTHOUSE)] * 5), toolbox=box)
    assert [bool(record.note) for record in outcome.searches] == [False, True]
    assert outcome.finish.reason is FinishReason.EMPTY
    assert outcome.finish.error
    assert "tool_call" not in outcome.content


@pytest.mark.slow
def test_a_call_within_unclosed_thinking_is_read(client: ChatClient, server: ParrotServer, box: Toolbox) -> None:
    leaked = "<think>\nI should look.\n" + server.call("web_search", query=LIGHTHOUSE)
    outcome = run(client, turn=saying(leaked, "213 [1]."), toolbox=box)
    assert [record.query for record in outcome.searches] == [LIGHTHOUSE]
    assert (outcome.content, outcome.reasoning.strip()) == ("213 [1].", "I should look.")
    assert outcome.messages[0]["tool_calls"]


@pytest.mark.slow
def test_a_call_that_the_token_limit_cuts_off_does_not_run(
    client: ChatClient, server: ParrotServer, box: Toolbox, searxng: Searxng
) -> None:
    before = len(searxng.asked())
    call = server.call("web_search", query="a query that is long enough to be cut")
    turn = replace(saying(call), sampling=Sampling(max_tokens=len(call) - 40))
    outcome = run(client, turn=turn, toolbox=box)
    assert outcome.searches == []
    assert len(searxng.asked()) == before
    assert outcome.finish.reason is not FinishReason.STOP


@pytest.mark.claim("LC-047", "LC-051")
@pytest.mark.slow
def test_a_search_engine_that_is_away_does_not_end_the_turn(client: ChatClient, server: ParrotServer) -> None:
    away = search_box(searxng_search("http://127.0.0.1:9"))
    call = server.call("web_search", query=LIGHTHOUSE)
    outcome = run(client, turn=saying(call, "From memory: 213."), toolbox=away)
    assert [record.cause for record in outcome.searches] == ["unreachable"]
    assert '"error"' in str(outcome.messages[1]["content"])
    assert (outcome.content, outcome.finish.reason) == ("From memory: 213.", FinishReason.STOP)


@pytest.mark.claim("LC-005")
def test_with_the_search_off_nothing_is_searched(
    client: ChatClient, server: ParrotServer, box: Toolbox, searxng: Searxng
) -> None:
    before = len(searxng.asked())
    turn = replace(saying(server.call("web_search", query=LIGHTHOUSE)), search_mode=SearchMode.OFF)
    assert run(client, turn=turn, toolbox=box).searches == []
    assert len(searxng.asked()) == before


def test_stop_frees_the_slot(client: ChatClient, server: ParrotServer) -> None:
    cancel = CancelToken()
    turn = stream_chat(saying(ENDLESS), completer=client, toolbox=Toolbox(), cancel=cancel)
    assert any(event.kind is Kind.CONTENT for event in turn)
    cancel.cancel()
    assert Outcome(list(turn)).finish.reason is FinishReason.STOPPED
    assert_free(server)


def test_closing_the_turn_frees_the_slot(client: ChatClient, server: ParrotServer) -> None:
    turn = stream_chat(saying(ENDLESS), completer=client, toolbox=Toolbox(), cancel=CancelToken())
    assert any(event.kind is Kind.CONTENT for event in turn)
    turn.close()
    assert_free(server)


@pytest.mark.slow
def test_a_server_that_is_killed_leaves_what_it_said(tmp_path: Path) -> None:
    with running_parrot(tmp_path / "parrot.gguf") as server:
        client = ChatClient(server.endpoint, clock=SystemClock())
        turn = stream_chat(saying(ENDLESS), completer=client, toolbox=Toolbox(), cancel=CancelToken())
        events = list(itertools.takewhile(lambda event: event.kind is not Kind.CONTENT, turn))
        os.kill(server.pid, signal.SIGKILL)
        events += turn
        client.close()
    outcome = Outcome(events)
    assert outcome.content.strip() in ENDLESS
    assert outcome.finish.reason is FinishReason.CUT_OFF
    assert outcome.finish.error
    assert outcome.messages == []


def assert_free(server: ParrotServer) -> None:
    """No slot of the server works; it has a second to notice, ten on a machine that is busy."""
    probe = ServerProbe(server.endpoint)
    deadline = time.monotonic() + 10
    while any(slot.busy for slot in probe.slots()):
        assert time.monotonic() < deadline, "the slot is still busy"
        time.sleep(0.05)
    probe.close()
