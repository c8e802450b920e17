"""Bytes to events: framing, splits, and what is no event stream at all."""

from __future__ import annotations

from itertools import pairwise

import pytest
from hypothesis import given
from hypothesis import strategies as st

from llamachat.core.errors import ServerError
from llamachat.llm.sse import SseEvent, SseParser

STREAM = (
    "\ufeffdata: first\n\n"
    ": ping\r\n\r\n"
    "event: note\rdata: zwei \u00e4\u20ac\U0001f600\r\r"
    "data: one\r\ndata:two\r\ndata:  three\r\n\r\n"
    'error: {"code": 400}\n\n'
    "id: 7\nretry: 10\n\n"
    "data\n\n"
    '{\n  "error": "bare"\n}\n\n'
    "data: a\u2028b\u0085c\x0bd\n\n"
    "data: last"
).encode()
EVENTS = [
    SseEvent("first"),
    SseEvent("zwei \u00e4\u20ac\U0001f600", "note"),
    SseEvent("one\ntwo\n three"),
    SseEvent(fields=(("error", '{"code": 400}'),)),
    SseEvent(bare='{\n  "error": "bare"\n}'),
    SseEvent("a\u2028b\u0085c\x0bd"),
    SseEvent("last"),
]


def parse(*pieces: bytes) -> list[SseEvent]:
    """All events of a stream that came in pieces."""
    parser = SseParser()
    events = [event for piece in pieces for event in parser.feed(piece)]
    return events + parser.close()


def test_whole() -> None:
    assert parse(STREAM) == EVENTS


def test_byte_by_byte() -> None:
    assert parse(*(STREAM[i : i + 1] for i in range(len(STREAM)))) == EVENTS


@pytest.mark.parametrize("cut", range(len(STREAM)))
def test_cut_in_two(cut: int) -> None:
    assert parse(STREAM[:cut], STREAM[cut:]) == EVENTS


@given(st.binary(), st.lists(st.integers(min_value=0, max_value=64)))
def test_splits_never_matter(data: bytes, cuts: list[int]) -> None:
    edges = [0, *sorted(cut for cut in cuts if cut < len(data)), len(data)]
    pieces = [data[start:end] for start, end in pairwise(edges)]
    assert parse(*pieces) == parse(data)


@given(st.lists(st.text(st.characters(exclude_characters="\r\n", codec="utf-8"), min_size=1), min_size=1))
def test_what_is_written_as_data_is_read(lines: list[str]) -> None:
    stream = "".join(f"data: {line}\n" for line in lines) + "\n"
    assert parse(stream.encode()) == [SseEvent("\n".join(lines))]


def test_an_event_comes_as_soon_as_its_blank_line_has() -> None:
    parser = SseParser()
    assert parser.feed(b"data: a\r\n\r") == [SseEvent("a")]
    assert parser.feed(b"\ndata: b\n") == []
    assert parser.feed(b"\n") == [SseEvent("b")]


def test_a_web_page_is_no_event_with_data() -> None:
    events = parse(b"<html>\n<title>502: Bad Gateway</title>\n</html>")
    assert [(event.data, event.bare[:6]) for event in events] == [("", "<html>")]


def test_broken_utf8_is_replaced() -> None:
    assert parse(b"data: a\xffb\n\n") == [SseEvent("a\ufffdb")]


@pytest.mark.parametrize("piece", [b"x", b": ", b"data: 23456789\n"], ids=["a line", "marks", "lines"])
def test_an_endless_event_is_cut_with_an_error(piece: bytes) -> None:
    parser = SseParser(max_event_bytes=1000)
    fed: list[bytes] = []

    def feed_much() -> None:
        while len(fed) < 2000:
            fed.append(piece)
            parser.feed(piece)

    with pytest.raises(ServerError, match="too long"):
        feed_much()
    assert 1000 < len(piece) * len(fed) < 1100


def test_many_short_events_in_one_read_are_no_long_one() -> None:
    assert len(SseParser(max_event_bytes=64).feed(b"data: 23456789\n\n" * 100)) == 100
