"""Pieces of calls to whole calls, where index, id and name tell little."""

from __future__ import annotations

import json
from itertools import count

import pytest
from hypothesis import given
from hypothesis import strategies as st

from llamachat.core.completion import ToolCallDelta
from llamachat.core.messages import ToolCall
from llamachat.llm.assemble import ToolCallAssembler, new_call_id

D = ToolCallDelta


def calls_of(*deltas: ToolCallDelta) -> list[tuple[str, str, str]]:
    """The calls, with made-up ids numbered."""
    numbers = count()
    assembler = ToolCallAssembler(lambda: f"made{next(numbers)}")
    for delta in deltas:
        assembler.feed(delta)
    calls = assembler.calls()
    assert assembler.calls() == calls  # ids stay
    return [(call.id, call.name, call.arguments) for call in calls]


def test_interleaved_calls_by_index() -> None:
    pieces = [D(0, "a", "f", '{"x"'), D(1, "b", "g", '{"y"'), D(0, arguments=":1}"), D(1, arguments=":2}")]
    assert calls_of(*pieces) == [("a", "f", '{"x":1}'), ("b", "g", '{"y":2}')]


def test_id_and_name_in_every_piece() -> None:
    assert calls_of(D(0, "a", "f", '{"x"'), D(0, "a", "f", ":1}")) == [("a", "f", '{"x":1}')]
    assert calls_of(D(None, "a", "f", '{"x"'), D(None, "a", "f", ":1}")) == [("a", "f", '{"x":1}')]


def test_the_name_again_opens_a_call_only_behind_whole_arguments() -> None:
    assert calls_of(D(None, "", "f", '{"x"'), D(None, "", "f", ":1}")) == [("made0", "f", '{"x":1}')]
    two = [("made0", "f", '{"x":1}'), ("made1", "f", '{"x":2}')]
    assert calls_of(D(None, "", "f", '{"x":1}'), D(None, "", "f", '{"x":2}')) == two
    assert calls_of(D(0, "", "f", '{"x":1}'), D(0, "", "f", '{"x":2}')) == two


def test_pieces_of_several_calls_by_id_alone() -> None:
    pieces = [D(None, "a", "f", "1"), D(None, "b", "g", "2"), D(None, "a", "", "3"), D(None, "", "", "4")]
    assert calls_of(*pieces) == [("a", "f", "13"), ("b", "g", "24")]


def test_an_index_that_counts_pieces() -> None:
    assert calls_of(D(0, "a", "f", '{"x"'), D(1, "a", "", ":1}")) == [("a", "f", '{"x":1}')]
    assert calls_of(D(0, "a", "f", '{"x"'), D(1, "", "", ":1}")) == [("a", "f", '{"x":1}')]


def test_an_id_that_comes_late() -> None:
    assert calls_of(D(0, "", "f", ""), D(0, "a", "", "{}")) == [("a", "f", "{}")]
    assert calls_of(D(None, "", "f", ""), D(None, "a", "", "{}")) == [("a", "f", "{}")]


def test_the_same_id_twice_is_made_unique() -> None:
    assert calls_of(D(0, "a", "f", "{}"), D(1, "a", "g", "{}")) == [("a", "f", "{}"), ("made0", "g", "{}")]


def test_the_name_again_behind_whole_arguments_and_blanks_opens_a_call() -> None:
    pieces = [D(None, "", "f", '{"a": '), D(None, "", "f", "{}}"), D(None, "", "", " \n"), D(None, "", "f", "{}")]
    assert [arguments for _, _, arguments in calls_of(*pieces)] == ['{"a": {}} \n', "{}"]


@pytest.mark.parametrize("index", [None, 0])
@pytest.mark.slow
def test_a_hundred_thousand_calls_cost_what_they_are(index: int | None) -> None:
    # Looking through all calls at each piece would take longer than the time limit of the test.
    calls = calls_of(*(D(index, f"id{number}", "f", "{}") for number in range(100_000)))
    assert [call_id for call_id, _, _ in calls] == [f"id{number}" for number in range(100_000)]


def test_a_name_in_each_of_a_hundred_thousand_pieces() -> None:
    text = json.dumps({"query": "a" * 100_000})
    assert calls_of(*(D(None, "", "f", letter) for letter in text)) == [("made0", "f", text)]


def test_without_a_name_there_is_no_call() -> None:
    assert calls_of(D(0, "a", "", "{}")) == []
    assert calls_of() == []


def test_ids_that_are_made_up_suit_every_template() -> None:
    ids = {new_call_id() for _ in range(1000)}
    assert len(ids) == 1000
    assert all(len(call_id) == 9 and call_id.isascii() and call_id.isalnum() for call_id in ids)


@pytest.mark.claim("LC-014")
@pytest.mark.parametrize("with_index", [True, False])
@pytest.mark.parametrize("with_id", [True, False])
@given(data=st.data(), queries=st.lists(st.text(), min_size=1, max_size=4))
def test_calls_cut_anywhere(*, with_index: bool, with_id: bool, data: st.DataObject, queries: list[str]) -> None:
    texts = [json.dumps({"query": query}) for query in queries]
    assembler = ToolCallAssembler()
    for number, text in enumerate(texts):
        index = number if with_index else None
        assembler.feed(ToolCallDelta(index, f"id{number}" if with_id else "", "web_search"))
        cut = data.draw(st.integers(0, len(text)))
        for piece in (text[:cut], text[cut:]):
            assembler.feed(ToolCallDelta(index, arguments=piece))
    calls = assembler.calls()
    assert [call.arguments for call in calls] == texts
    assert {call.name for call in calls} == {"web_search"}
    assert len({call.id for call in calls}) == len(texts)
    if with_id:
        assert calls[0] == ToolCall("id0", "web_search", texts[0])
