"""Events to deltas: the cases of the streams, whole and byte by byte, and values of the wrong kind."""

from __future__ import annotations

import json
from collections.abc import Iterable, Iterator
from contextlib import suppress

import pytest
from hypothesis import given
from hypothesis import strategies as st

from llamachat.core.completion import (
    ContentDelta,
    Delta,
    FinishDelta,
    PromptProgress,
    ReasoningDelta,
    UsageDelta,
)
from llamachat.core.errors import ServerCause, ServerError
from llamachat.core.messages import Usage
from llamachat.llm.chunks import ChunkReader
from llamachat.llm.sse import SseEvent, SseParser
from tests.llm.cases import Collected, Run, runs

KEYS = [
    *("choices", "delta", "message", "content", "reasoning_content", "reasoning", "tool_calls", "function", "index"),
    *("arguments", "name", "id", "finish_reason", "usage", "timings", "prompt_progress", "error", "total", "text"),
]
JSON = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats() | st.text(),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.sampled_from(KEYS), inner, max_size=4),
    max_leaves=12,
)


def read(pieces: Iterable[bytes], reader: ChunkReader) -> Iterator[Delta]:
    """The deltas of a stream, as the client reads it."""
    parser = SseParser()
    for piece in pieces:
        for event in parser.feed(piece):
            yield from reader.feed(event)
    for event in parser.close():
        yield from reader.feed(event)
    yield from reader.finish()


def deltas_of(chunk: object) -> list[Delta]:
    """The deltas of one event of JSON."""
    return list(ChunkReader().feed(SseEvent(json.dumps(chunk))))


@pytest.mark.parametrize("run", runs("stream"))
@pytest.mark.parametrize("bytewise", [False, True], ids=["as it came", "byte by byte"])
def test_case(run: Run, *, bytewise: bool) -> None:
    stream = b"".join(run.reads)
    reader = ChunkReader()
    collected = Collected()
    collected.take(read((stream[i : i + 1] for i in range(len(stream))) if bytewise else run.reads, reader))
    for part in ("content", "reasoning", "calls"):
        assert collected.told()[part] == run.expected[part]


def test_usage_and_timings_are_one_delta() -> None:
    usage = {"prompt_tokens": 2060, "completion_tokens": 5, "prompt_tokens_details": {"cached_tokens": 3}}
    timings = {"cache_n": 2, "prompt_n": 2058, "prompt_ms": 227.9, "predicted_n": 5, "predicted_ms": 3.1}
    assert deltas_of({"choices": [], "usage": usage, "timings": timings}) == [
        UsageDelta(Usage(2060, 5, cache_n=2, prompt_n=2058, prompt_ms=227.9, predicted_n=5, predicted_ms=3.1))
    ]
    assert deltas_of({"choices": [], "usage": usage}) == [UsageDelta(Usage(2060, 5, cache_n=3))]
    assert deltas_of({"choices": [], "usage": None}) == []


def test_the_name_of_the_model_is_the_first_that_is_told() -> None:
    reader = ChunkReader()
    for told in (None, 7, "", "qwen\ud83d", "other"):
        list(reader.feed(SseEvent(json.dumps({"choices": [], "model": told}))))
    assert reader.model == "qwen\ufffd"
    list(reader.feed(SseEvent(json.dumps({"choices": []}))))
    assert reader.model == "qwen\ufffd"
    book = ChunkReader()
    list(book.feed(SseEvent(json.dumps({"choices": [], "model": "x" * 10_000}))))
    assert len(book.model) == 1000


@pytest.mark.parametrize("channel", ["content", "reasoning_content"])
def test_a_long_text_comes_in_pieces(channel: str) -> None:
    text = "marks <tool_call>" * 10_000
    chunk = {"choices": [{"delta": {channel: text}}]}
    deltas = list(ChunkReader().feed(SseEvent(json.dumps(chunk))))
    pieces = [delta.text for delta in deltas if isinstance(delta, ContentDelta | ReasoningDelta)]
    assert "".join(pieces) == text
    assert max(map(len, pieces)) < 20_000


def test_progress() -> None:
    chunk = {"prompt_progress": {"total": 100, "cache": 20, "processed": 60, "time_ms": 12}}
    assert deltas_of(chunk) == [PromptProgress(100, 20, 60, 12.0)]


def test_an_answer_that_is_not_streamed() -> None:
    message = {"role": "assistant", "reasoning_content": "Hm.", "content": "Yes."}
    chunk = {"choices": [{"message": message, "finish_reason": "stop"}]}
    assert deltas_of(chunk) == [ReasoningDelta("Hm."), ContentDelta("Yes."), FinishDelta("stop")]


def test_halves_of_a_pair_wait_in_their_own_channel() -> None:
    reader = ChunkReader()
    pieces: list[dict[str, str]] = [{"content": "a\ud83d"}, {"reasoning_content": "b\ud83d"}, {"content": "\ude00"}]
    chunks = [json.dumps({"choices": [{"delta": piece}]}) for piece in pieces]
    assert [delta for chunk in chunks for delta in reader.feed(SseEvent(chunk))] == [
        ContentDelta("a"),
        ReasoningDelta("b"),
        ContentDelta("\U0001f600"),
    ]
    assert reader.finish() == [ReasoningDelta("\ufffd")]
    assert reader.finish() == []


def test_what_came_before_an_error_in_the_same_event_is_given() -> None:
    collected: list[Delta] = []
    event = SseEvent('{"choices": [{"delta": {"content": "a"}}]}\n{"error": "gone"}')
    with pytest.raises(ServerError, match="gone"):
        collected.extend(ChunkReader().feed(event))
    assert collected == [ContentDelta("a")]


@pytest.mark.parametrize("text", ["{", '{"choices": [', "{" * 100_000, '{"a": ' * 100_000])
def test_a_piece_that_cannot_be_read_cuts_the_answer_off(text: str) -> None:
    with pytest.raises(ServerError) as caught:
        list(ChunkReader().feed(SseEvent(text)))
    assert caught.value.cause is ServerCause.CUT_OFF


@pytest.mark.parametrize("text", ["ping", "", "[1]", "null", "keep-alive 3", "<html>"])
def test_other_data_is_passed_over(text: str) -> None:
    assert list(ChunkReader().feed(SseEvent(text))) == []


def test_the_key_is_not_repeated() -> None:
    with pytest.raises(ServerError) as caught:
        list(ChunkReader("s3cret-key").feed(SseEvent('{"error": "bad key s3cret-key given"}')))
    assert "s3cret" not in str(caught.value)
    assert "bad key *** given" in str(caught.value)


@given(st.dictionaries(st.sampled_from(KEYS), JSON))
def test_values_of_any_kind_give_deltas_or_an_error(chunk: dict[str, object]) -> None:
    deltas: list[Delta] = []
    with suppress(ServerError):
        deltas = deltas_of(chunk)
    for delta in deltas:
        if isinstance(delta, ContentDelta | ReasoningDelta):
            delta.text.encode()
