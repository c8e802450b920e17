"""JSON from a stream: whole and a few bytes at a time, one object or many, and what is none."""

from __future__ import annotations

import io
import json

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from llamachat.core.errors import TransferError
from llamachat.core.messages import JsonObject
from llamachat.transfer.json_values import MAX_OBJECT_CHARS, json_objects, parsed_json

ROWS = [{"a": [1, "é蜜\n\u2028", None]}, {}, {"b": {"c": "]},{\\"}}]


class Drip:
    """A stream that gives a few bytes at a time, whatever is asked for."""

    def __init__(self, data: bytes, step: int) -> None:
        self._stream = io.BytesIO(data)
        self._step = step

    def read(self, size: int, /) -> bytes:
        return self._stream.read(min(size, self._step))


def read(text: str, step: int = 2**20) -> list[JsonObject]:
    return list(json_objects(Drip(text.encode(), step)))


@pytest.mark.parametrize("step", [1, 7, 2**20])
@pytest.mark.parametrize(
    "text",
    [
        json.dumps(ROWS),
        json.dumps(ROWS, indent=2, ensure_ascii=False) + "\n",
        "\n".join(json.dumps(row) for row in ROWS),
        "\ufeff" + "\r\n\r\n".join(json.dumps(row, ensure_ascii=False) for row in ROWS) + "\r\n",
    ],
)
def test_arrays_and_lines_give_their_objects(text: str, step: int) -> None:
    assert read(text, step) == ROWS


@settings(max_examples=30)
@given(
    st.lists(st.dictionaries(st.text(), st.text() | st.integers(-9, 9) | st.lists(st.text()))),
    st.integers(1, 9),
    st.sampled_from([None, 1]),
)
def test_any_objects_come_as_they_were(rows: list[JsonObject], step: int, indent: int | None) -> None:
    assert read(json.dumps(rows, indent=indent, ensure_ascii=False), step) == rows


@pytest.mark.parametrize("text", ["", " \n", "[]", " [ ] "])
def test_nothing_gives_nothing(text: str) -> None:
    assert read(text) == []


@pytest.mark.parametrize(
    "text",
    [
        *('{"a": ', '[{"a": 1}', '[{"a": 1}, ', "[", '[{"a": 1} {"b": 2}]', '[{"a": 1}]]', "{a: 1}"),
        *(
            '{"a": NaN}',
            '{"a": -Infinity}',
            '{"a": 1e999}',
            '{"a": 9223372036854775808}',
            '{"a": ' + "9" * 5000 + "}",
        ),
    ],
)
def test_what_is_broken_or_no_number_is_refused(text: str) -> None:
    with pytest.raises(TransferError, match="no whole JSON"):
        read(text)


@pytest.mark.parametrize("text", ["1", '"text"', "[1]", "[[]]", "<html>"])
def test_other_values_than_objects_are_refused(text: str) -> None:
    with pytest.raises(TransferError, match="does not hold chats"):
        read(text)


def test_what_is_nested_without_end_is_refused() -> None:
    with pytest.raises(TransferError, match="too deep"):
        read('{"a": ' * 100_000)
    with pytest.raises(ValueError, match="deep"):
        parsed_json("[" * 100_000)


@pytest.mark.parametrize("data", [b'{"a": "\xff"}', '{"a": 1}'.encode("utf-16"), b'{"a": "\xc3'])
def test_other_encodings_are_refused(data: bytes) -> None:
    with pytest.raises(TransferError, match="UTF-8"):
        list(json_objects(io.BytesIO(data)))


@pytest.mark.slow
def test_an_object_of_countless_objects_is_refused() -> None:
    with pytest.raises(TransferError, match="a chat of more than"):
        read('{"a": [' + "{}," * 2_000_001)


class Endless:
    """A stream that opens a text in an object and never ends it."""

    def __init__(self) -> None:
        self.given = 0

    def read(self, size: int, /) -> bytes:
        start, self.given = self.given, self.given + size
        return b'{"a": "' + b"x" * (size - 7) if start == 0 else b"x" * size


@pytest.mark.slow
def test_an_object_without_end_is_refused_before_it_fills_the_memory() -> None:
    stream = Endless()
    with pytest.raises(TransferError, match="more than 128 MB"):
        list(json_objects(stream))
    assert stream.given < 3 * MAX_OBJECT_CHARS
