"""Every form of address that people type, and where a search may be sent on to."""

from __future__ import annotations

import pytest

from llamachat.core.errors import SearchCause, SearchError
from llamachat.searxng.address import redirected, searxng_address


@pytest.mark.parametrize(
    ("typed", "endpoint"),
    [
        ("http://127.0.0.1:8888", "http://127.0.0.1:8888/search"),
        ("http://127.0.0.1:8888/", "http://127.0.0.1:8888/search"),
        ("http://127.0.0.1:8888/search", "http://127.0.0.1:8888/search"),
        ("http://127.0.0.1:8888/search/", "http://127.0.0.1:8888/search"),
        ("http://127.0.0.1:8888/search?q=<query>", "http://127.0.0.1:8888/search"),
        ("http://127.0.0.1:8888/search?q=%s&format=json", "http://127.0.0.1:8888/search"),
        ("http://127.0.0.1:8888/search?q={query}", "http://127.0.0.1:8888/search"),
        ("http://127.0.0.1:8888/?q=tides+at+Husum#x", "http://127.0.0.1:8888/search"),
        ("http://127.0.0.1:8888/search?token=a%26b&q=%s", "http://127.0.0.1:8888/search?token=a%26b"),
        ("https://box.example/searx/", "https://box.example/searx/search"),
        ("https://box.example/searx/search?safesearch=1", "https://box.example/searx/search?safesearch=1"),
        ("127.0.0.1:8888", "http://127.0.0.1:8888/search"),
        ("  http://127.0.0.1:8888 \n", "http://127.0.0.1:8888/search"),
        ("http://[::1]:8888", "http://[::1]:8888/search"),
        ("localhost:8888/searxng", "http://localhost:8888/searxng/search"),
        ("nas.lan", "http://nas.lan/search"),
        ("HTTPS://Box.Example", "https://box.example/search"),
        ("https://türme.example", "https://türme.example/search"),
    ],
)
def test_forms(typed: str, endpoint: str) -> None:
    assert searxng_address(typed).endpoint == endpoint


@pytest.mark.parametrize(
    ("typed", "site", "credentials"),
    [
        ("https://me:p%40ss@box.example/searx", "https://box.example/searx", "me:p@ss"),
        ("http://me@127.0.0.1:8888/search?token=t", "http://127.0.0.1:8888", "me:"),
        ("http://127.0.0.1:8888", "http://127.0.0.1:8888", ""),
    ],
)
def test_user_and_password_leave_the_address(typed: str, site: str, credentials: str) -> None:
    address = searxng_address(typed)
    assert (address.site, address.credentials) == (site, credentials)
    assert "me" not in address.endpoint
    assert "p@ss" not in repr(address)


@pytest.mark.parametrize("typed", ["", "   ", "\n"])
def test_no_address(typed: str) -> None:
    with pytest.raises(SearchError) as failed:
        searxng_address(typed)
    assert failed.value.cause is SearchCause.NOT_CONFIGURED


@pytest.mark.claim("ST-040")
@pytest.mark.parametrize(
    ("typed", "word"),
    [
        ("file:///etc/passwd", "http://"),
        ("file:/etc/passwd", "http://"),
        ("ftp://box.example", "http://"),
        ("javascript:alert(1)", "http://"),
        ("mailto:secret@box.example", "http://"),
        ("http:box.example", "http://"),
        ("http://", "not an address"),
        ("http:///search", "not an address"),
        ("http://box.example:99999", "not an address"),
        ("http://box.example:0", "not an address"),
        ("http://me:secret/word@box.example", "not an address"),
        ("http://[not-an-ip/", "not an address"),
        ("http://two words.example", "not an address"),
        ("http://box.example\\search", "not an address"),
        ("box.example", "https://"),
        ("8.8.8.8:8888", "https://"),
    ],
)
def test_refused_addresses_never_show_what_may_be_a_password(typed: str, word: str) -> None:
    with pytest.raises(SearchError) as failed:
        searxng_address(typed)
    assert failed.value.cause is SearchCause.BAD_ADDRESS
    assert word in str(failed.value)
    assert "search_url" in str(failed.value)
    assert "secret" not in str(failed.value)


@pytest.mark.parametrize(
    ("location", "endpoint"),
    [
        ("https://127.0.0.1/search", "https://127.0.0.1/search"),
        ("https://127.0.0.1:8443/search?token=t#x", "https://127.0.0.1:8443/search?token=t"),
        ("/searxng/search", "http://127.0.0.1:8888/searxng/search"),
        ("http://127.0.0.1:8888/other/search", "http://127.0.0.1:8888/other/search"),
        ("https://x:y@127.0.0.1/search", "https://127.0.0.1/search"),
    ],
)
def test_redirects_on_the_same_host(location: str, endpoint: str) -> None:
    address = redirected(searxng_address("http://me:pw@127.0.0.1:8888"), location)
    assert address.endpoint == endpoint
    assert address.credentials == "me:pw"


@pytest.mark.parametrize(
    ("location", "cause"),
    [
        ("https://elsewhere.example/search", SearchCause.REDIRECTED),
        ("//elsewhere.example/search", SearchCause.REDIRECTED),
        ("https://127.0.0.1.elsewhere.example/search", SearchCause.REDIRECTED),
        ("https://127.0.0.1@elsewhere.example/search", SearchCause.REDIRECTED),
        ("http://127.0.0.1:9999/search", SearchCause.REDIRECTED),
        ("ftp://127.0.0.1/search", SearchCause.REDIRECTED),
        ("file:///search", SearchCause.REDIRECTED),
        ("/login?next=/search", SearchCause.REDIRECTED),
        ("http://[", SearchCause.REDIRECTED),
        ("http://127.0.0.1:port/search", SearchCause.REDIRECTED),
        ("/", SearchCause.LIMITED),
        ("http://127.0.0.1:8888", SearchCause.LIMITED),
    ],
)
def test_redirects_that_are_not_followed(location: str, cause: SearchCause) -> None:
    with pytest.raises(SearchError) as failed:
        redirected(searxng_address("http://127.0.0.1:8888"), location)
    assert failed.value.cause is cause


def test_https_is_never_left() -> None:
    with pytest.raises(SearchError) as failed:
        redirected(searxng_address("https://me:pw@box.example"), "http://box.example/search")
    assert failed.value.cause is SearchCause.REDIRECTED


def test_a_default_port_that_is_written_out_is_the_same_server() -> None:
    assert redirected(searxng_address("http://nas.lan"), "http://nas.lan:80/x/search").endpoint.endswith("/x/search")


def test_the_start_page_below_a_sub_path_is_the_limiters() -> None:
    with pytest.raises(SearchError) as failed:
        redirected(searxng_address("http://nas.lan/searxng"), "/searxng/")
    assert failed.value.cause is SearchCause.LIMITED
