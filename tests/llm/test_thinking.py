"""Thinking tags in content, at every split."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from llamachat.core.messages import JsonObject
from llamachat.llm.thinking import Piece, ThinkSplitter
from tests.llm.cases import Run, runs

TEXT = st.lists(
    st.sampled_from(["<think>", "</think>", "\n", "```", "`", "<", " ", "a", "b<c", "```xml\n"]), max_size=12
).map("".join)


def split(*pieces: str) -> JsonObject:
    """What came of the pieces, in the form of the cases."""
    splitter = ThinkSplitter()
    text = {"reasoning": "", "content": ""}
    moved = ""
    for piece in [*(out for text in pieces for out in splitter.feed(text)), *splitter.finish()]:
        if isinstance(piece, Piece):
            text[piece.kind] += piece.text
        else:
            moved = text["content"]
            text = {"reasoning": text["reasoning"] + moved, "content": ""}
    return {**text, "moved": moved, "unclosed": bool(text["reasoning"]) and not text["content"]}


@pytest.mark.parametrize("run", runs("thinking"))
def test_case(run: Run) -> None:
    whole = "".join(run.texts)
    assert split(*run.texts) == run.expect
    assert split(*whole) == run.expect
    for cut in range(len(whole)):
        assert split(whole[:cut], whole[cut:]) == run.expect


@given(TEXT, st.integers(min_value=1, max_value=5))
def test_splits_never_matter(text: str, size: int) -> None:
    assert split(*(text[i : i + size] for i in range(0, len(text), size))) == split(text)


@given(st.text(st.characters(exclude_characters="<")))
def test_text_without_tags_passes_at_once(text: str) -> None:
    assert ThinkSplitter().feed(text) == ([Piece("content", text)] if text else [])


@pytest.mark.parametrize(
    ("text", "reasoning", "content"),
    [
        ("Sure.\n<think>a</think>b", "a", "Sure.\nb"),
        ("<think>\na\n```\n</think>\nb", "a\n```\n", "b"),
        ("a <b> c </b> <thin", "", "a <b> c </b> <thin"),
        ("<think>a</think>b</think>\nc", "a", "b</think>\nc"),
        ("a</think>", "a", ""),
        ("</think>\n\nb", "", "b"),
        ("```\n</think>\n```\nb", "", "```\n</think>\n```\nb"),
        ("- ```\n  <think>\n  ```\n<think>a", "a", "- ```\n  <think>\n  ```\n"),
    ],
)
def test_where_a_tag_counts(text: str, reasoning: str, content: str) -> None:
    told = split(text)
    assert (told["reasoning"], told["content"]) == (reasoning, content)


def test_half_a_tag_is_never_shown() -> None:
    splitter = ThinkSplitter()
    shown = [piece for character in "x\n<think>y</think>z" for piece in splitter.feed(character)]
    assert [piece.text for piece in shown if isinstance(piece, Piece)] == ["x", "\n", "y", "z"]


def test_many_marks_are_quick() -> None:
    splitter = ThinkSplitter()
    out = splitter.feed("<" * 200_000 + " ")
    assert out == [Piece("content", "<" * 200_000 + " ")]
