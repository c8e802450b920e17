"""Several searches of one message: three at a time, in order, each page once, failures as records."""

from __future__ import annotations

import threading

import pytest

from llamachat.core.cancel import CancelToken
from llamachat.core.errors import Cancelled
from llamachat.core.search_record import SearchRecord, SearchResult
from llamachat.websearch.search_many import AT_ONCE, search_many
from tests.fakes.replay import answer, replay
from tests.fakes.searching import searxng_search


def found(query: str, *urls: str) -> SearchRecord:
    return SearchRecord(query=query, results=tuple(SearchResult(url, url, query) for url in urls))


@pytest.mark.claim("AD-004")
def test_eight_searches_never_overlap_more_than_three() -> None:
    lock, at_work, most = threading.Lock(), 0, 0
    together = threading.Barrier(AT_ONCE)

    def search(query: str, _: CancelToken) -> SearchRecord:
        nonlocal at_work, most
        with lock:
            at_work += 1
            most = max(most, at_work)
        if int(query) < 6:  # the first two threes wait for each other: fewer at a time would never end
            together.wait(20)
        with lock:
            at_work -= 1
        return found(query)

    queries = [str(number) for number in range(8)]
    assert [record.query for record in search_many(queries, search, cancel=CancelToken())] == queries
    assert most == AT_ONCE == 3


@pytest.mark.claim("AD-004")
def test_a_page_stays_with_the_first_search_that_found_it() -> None:
    pages = {
        "one": ("https://a.example/x", "https://b.example/"),
        "two": ("http://www.a.example/x/?utm_source=z", "https://c.example/"),
        "three": ("https://c.example/#top", "https://b.example"),
    }
    one, two, three = search_many(list(pages), lambda query, _: found(query, *pages[query]), cancel=CancelToken())
    assert [result.url for result in one.results] == ["https://a.example/x", "https://b.example/"]
    assert [result.url for result in two.results] == ["https://c.example/"]
    assert three.results == ()
    assert "searches before it" in three.note
    assert (one.note, two.note) == ("", "")


def test_answers_without_an_address_are_kept() -> None:
    one, two = search_many(["1", "2"], lambda query, _: found(query, "", ""), cancel=CancelToken())
    assert len(one.results) == len(two.results) == 2


def test_nothing_found_is_not_told_as_found_before() -> None:
    one, two = search_many(["1", "2"], lambda query, _: found(query), cancel=CancelToken())
    assert (one.note, two.note) == ("", "")


def test_a_failure_is_a_record_and_takes_nothing_from_the_others() -> None:
    with replay(answer(200, {}, b'{"results": [{"url": "https://a.example/"}]}'), answer(429, {}, b"")) as server:
        search = searxng_search(server.url)
        turn = search.search(["tides", "moon"], CancelToken())
        with pytest.raises(StopIteration) as ended:
            next(turn)
    records = ended.value.value
    assert sorted(record.cause for record in records) == ["", "limited"]
    assert [record.query for record in records] == ["tides", "moon"]


def test_stop_ends_all_of_them() -> None:
    cancel, begun = CancelToken(), threading.Barrier(AT_ONCE + 1)

    def search(query: str, token: CancelToken) -> SearchRecord:
        if not token.cancelled:
            begun.wait(20)
        token.wait(20)
        raise Cancelled

    def stop() -> None:
        begun.wait(20)
        cancel.cancel()

    stopper = threading.Thread(target=stop)
    stopper.start()
    with pytest.raises(Cancelled):
        search_many(["1", "2", "3", "4"], search, cancel=cancel)
    stopper.join()


def test_no_search_and_one_search() -> None:
    assert search_many([], lambda query, _: found(query), cancel=CancelToken()) == []
    assert search_many(["1"], lambda query, _: found(query), cancel=CancelToken()) == [found("1")]
