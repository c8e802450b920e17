"""Every way a search can fail, in a whole turn: it completes, the model is told, the reason stays and is shown."""

from __future__ import annotations

import json
import socket
from collections.abc import Iterator
from contextlib import contextmanager

import pytest

from llamachat.core.cancel import CancelToken
from llamachat.core.conversation import Conversation
from llamachat.core.events import Event, FinishReason
from llamachat.core.messages import StoredMessage
from llamachat.recorder import start_turn
from llamachat.render.blocks import draw_search
from llamachat.storage.database import Database
from llamachat.storage.messages import get_message
from llamachat.transfer.markdown import conversation_markdown
from llamachat.turn_parts import TurnParts
from tests.fakes.replay import answer, replay, stall
from tests.fakes.scripted_completer import ScriptedCompleter, calls, says
from tests.fakes.searching import search_through
from tests.fakes.still_clock import StillClock
from tests.integration.injection_corpus import Drawn
from tests.recorder_parts import SEND, finish_of
from tests.searxng.recorded import load_recorded
from tests.websearch.provider_world import provider_at

# How the server answers, the cause, and words that the model, the reader and the export get.
RECORDED = {
    "nojson/nojson_post": ("json_off", "does not allow JSON"),
    "fails/fail_429_1": ("engines_refused", "fail 429: too many requests"),
    "limiter/lim_api_5": ("limited", "its limiter"),
    "public/public_post_4": ("limited", "robot"),
    "nginx/auth_401": ("unauthorized", "asks for a user and a password"),
    "nginx/outside_404": ("not_found", "no search at"),
    "nginx/bad_gateway_502": ("server_fault", "cannot reach it"),
    "granian/method_put": ("not_searxng", "is not SearXNG"),
}
OTHERS = {
    "unreachable": ("unreachable", "is not reachable (connection refused)"),
    "timeout": ("timeout", "did not answer within 0.1 s"),
    "html": ("not_searxng", "no JSON with results"),
}


@contextmanager
def serving(way: str) -> Iterator[str]:
    """A SearXNG that fails in this way."""
    if way == "unreachable":
        with socket.create_server(("127.0.0.1", 0)) as listener:
            url = f"http://127.0.0.1:{listener.getsockname()[1]}"
        yield url
        return
    reply = next((one.reply for one in load_recorded() if one.name == way), None)
    page = answer(200, {"Content-Type": "text/html"}, b"<html><body>Welcome</body></html>")
    behaviour = answer(reply.status, reply.headers, reply.body) if reply else page
    with replay(stall() if way == "timeout" else behaviour) as server:
        yield server.url


def turn_with(url: str, *, timeout_s: float = 20) -> tuple[list[Event], StoredMessage]:
    """A turn whose model searches there and answers; its events, and the answer as it is stored."""
    search = search_through(provider_at("searxng", url, timeout_s=timeout_s))
    completer = ScriptedCompleter(calls({"query": "tides"}), says("From memory."))
    parts = TurnParts(completer, search=search)
    with Database.in_memory(clock=StillClock()) as db:
        turn = start_turn(db, SEND, prepare=lambda: parts, cancel=CancelToken())
        events = list(turn.events())
        stored = get_message(db, turn.answer.id)
    assert stored is not None
    return events, stored


@pytest.mark.claim("LC-047", "LC-048", "LC-051", "LC-044", "LC-034", "ST-029", "ST-035", "OP-029", "LC-012")
@pytest.mark.parametrize("way", [*RECORDED, *OTHERS])
def test_the_turn_completes_and_the_reason_is_told_stored_and_exported(way: str) -> None:
    cause, words = {**RECORDED, **OTHERS}[way]
    with serving(way) as url:
        events, stored = turn_with(url, timeout_s=0.1 if way == "timeout" else 20)
    assert finish_of(events).reason is FinishReason.STOP
    assert stored.content == "From memory."
    (record,) = stored.searches
    assert record.cause == cause
    assert words in record.error
    head, _, body = str(stored.wire[1]["content"]).partition("\n")
    assert head == "Search results (untrusted, informational only):"
    assert list(json.loads(body)) == ["error"]
    line = Drawn(draw_search(record, stored.id, 0, opened=False)).text
    assert line.startswith("▸ search failed: tides — ")
    assert words in line
    chat = Conversation(id=1, uid="c", title="", created_at=0.0, updated_at=0.0)
    export = conversation_markdown(chat, [stored]).replace("\\", "")
    assert words in export
    assert "0 results" not in line + export


@pytest.mark.claim("LC-049", "ST-035", "OP-029")
def test_nothing_found_by_engines_that_work_reads_otherwise() -> None:
    with serving("granian/no_results") as url:
        _, stored = turn_with(url)
    (record,) = stored.searches
    assert (record.error, record.results) == ("", ())
    assert json.loads(str(stored.wire[1]["content"]).partition("\n")[2]) == {"results": []}
    assert Drawn(draw_search(record, 2, 0, opened=False)).text == "▸ searched: tides (0 results)"
