"""When things happen in a turn that searches, and what a model gets that goes on calling while it has to wait."""

from __future__ import annotations

import json

import pytest

from llamachat.chat.stream_chat import Turn, stream_chat
from llamachat.chat.tools import Toolbox
from llamachat.chat.web_search_tool import WebSearchTool
from llamachat.core.cancel import CancelToken
from llamachat.core.events import Kind
from llamachat.core.messages import WireMessage
from llamachat.searxng.answer import SearchAnswer
from llamachat.websearch.guard import Guard, GuardLimits
from llamachat.websearch.service import SearchManners, WebSearch
from tests.fakes.scripted_completer import ScriptedCompleter, calls, says
from tests.fakes.scripted_search import ScriptedSearch
from tests.fakes.searching import NO_FILE
from tests.fakes.still_clock import StillClock

QUESTION: WireMessage = {"role": "user", "content": "When is high tide?"}


class Counting:
    """A provider that finds nothing and counts."""

    id, name, host, is_cloud, requires_upload_warning = "searxng", "SearXNG", "s.example", False, False

    def __init__(self) -> None:
        self.asked: list[str] = []

    def configured(self) -> str:
        """Yes."""
        return ""

    def search(self, query: str, cancel: CancelToken) -> SearchAnswer:
        """Find nothing."""
        self.asked.append(query)
        return SearchAnswer((), asked=query)


@pytest.mark.claim("LC-018", "LC-017")
def test_start_search_done_and_the_next_request_come_in_this_order_in_each_round() -> None:
    happened: list[str] = []

    def note(word: str) -> None:
        happened.append(word)

    search = ScriptedSearch(before=lambda: note("search"))
    completer = ScriptedCompleter(
        [lambda: note("request"), *calls({"query": "tide"})],
        [lambda: note("request"), *calls({"query": "moon"})],
        [lambda: note("request"), *says("Noon.")],
    )
    tool = WebSearchTool(search, clock=StillClock())
    events = stream_chat(Turn((QUESTION,)), completer=completer, toolbox=Toolbox(tool), cancel=CancelToken())
    for event in events:
        if event.kind in (Kind.SEARCH_START, Kind.SEARCH_DONE):
            note(event.kind.value)
    once = ["request", "search_start", "search", "search_done"]
    assert happened == [*once, *once, "request"]


@pytest.mark.claim("OP-048")
@pytest.mark.parametrize("rounds", [1, 25])
def test_a_model_that_calls_two_hundred_times_causes_eight_requests(rounds: int) -> None:
    clock, provider = StillClock(), Counting()
    guard = Guard(GuardLimits(burst=1000), NO_FILE, clock=clock)
    tool = WebSearchTool(WebSearch(provider, SearchManners(guard), clock=clock), clock=clock)
    words = iter("abcdefghijklmnopqrstuvwxyz" * 10)
    each = [
        calls(*({"query": f"{next(words) * 3} {number}"} for number in range(200 // rounds))) for _ in range(rounds)
    ]
    asked = Turn((QUESTION,), max_searches=50)
    completer = ScriptedCompleter(*each, says("Well."))
    list(stream_chat(asked, completer=completer, toolbox=Toolbox(tool), cancel=CancelToken()))
    assert len(provider.asked) == 8


@pytest.mark.claim("OP-046")
def test_while_it_has_to_wait_a_calling_model_gets_the_wait_and_nothing_is_sent() -> None:
    clock, provider = StillClock(), Counting()
    guard = Guard(GuardLimits(burst=1), NO_FILE, clock=clock)

    def turn(*queries: str) -> list[dict[str, object]]:
        """What the tool messages of a turn say, in which the model calls once after the other."""
        completer = ScriptedCompleter(*(calls({"query": query}) for query in queries), says("Well."))
        tool = WebSearchTool(WebSearch(provider, SearchManners(guard), clock=clock), clock=clock)
        asked = Turn((QUESTION,), max_searches=5)
        events = stream_chat(asked, completer=completer, toolbox=Toolbox(tool), cancel=CancelToken())
        messages = [event.data for event in events if event.kind is Kind.MESSAGE]
        texts = [str(one["content"]) for one in messages if isinstance(one, dict) and one["role"] == "tool"]
        assert all(request.tools for request in completer.requests)
        return [json.loads(text.partition("\n")[2]) for text in texts]

    assert turn("tides", "ferries", "harbours")[0] == {"results": []}
    assert provider.asked == ["tides"]
    (refused,) = turn("lanterns")
    assert "the next one may go out in 20 s" in str(refused["error"])
    assert provider.asked == ["tides"]
    clock.move(20)
    assert turn("lanterns") == [{"results": []}]
    assert provider.asked == ["tides", "lanterns"]
