"""Whatever strangers write: an address, bytes, HTML or an answer is read or refused, and nothing else happens."""

from __future__ import annotations

import contextlib
import json

import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st

from llamachat.core.errors import PageError
from llamachat.core.raw_page import RawPage
from llamachat.searxng.reply import Reply
from llamachat.websearch.addresses import is_public, page_address
from llamachat.websearch.charset import decoded
from llamachat.websearch.page_reply import FetchLimits, read_reply
from llamachat.websearch.plain_html import by_selectolax, by_standard_library, plain_html
from llamachat.websearch.providers.jina import read_jina

pytestmark = pytest.mark.slow

TRICKY = st.text(st.sampled_from("htp:/\\@[]%?#.0x17faelocsn-_ \t\n\u3002\u00ad\uff11\u0661\ud800"), max_size=30)
TAGS = st.lists(
    st.sampled_from(["<main>", "</main>", "<pre>", "</pre>", "<nav>", "</nav>", "<td>", "word", "<", "\x1e", "\0"])
)
JSON = st.recursive(
    st.none() | st.booleans() | st.integers(-1000, 1000) | st.text(max_size=5),
    lambda inner: (
        st.lists(inner, max_size=3)
        | st.dictionaries(st.sampled_from(["code", "data", "content", "httpStatus", "warning", "message"]), inner)
    ),
    max_leaves=8,
)


@given(TRICKY | st.text(max_size=40), st.sampled_from(["", "http://", "https://", "http://public.example"]))
@example("\ud800", "http://")
def test_an_address_is_one_of_a_public_looking_host_or_refused(text: str, start: str) -> None:
    with contextlib.suppress(PageError):
        address = page_address(start + text)
        assert "." in address.host or ":" in address.host
        assert address.port in (80, 443)
        assert not address.url.userinfo
        if address.host.rstrip(".").rpartition(".")[2].isdigit() or ":" in address.host:
            assert is_public(address.host)


@given(st.binary(max_size=300), st.text(max_size=12))
def test_bytes_are_text_in_some_way(body: bytes, declared: str) -> None:
    assert "\ud800" not in decoded(body, declared)


@given(TAGS)
@settings(deadline=None)
def test_html_is_read_alike_by_both_ways_to_read_it(tags: list[str]) -> None:
    for read in (by_selectolax, by_standard_library):
        text = plain_html("".join(tags), read=read)
        assert not set(text) & set("\x1b\x1c\x1d\x1e\x1f")


@given(
    st.integers(100, 599),
    st.dictionaries(
        st.sampled_from(["content-type", "content-encoding", "content-length", "location"]), st.text(max_size=20)
    ),
    st.lists(st.binary(max_size=50)),
)
def test_a_reply_is_a_page_another_address_or_refused(
    status: int, headers: dict[str, str], pieces: list[bytes]
) -> None:
    with contextlib.suppress(PageError):
        found = read_reply(status, headers, pieces, limits=FetchLimits(wire_bytes=100, unpacked_bytes=100))
        assert isinstance(found, str) or (isinstance(found, RawPage) and len(found.body) <= 100)


@given(st.integers(100, 599), JSON)
def test_whatever_jina_answers_is_a_text_or_refused(status: int, answer: object) -> None:
    with contextlib.suppress(PageError):
        assert read_jina(Reply(status, {}, json.dumps(answer).encode()), now=0.0).text.strip()
