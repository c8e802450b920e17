"""The guard's memory, its pace, and what it tells; by a clock in hand."""

from __future__ import annotations

from pathlib import Path

import pytest

from llamachat.core.errors import SearchCause, SearchError
from llamachat.websearch.guard import Guard, GuardLimits
from llamachat.websearch.search_memory import MOST_QUERIES
from tests.fakes.still_clock import StillClock
from tests.websearch.guard_world import ROOMY, World


@pytest.fixture
def world(tmp_path: Path) -> World:
    """With the limits of the settings' defaults."""
    return World(tmp_path)


@pytest.fixture
def roomy(tmp_path: Path) -> World:
    """With a burst that does not end."""
    return World(tmp_path, ROOMY)


# Memory


@pytest.mark.claim("OP-030", "OP-032", "LC-055")
def test_the_same_query_is_asked_once_in_fifteen_minutes(roomy: World) -> None:
    assert roomy.search("Linux kernel, latest?") is None
    roomy.clock.move(899)
    assert roomy.search("what is the linux kernel latest") == 899
    roomy.clock.move(1)
    assert roomy.search("linux kernel latest") is None
    assert len(roomy.asked) == 2


@pytest.mark.claim("OP-030")
def test_it_remembers_256_queries(roomy: World) -> None:
    for number in range(MOST_QUERIES + 1):
        roomy.search(f"query number {number}")
    assert roomy.search("query number 256") is not None
    assert roomy.search("query number 1") is not None
    assert roomy.search("query number 0") is None
    assert len(roomy.asked) == 258


@pytest.mark.claim("OP-033", "OP-034")
def test_from_four_words_up_nearly_the_same_will_do(roomy: World) -> None:
    roomy.search("latest linux kernel version")
    again = roomy.guard.search("latest stable linux kernel version", roomy.ask("x"), provider="searxng")
    assert (again.age_s, again.query) == (0.0, "latest linux kernel version")
    assert roomy.search("vite latest release") is None
    assert roomy.search("react latest release") is None


@pytest.mark.claim("OP-042")
def test_an_empty_answer_is_remembered_and_a_failure_is_not(roomy: World) -> None:
    roomy.found = 0
    assert roomy.search("xyzzy") is None
    assert roomy.search("xyzzy") == 0
    roomy.failing = SearchError("Away.", cause=SearchCause.UNREACHABLE)
    roomy.refused("tide")
    roomy.failing = None
    assert roomy.search("tide") is None


def test_another_provider_or_language_is_another_question(roomy: World) -> None:
    roomy.search("tide")
    assert roomy.search("tide", provider="brave") is None
    assert roomy.guard.search("tide", roomy.ask("tide"), provider="searxng", scope=("de",)).age_s is None


def test_apart_it_remembers_by_itself_and_has_the_same_pace(world: World) -> None:
    apart = world.guard.apart()
    apart.search("tide", world.ask("tide"), provider="searxng")
    assert apart.knows("tide", provider="searxng")
    assert not world.guard.knows("tide", provider="searxng")
    assert world.guard.status("searxng").free == world.guard.limits.burst - 1
    world.search("moon")
    assert not apart.knows("moon", provider="searxng")
    assert apart.status("searxng").free == world.guard.limits.burst - 2


def test_a_fresh_search_is_sent_and_remembered(roomy: World) -> None:
    roomy.search("tide")
    roomy.clock.move(60)
    assert roomy.search("tide", fresh=True) is None
    assert roomy.search("tide") == 0
    assert len(roomy.asked) == 2


@pytest.mark.claim("OP-031")
def test_no_query_is_written_to_the_file_and_another_guard_remembers_nothing(roomy: World) -> None:
    roomy.search("rhododendron")
    roomy.refuse()
    roomy.refused("camellia")
    roomy.refused("azalea")
    text = roomy.file.read_text(encoding="utf-8")
    assert "Suspended" in text
    assert not any(word in text for word in ("rhododendron", "camellia", "azalea"))
    roomy.failing = None
    roomy.clock.move(3600)
    other = Guard(ROOMY, roomy.file, clock=roomy.clock)
    assert other.search("rhododendron", roomy.ask("rhododendron"), provider="searxng").age_s is None


# Pace


@pytest.mark.claim("OP-035")
def test_a_burst_of_six_and_then_one_every_twenty_seconds(world: World) -> None:
    for number in range(6):
        world.search(f"query {number}")
    error = world.refused("seven")
    assert error.cause is SearchCause.PACED
    assert error.retry_after_s == 20
    assert "20 s" in error.sentence
    world.clock.move(19)
    assert world.refused("seven").retry_after_s == pytest.approx(1)
    world.clock.move(1)
    world.search("seven")
    assert world.refused("eight").cause is SearchCause.PACED
    world.clock.move(60)
    for number in range(3):
        world.search(f"later {number}")
    assert world.refused("one too many").cause is SearchCause.PACED
    assert len(world.asked) == 10


def test_a_clock_that_is_set_back_does_not_stop_the_pace(world: World) -> None:
    for number in range(6):
        world.search(f"query {number}")
    world.clock.move(-100_000)
    assert world.refused().cause is SearchCause.PACED
    world.clock.move(20)
    world.search("seven")


@pytest.mark.claim("OP-028")
def test_all_guards_of_a_person_share_one_pace(world: World) -> None:
    other = Guard(GuardLimits(), world.file, clock=world.clock)
    for number in range(3):
        world.search(f"query {number}")
        other.search(f"query {number}", world.ask("x"), provider="searxng")
    with pytest.raises(SearchError) as caught:
        other.search("seven", world.ask("x"), provider="searxng")
    assert caught.value.cause is SearchCause.PACED
    assert world.refused().cause is SearchCause.PACED


# What is told


@pytest.mark.claim("OP-044")
def test_the_status_counts_what_was_sent_remembered_paced_and_paused(tmp_path: Path) -> None:
    world = World(tmp_path, GuardLimits(burst=4))
    world.search("one")
    world.search("one")
    world.refuse()
    world.refused("two")
    world.refused("three")
    world.refused("four")
    world.clock.move(300)
    world.failing = None
    for number in range(4):
        world.search(f"more {number}")
    world.refused("one too many")
    status = world.guard.status("searxng")
    assert (status.sent, status.cached, status.paced, status.paused) == (7, 1, 1, 1)
    assert (status.paused_s, status.reason, status.free) == (0, "", 0)
    assert status.since == StillClock().now()


@pytest.mark.claim("OP-044")
def test_the_status_says_for_how_long_and_why_it_is_paused(roomy: World) -> None:
    roomy.refuse()
    roomy.refused("one")
    roomy.refused("two")
    roomy.clock.move(100)
    status = roomy.guard.status("searxng")
    assert status.paused_s == 200
    assert "duckduckgo: CAPTCHA" in status.reason


@pytest.mark.claim("OP-043")
def test_every_limit_counts(tmp_path: Path) -> None:
    limits = GuardLimits(cache_s=10, burst=2, refill_s=5, trip_after=1, pause_s=30, pause_max_s=40)
    world = World(tmp_path, limits)
    world.search("tide")
    world.clock.move(10)
    assert world.search("tide") is None
    world.search("ebb")
    assert world.refused("flood").retry_after_s == 5
    world.clock.move(10)
    world.refuse()
    world.refused("a")
    assert world.refused("b").retry_after_s == 30
    world.clock.move(30)
    world.refused("c")
    assert world.refused("d").retry_after_s == 40


@pytest.mark.claim("OP-043")
def test_the_defaults() -> None:
    limits = GuardLimits()
    assert (limits.cache_s, limits.burst, limits.refill_s) == (900, 6, 20)
    assert (limits.trip_after, limits.pause_s, limits.pause_max_s) == (2, 300, 3600)
