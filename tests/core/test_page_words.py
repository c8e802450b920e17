"""What people are told of the page of a result."""

from __future__ import annotations

import pytest

from llamachat.core.page_words import page_words
from llamachat.core.search_record import SearchResult


@pytest.mark.parametrize(
    ("result", "words", "excerpt"),
    [
        (SearchResult("T", "u", "said"), "", "said"),
        (SearchResult("T", "u", "said", read_error="no connection"), "page not read: no connection", "said"),
        (
            SearchResult("T", "u", "text", read_via="direct", read_chars=4812, snippet="said"),
            "page read: 4,812 characters",
            "said",
        ),
        (
            SearchResult("T", "u", "text", read_via="jina", read_chars=9, read_note="It is cut.", snippet=""),
            "page read through Jina Reader: 9 characters. It is cut.",
            "",
        ),
    ],
)
def test_words(result: SearchResult, words: str, excerpt: str) -> None:
    assert page_words(result) == words
    assert result.excerpt == excerpt


def test_a_model_learns_that_a_page_could_not_be_read() -> None:
    assert SearchResult("T", "u", "said").told == "said"
    assert SearchResult("T", "u", "text", read_via="direct").told == "text"
    failed = SearchResult("T", "u", "said", read_error="no connection")
    assert failed.told == "said [The page could not be read: no connection]"
    assert SearchResult("T", "u", "", read_error="no").told == "[The page could not be read: no]"
