"""The provider of the SearXNG that the program installs, where that does not start; else tests/test_own_searxng."""

from __future__ import annotations

import pytest

from llamachat.core.cancel import CancelToken
from llamachat.core.egress import NoEgressLog
from llamachat.core.errors import Cancelled, SearchCause, SearchError
from llamachat.search import SearxngSettings
from llamachat.websearch.provider import OwnSearxng
from llamachat.websearch.providers.own_searxng import OwnSearxngProvider
from tests.fakes.still_clock import StillClock


def given_up(cancel: CancelToken) -> str:
    """As it is when the settings switch it off while it starts, and when the user stops."""
    raise Cancelled


def test_a_start_that_the_settings_end_is_a_search_that_failed_and_no_stop() -> None:
    own = OwnSearxng(start=given_up, installed=lambda: True)
    provider = OwnSearxngProvider(own, SearxngSettings(""), log=NoEgressLog(), clock=StillClock())
    cancel = CancelToken()
    with pytest.raises(SearchError, match="switched off") as failed:
        provider.search("tides", cancel)
    assert failed.value.cause is SearchCause.NOT_CONFIGURED
    cancel.cancel()
    with pytest.raises(Cancelled):
        provider.search("tides", cancel)
