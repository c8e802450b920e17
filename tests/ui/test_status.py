"""The status line's one function, over the events of turns."""

from __future__ import annotations

import pytest

from llamachat.core.completion import PromptProgress
from llamachat.core.events import Event, Kind, Phase, PhaseName
from llamachat.core.messages import Usage
from llamachat.core.search_record import SearchRecord, record_to_json
from llamachat.ui.status import Doing, ServerStatus, TurnStatus, follow, status_text, usage_text

SERVER = ServerStatus(reachable=True, sentence="Connected to host:1")


def text_after(*events: Event, at: float = 10.0, now: float = 10.0, provider: str = "SearXNG") -> str:
    """What stands there after these events at `at`, looked at at `now`."""
    return status_text(follow(TurnStatus(), events, now=at), SERVER, now=now, provider=provider)


@pytest.mark.claim("LC-030")
def test_a_search_names_query_provider_and_time() -> None:
    started = Event(Kind.SEARCH_START, "latest stable\nlinux kernel")
    assert text_after(started, now=13.42) == "searching: latest stable linux kernel… · SearXNG · 3.4 s"


@pytest.mark.claim("ST-011")
def test_a_failed_search_is_said_for_two_and_a_half_seconds() -> None:
    events = [
        Event(Kind.SEARCH_START, "q"),
        Event(Kind.SEARCH_DONE, record_to_json(SearchRecord("q", error="refused"))),
    ]
    assert text_after(*events, now=12.4) == "Search failed"
    assert text_after(*events, now=12.6) == "Waiting for the model · 3 s"


@pytest.mark.claim("LC-030")
def test_a_search_that_worked_is_followed_by_waiting() -> None:
    done = Event(Kind.SEARCH_DONE, record_to_json(SearchRecord("q")))
    assert text_after(Event(Kind.SEARCH_START, "q"), done) == "Waiting for the model · 0 s"


def test_phases_count_from_when_they_began() -> None:
    assert text_after(Event(Kind.PHASE, Phase(PhaseName.LOADING, 12.0))) == "The server is loading the model · 12 s"
    retrying = Event(Kind.PHASE, Phase(PhaseName.RETRYING, 2.0))
    assert text_after(retrying) == "Trying to reach the server again · 2 s"
    lost = Event(Kind.PHASE, Phase(PhaseName.TAKING_UP, 2.0))
    assert text_after(Event(Kind.CONTENT, "The bee"), lost).startswith("The connection was lost, taking")
    assert text_after(lost, Event(Kind.CONTENT, " hums.")) == "Answering"


@pytest.mark.claim("ST-010")
def test_the_phases_around_a_search_have_words_of_their_own() -> None:
    def told(phase: Phase) -> str:
        return text_after(Event(Kind.PHASE, phase))

    assert told(Phase(PhaseName.ROUTING)) == "Deciding whether to search"
    assert told(Phase(PhaseName.FRAMING)) == "Framing query"
    assert told(Phase(PhaseName.CONSENT)) == "Waiting for your word on the search"
    assert told(Phase(PhaseName.READING, done=2, total=3)) == "Reading pages · 2 of 3"
    reading = [Event(Kind.PHASE, Phase(PhaseName.READING, done=done, total=3)) for done in (1, 2)]
    assert text_after(Event(Kind.SEARCH_START, "q"), *reading) == "Reading pages · 2 of 3"


def test_every_phase_has_words() -> None:
    for name in PhaseName:
        assert text_after(Event(Kind.PHASE, Phase(name)))


def test_reading_the_prompt_shows_how_far() -> None:
    half = PromptProgress(total=200, cache=20, processed=90)
    assert text_after(Event(Kind.PROGRESS, half)) == "Reading the prompt · 45 %"
    assert text_after(Event(Kind.PROGRESS, PromptProgress(0, 0, 0))) == "Reading the prompt · 0 %"


def test_thinking_and_answering() -> None:
    assert text_after(Event(Kind.REASONING, "hm")) == "Thinking"
    assert text_after(Event(Kind.REASONING, "hm"), Event(Kind.CONTENT, "Yes")) == "Answering"


def test_what_says_nothing_about_the_state_leaves_it() -> None:
    answering = follow(TurnStatus(), [Event(Kind.CONTENT, "a")], now=1.0)
    assert follow(answering, [Event(Kind.NOTICE, "n"), Event(Kind.USAGE, Usage())], now=9.0) == answering


@pytest.mark.claim("ST-012")
def test_the_order_is_search_then_server_then_queue_then_idle() -> None:
    assert status_text(None, SERVER, now=0.0) == "Connected to host:1"
    assert status_text(None, SERVER, now=0.0, idle="Connected to host:1 · 5 tokens").endswith("5 tokens")
    away = ServerStatus(reachable=False, sentence="No server answers.")
    assert status_text(None, away, now=0.0, idle="5 tokens") == "No server answers."
    assert status_text(None, SERVER, now=0.0, waiting=1) == "Connected to host:1 · 1 other chat waits"
    searching = TurnStatus(Doing.SEARCHING, query="q")
    assert status_text(searching, away, now=0.0, waiting=2) == "searching: q… · 0.0 s · 2 other chats wait"
    assert status_text(TurnStatus(stopping=True), SERVER, now=0.0) == "Stopping"


def test_behind_another_chat_a_turn_waits_for_the_other_answer() -> None:
    behind = TurnStatus(Doing.WAITING, since=1.0, behind=True)
    assert status_text(behind, SERVER, now=4.0) == "Waiting for another answer to end · 3 s"
    held = follow(TurnStatus(since=1.0), [Event(Kind.PHASE, Phase(PhaseName.BEHIND))], now=2.0)
    assert held.is_behind
    assert status_text(held, SERVER, now=4.0) == "Waiting for another answer to end · 2 s"
    assert not follow(held, [Event(Kind.PHASE, Phase(PhaseName.WAITING))], now=5.0).is_behind


def test_usage_says_only_what_the_server_said() -> None:
    assert usage_text(Usage()) == ""
    assert usage_text(Usage(completion_tokens=1)) == "1 token"
    assert usage_text(Usage(completion_tokens=90, predicted_n=90, predicted_ms=2000.0)) == "90 tokens · 45.0 tokens/s"
