"""A key that was not accepted is not sent again for an hour, unless something changed."""

from __future__ import annotations

import pytest

from llamachat.core.cancel import CancelToken
from llamachat.core.errors import SearchCause, SearchError
from llamachat.search import SearxngSettings
from llamachat.websearch.given_up import GIVEN_UP_S, GivenUp
from llamachat.websearch.registry import ProviderSettings, make_provider
from tests.fakes.replay import Replay, replay
from tests.fakes.searching import KeptEgress
from tests.fakes.still_clock import StillClock
from tests.websearch.provider_world import KEY, FixedKeys, case_of


class World:
    """Searches that share what was given up, each through a provider of its own."""

    def __init__(self, server: Replay, name: str = "tavily") -> None:
        self.clock, self.log, self.keys = StillClock(), KeptEgress(), FixedKeys()
        self.given_up = GivenUp(clock=self.clock)
        self._name, self._url = name, server.url

    def failure(self) -> SearchError:
        """Search once, and fail."""
        provider = make_provider(
            self._name,
            ProviderSettings(SearxngSettings(""), addresses={self._name: self._url}),
            secrets=self.keys,
            log=self.log,
            clock=self.clock,
            given_up=self.given_up,
        )
        with pytest.raises(SearchError) as failed:
            provider.search("tides", CancelToken())
        return failed.value


@pytest.mark.parametrize(
    ("case", "cause"), [("bad key", SearchCause.KEY_REJECTED), ("plan limit", SearchCause.NO_CREDIT)]
)
def test_what_would_fail_again_is_not_sent_for_an_hour(case: str, cause: SearchCause) -> None:
    with replay(case_of("tavily", case).behaviour) as server:
        world = World(server)
        first = world.failure()
        world.clock.move(GIVEN_UP_S - 1)
        second = world.failure()
        assert len(server.received) == len(world.log.rows) == 1
        assert (str(second), second.cause) == (str(first), cause)
        world.clock.move(1)
        world.failure()
        assert len(server.received) == 2
    assert KEY not in repr(vars(world.given_up))


def test_another_key_and_a_change_of_the_settings_are_tried_at_once() -> None:
    with replay(case_of("tavily", "bad key").behaviour) as server:
        world = World(server)
        world.failure()
        world.keys.key = "another-key-0123456789"
        world.failure()
        world.given_up.clear()
        world.failure()
        assert len(server.received) == 3


def test_what_passes_by_itself_is_tried_again() -> None:
    with replay(case_of("tavily", "too fast").behaviour) as server:
        world = World(server)
        world.failure()
        world.failure()
        assert len(server.received) == 2


def test_an_ollama_that_is_signed_in_meanwhile_is_asked() -> None:
    with replay(case_of("ollama", "not signed in (local)").behaviour) as server:
        world = World(server, "ollama")
        assert world.failure().cause is SearchCause.KEY_REJECTED
        world.failure()
        assert len(server.received) == 2
