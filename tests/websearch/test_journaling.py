"""Each search leaves one row in the journal, whoever was asked, and none where nothing went out."""

from __future__ import annotations

import pytest

from llamachat.core.cancel import CancelToken
from llamachat.core.egress import Egress
from llamachat.core.errors import Cancelled, SearchError
from llamachat.websearch.registry import PROVIDERS
from tests.fakes.replay import answer, replay
from tests.fakes.searching import KeptEgress
from tests.websearch.provider_world import provider_at, success_of


@pytest.mark.parametrize("name", PROVIDERS)
def test_a_search_is_one_row_with_the_words_that_were_sent(name: str) -> None:
    log = KeptEgress()
    with replay(success_of(name).behaviour, answer(500, {}, b"")) as server:
        provider = provider_at(name, server.url.replace("//", "//me:hunter2@"), log=log)
        provider.search("!lock gates", CancelToken())
        with pytest.raises(SearchError):
            provider.search("canal", CancelToken())
    assert [(row.what, row.query, row.outcome) for row in log.rows] == [
        ("search", "lock gates", "ok"),
        ("search", "canal", "server_fault"),
    ]
    assert all(row.host.startswith("127.0.0.1") and row.bytes_out and row.bytes_in for row in log.rows)
    assert "hunter2" not in repr(log.rows)


@pytest.mark.parametrize("name", PROVIDERS)
def test_what_was_not_sent_leaves_no_row(name: str) -> None:
    log, stopped = KeptEgress(), CancelToken()
    stopped.cancel()
    provider = provider_at(name, "http://127.0.0.1:1", log=log)
    with pytest.raises(SearchError):
        provider.search("!", CancelToken())
    with pytest.raises(Cancelled):
        provider.search("tides", stopped)
    assert log.rows == []


def test_a_search_that_reaches_nobody_is_a_row_too() -> None:
    log = KeptEgress()
    with pytest.raises(SearchError):
        provider_at("searxng", "http://127.0.0.1:1", log=log).search("tides", CancelToken())
    (row,) = log.rows
    assert row == Egress(row.at, "127.0.0.1", "search", "tides", row.bytes_out, 0, row.seconds, "unreachable")
