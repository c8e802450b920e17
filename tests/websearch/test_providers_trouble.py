"""What can go wrong on the way to a search service: each ends in a cause of its own, in bounded time and memory."""

from __future__ import annotations

import gzip
import json
import socket
import threading
from collections.abc import Callable

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from llamachat.core.cancel import CancelToken
from llamachat.core.errors import Cancelled, SearchCause, SearchError
from llamachat.core.messages import JsonValue
from llamachat.searxng.reply import Reply
from llamachat.websearch.registry import PROVIDERS
from tests.fakes.replay import Behaviour, answer, drip, raw, replay, reset, stall
from tests.fakes.searching import KeptEgress
from tests.websearch.provider_world import CLOUD, KEY, FixedKeys, case_of, provider_at, success_of

JSON = {"Content-Type": "application/json"}
HEAD = b"HTTP/1.1 200 OK\r\nContent-Type: application/json\r\nContent-Length: 900\r\n\r\n"
WITH_KEY = [name for name in CLOUD if name not in ("duckduckgo", "ollama")]

# One that answers in JSON and one that answers with a page in the quick check, the others in the whole one.
EACH = [pytest.param(one, marks=() if one in ("brave", "duckduckgo") else pytest.mark.slow) for one in CLOUD]

Trouble = Callable[[], Behaviour]
TROUBLES: dict[str, tuple[Trouble, SearchCause]] = {
    "a page in the place of an answer": (
        lambda: answer(200, {"Content-Type": "text/html"}, b"<html><body><h1>Welcome</h1></body></html>"),
        SearchCause.UNREADABLE,
    ),
    "nothing at all": (lambda: answer(200, {}, b""), SearchCause.UNREADABLE),
    "JSON of another kind": (lambda: answer(200, JSON, b'["results"]'), SearchCause.UNREADABLE),
    "half of it": (lambda: answer(200, JSON, b'{"results": [', length=900), SearchCause.SERVER_FAULT),
    "no HTTP": (lambda: raw(b"SSH-2.0-OpenSSH_9.2\r\n"), SearchCause.SERVER_FAULT),
    "broken off": (lambda: reset, SearchCause.SERVER_FAULT),
    "a failing server": (lambda: answer(503, {}, b"<h1>503</h1>"), SearchCause.SERVER_FAULT),
    "another place": (lambda: answer(302, {"Location": "http://127.0.0.1:1/"}, b""), SearchCause.REDIRECTED),
    "more than is read": (
        lambda: answer(200, {**JSON, "Content-Encoding": "gzip"}, gzip.compress(b" " * 3_000_000)),
        SearchCause.SERVER_FAULT,
    ),
    "broken gzip": (
        lambda: answer(200, {**JSON, "Content-Encoding": "gzip"}, b"no gzip"),
        SearchCause.SERVER_FAULT,
    ),
}


def failure(name: str, url: str, *, timeout_s: float = 20, keys: FixedKeys | None = None) -> SearchError:
    with pytest.raises(SearchError) as failed:
        provider_at(name, url, timeout_s=timeout_s, keys=keys).search("tides", CancelToken())
    return failed.value


@pytest.mark.claim("AD-007")
@pytest.mark.parametrize("name", EACH)
@pytest.mark.parametrize("trouble", TROUBLES)
def test_an_answer_that_is_none(name: str, trouble: str) -> None:
    behaviour, cause = TROUBLES[trouble]
    with replay(behaviour()) as server:
        error = failure(name, server.url)
    assert error.cause is cause
    assert KEY not in repr(error)
    assert len(server.received) == 1


@pytest.mark.parametrize("name", EACH)
@pytest.mark.parametrize(
    "behaviour",
    [stall(HEAD + b"{"), drip(HEAD + b" " * 900, every_s=0.01)],
    ids=["half a body, then nothing", "dripping"],
)
def test_a_slow_service_is_given_up_at_the_deadline(name: str, behaviour: Behaviour) -> None:
    with replay(behaviour) as server:
        error = failure(name, server.url, timeout_s=0.1)
    assert error.cause is SearchCause.TIMEOUT
    assert "within 0.1 s" in error.sentence


@pytest.mark.parametrize("name", CLOUD)
def test_a_service_that_is_away(name: str) -> None:
    with socket.create_server(("127.0.0.1", 0)) as listener:
        url = f"http://127.0.0.1:{listener.getsockname()[1]}"
    error = failure(name, url)
    assert error.cause is SearchCause.UNREACHABLE
    assert "connection refused" in error.sentence
    assert "search_provider" in error.next_step


@pytest.mark.timeout(30)
@pytest.mark.parametrize("name", EACH)
def test_stop_ends_a_search_at_once(name: str) -> None:
    cancel = CancelToken()
    log = KeptEgress()
    # Leaving `replay` waits for the server's thread, which waits for the client to hang up.
    with replay(stall(HEAD), patient=True) as server:

        def stop() -> None:
            server.asked.wait()
            cancel.cancel()

        stopper = threading.Thread(target=stop)
        stopper.start()
        with pytest.raises(Cancelled):
            provider_at(name, server.url, timeout_s=600, log=log).search("tides", cancel)
        stopper.join()
    assert [row.outcome for row in log.rows] == ["stopped"]


@pytest.mark.claim("ST-030", "AD-024", "AD-015")
@pytest.mark.parametrize("name", WITH_KEY)
def test_without_a_key_nothing_is_sent_and_the_service_and_its_variable_are_named(name: str) -> None:
    keys, log = FixedKeys(""), KeptEgress()
    with replay(success_of(name).behaviour) as server:
        provider = provider_at(name, server.url, keys=keys, log=log)
        with pytest.raises(SearchError) as failed:
            provider.search("tides", CancelToken())
        assert server.received == []
    assert failed.value.cause is SearchCause.NO_KEY
    adapter = PROVIDERS[name]
    assert adapter is not None
    for text in (str(failed.value), provider.configured()):
        assert provider.name in text
        assert adapter.key_variable in text
        assert f"config set-key {name}" in text
    assert log.rows == []


class DialogOfKeyring:
    """The Secrets seam while its owner thinks about the password."""

    def __init__(self) -> None:
        self.asked, self.answered = threading.Event(), threading.Event()

    def get(self, name: str) -> str:
        self.asked.set()
        self.answered.wait(60)
        return KEY


@pytest.mark.timeout(30)
def test_stop_while_the_keyring_waits_for_its_owner() -> None:
    cancel, keys = CancelToken(), DialogOfKeyring()

    def stop() -> None:
        keys.asked.wait()
        cancel.cancel()

    stopper = threading.Thread(target=stop)
    stopper.start()
    with replay(success_of("brave").behaviour) as server, pytest.raises(Cancelled):
        provider_at("brave", server.url, keys=keys).search("tides", cancel)
    stopper.join()
    keys.answered.set()
    assert server.received == []


@pytest.mark.slow  # two seconds are given to a keyring that answers by itself
def test_a_keyring_that_waits_for_its_owner_counts_as_one_with_the_key() -> None:
    keys = DialogOfKeyring()
    assert provider_at("brave", "http://127.0.0.1:1", keys=keys).configured() == ""
    keys.answered.set()


@pytest.mark.parametrize("key", ["two words", "line\nbreak-0123456789", "schlüssel-0123456789"])
def test_a_key_that_cannot_be_sent_is_not_sent_and_not_shown(key: str) -> None:
    with replay(success_of("brave").behaviour) as server:
        error = failure("brave", server.url, keys=FixedKeys(key))
        assert server.received == []
    assert error.cause is SearchCause.KEY_REJECTED
    assert key not in str(error)


@pytest.mark.parametrize("name", WITH_KEY)
def test_a_key_that_a_service_repeats_is_masked(name: str) -> None:
    echo = json.dumps({"error": f"bad key {KEY}", "message": f"bad key {KEY}", "detail": {"error": f"bad key {KEY}"}})
    with replay(answer(400, JSON, echo.encode())) as server:
        error = failure(name, server.url)
    assert KEY not in str(error)
    found = {"title": KEY, "url": f"https://x.example/?k={KEY}", "link": f"https://x.example/?k={KEY}", "text": KEY}
    shapes = {"results": [found], "organic": [found], "organic_results": [found], "data": [found]}
    body = json.dumps({**shapes, "web": {"results": [found]}})
    with replay(answer(200, JSON, body.encode())) as server:
        answered = provider_at(name, server.url).search("tides", CancelToken())
    assert answered.results
    assert KEY not in repr(answered)


def test_a_query_of_no_words_is_not_sent() -> None:
    with replay(success_of("duckduckgo").behaviour) as server, pytest.raises(SearchError) as failed:
        provider_at("duckduckgo", server.url).search(" !\n", CancelToken())
    assert failed.value.cause is SearchCause.BAD_QUERY
    assert server.received == []


@pytest.mark.parametrize("name", CLOUD)
def test_a_long_query_is_cut_to_what_the_service_takes(name: str) -> None:
    adapter = PROVIDERS[name]
    assert adapter is not None
    with replay(success_of(name).behaviour) as server:
        asked = provider_at(name, server.url).search("tide " * 300, CancelToken()).asked
    assert adapter.max_chars - 10 < len(asked) <= adapter.max_chars
    assert set(asked.split()) == {"tide"}


def test_the_journal_has_one_row_for_each_search_with_what_went_out() -> None:
    log, case = KeptEgress(), case_of("brave", "bad key")
    with replay(success_of("brave").behaviour, case.behaviour) as server:
        provider = provider_at("brave", server.url, log=log)
        provider.search("lock gates", CancelToken())
        with pytest.raises(SearchError):
            provider.search("lock gates", CancelToken())
    assert [(row.what, row.query, row.outcome) for row in log.rows] == [
        ("search", "lock gates", "ok"),
        ("search", "lock gates", "key_rejected"),
    ]
    assert {f"http://{row.host}" for row in log.rows} == {server.url}
    sent = len(server.received[0])
    assert all(sent - 60 < row.bytes_out <= sent for row in log.rows)
    assert all(row.bytes_in > 200 for row in log.rows)
    assert KEY not in repr(log.rows)


ANY_JSON = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats(allow_nan=False) | st.text(max_size=8),
    lambda inner: (
        st.lists(inner, max_size=3)
        | st.dictionaries(
            st.sampled_from(
                [
                    "results",
                    "web",
                    "error",
                    "errors",
                    "code",
                    "meta",
                    "detail",
                    "data",
                    "organic",
                    "url",
                    "link",
                    "title",
                ]
            ),
            inner,
            max_size=4,
        )
    ),
    max_leaves=12,
)


@settings(max_examples=60, deadline=None)
@given(value=ANY_JSON, status=st.sampled_from([200, 204, 401, 403, 422, 429, 500]))
def test_no_shape_of_an_answer_raises(value: JsonValue, status: int) -> None:
    reply = Reply(status, {"x-ratelimit-reset": "-1, x", "retry-after": "soon"}, json.dumps(value).encode())
    for adapter in PROVIDERS.values():
        if adapter is not None:
            refusal = adapter.refusal(reply)
            found = adapter.results(reply)
            assert refusal is not None or status == 200
            assert found is None or all(item is not None for item in found)
