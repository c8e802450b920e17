"""When refusals pause the search, for how long, and how it goes on; by a clock in hand."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from llamachat.core.errors import Cancelled, SearchCause, SearchError
from llamachat.searxng.answer import SearchAnswer
from tests.websearch.guard_world import REFUSING, ROOMY, World


@pytest.fixture
def roomy(tmp_path: Path) -> World:
    """With a burst that does not end."""
    return World(tmp_path, ROOMY)


@pytest.mark.claim("OP-037", "OP-039")
def test_two_refusals_in_a_row_pause_for_five_minutes(roomy: World) -> None:
    roomy.refuse()
    assert roomy.refused("one").cause is SearchCause.ENGINES_REFUSED
    assert roomy.refused("two").cause is SearchCause.ENGINES_REFUSED
    paused = roomy.refused("three")
    assert paused.cause is SearchCause.PAUSED
    assert paused.engines == REFUSING
    assert paused.sentence == (
        "Web search is paused for 5 min: the search engines are refusing requests"
        " (brave: Suspended: too many requests; duckduckgo: CAPTCHA)."
    )
    roomy.clock.move(299)
    assert roomy.refused("three").cause is SearchCause.PAUSED
    assert roomy.asked == ["one", "two"]
    roomy.failing = None
    roomy.clock.move(1)
    roomy.search("three")
    roomy.search("four")


@pytest.mark.claim("OP-038")
def test_the_pause_doubles_up_to_an_hour_while_each_probe_is_refused(roomy: World) -> None:
    roomy.refuse()
    roomy.refused("a")
    roomy.refused("b")
    pauses = []
    for _ in range(6):
        left = roomy.refused("x").retry_after_s
        assert left
        pauses.append(left / 60)
        before = len(roomy.asked)
        roomy.clock.move(left)
        assert roomy.refused("probe").cause is SearchCause.ENGINES_REFUSED
        assert len(roomy.asked) == before + 1
    assert pauses == [5, 10, 20, 40, 60, 60]
    roomy.clock.move(3600)
    roomy.failing = None
    roomy.search("works again")
    roomy.refuse()
    roomy.refused("a")
    roomy.refused("b")
    assert roomy.refused("c").retry_after_s == 300


def test_a_search_that_works_between_refusals_starts_the_count_anew(roomy: World) -> None:
    for _ in range(4):
        roomy.refuse()
        assert roomy.refused("refused").cause is SearchCause.ENGINES_REFUSED
        roomy.failing = None
        roomy.search(f"works {len(roomy.asked)}")


@pytest.mark.parametrize("cause", [SearchCause.UNREACHABLE, SearchCause.TIMEOUT, SearchCause.UNAUTHORIZED])
def test_other_failures_pause_nothing(roomy: World, cause: SearchCause) -> None:
    roomy.refuse(cause)
    for _ in range(5):
        assert roomy.refused().cause is cause


def test_a_wait_that_the_other_side_names_is_kept_at_once(roomy: World) -> None:
    roomy.refuse(SearchCause.LIMITED, retry_after_s=1000)
    assert roomy.refused().cause is SearchCause.LIMITED
    assert roomy.refused().retry_after_s == 1000


def test_a_service_that_is_asked_too_fast_is_waited_for_as_long_as_it_says_and_no_longer(roomy: World) -> None:
    for number in range(4):
        roomy.refuse(SearchCause.LIMITED, retry_after_s=1)
        assert roomy.refused(f"too fast {number}").cause is SearchCause.LIMITED
        roomy.failing = None
        paused = roomy.refused(f"at once {number}")
        assert (paused.cause, paused.retry_after_s) == (SearchCause.PAUSED, 1)
        roomy.clock.move(1)
    roomy.search("in time")


def test_a_page_for_robots_pauses_like_engines_that_refuse(roomy: World) -> None:
    roomy.refuse(SearchCause.BOT_PAGE)
    roomy.refused("a")
    roomy.refused("b")
    assert roomy.refused("c").cause is SearchCause.PAUSED


def test_one_probe_at_a_time_and_a_stopped_one_counts_for_nothing(roomy: World) -> None:
    roomy.refuse()
    roomy.refused("a")
    roomy.refused("b")
    roomy.clock.move(300)
    during: list[SearchError] = []

    def stopped() -> SearchAnswer:
        during.append(roomy.refused("beside"))
        raise Cancelled

    with pytest.raises(Cancelled):
        roomy.guard.search("probe", stopped, provider="searxng")
    assert [error.cause for error in during] == [SearchCause.PAUSED]
    roomy.failing = None
    roomy.search("probe")


@pytest.mark.claim("OP-041")
def test_what_is_remembered_is_answered_while_paused(roomy: World) -> None:
    roomy.search("tide")
    roomy.refuse()
    roomy.refused("a")
    roomy.refused("b")
    assert roomy.search("tide") == 0
    assert roomy.guard.refusal("searxng") is not None
    assert roomy.guard.refusal("brave") is None


def test_a_pause_of_one_provider_is_none_of_another(roomy: World) -> None:
    roomy.refuse()
    roomy.refused("a")
    roomy.refused("b")
    roomy.failing = None
    assert roomy.search("c", provider="brave") is None


@pytest.mark.parametrize(
    "error",
    [
        SearchError("Brave is asked too often (no more of “Zanzibar tides”, please).", cause=SearchCause.LIMITED),
        SearchError(
            "It refuses.", cause=SearchCause.ENGINES_REFUSED, engines=(("brave", "/search?q=zanzi%62ar: 429"),)
        ),
        SearchError("Zu oft: 潮", cause=SearchCause.LIMITED),
    ],
    ids=["words", "address", "one letter"],
)
def test_no_word_of_a_query_gets_into_the_file_of_all_processes(roomy: World, error: SearchError) -> None:
    roomy.failing = error
    for _ in range(2):
        roomy.refused("Zanzibar 潮")
    assert roomy.refused("anything").cause is SearchCause.PAUSED
    text = json.loads(roomy.file.read_text(encoding="utf-8"))["providers"]["searxng"]
    assert (text["engines"], text["paused_until"] > 0) == ([], True)
    assert text["reason"] in ("the search service refuses requests", "It refuses.")


def test_what_says_nothing_of_it_is_kept(roomy: World) -> None:
    roomy.refuse()
    for _ in range(2):
        roomy.refused("tides")
    assert "brave: Suspended: too many requests" in roomy.guard.status("searxng").reason
