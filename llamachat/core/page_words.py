"""What became of the page of a result, in words for people."""

from __future__ import annotations

from llamachat.core.search_record import SearchResult
from llamachat.core.text import tr


def page_words(result: SearchResult) -> str:
    """Such as "page read: 4,812 characters" or "page not read: …"; "" where nobody tried to read it."""
    if result.read_error:
        return tr("page not read: {reason}").format(reason=result.read_error)
    if not result.read_via:
        return ""
    through = tr("page read through Jina Reader") if result.read_via == "jina" else tr("page read")
    words = tr("{page}: {count:,} characters").format(page=through, count=result.read_chars)
    return f"{words}. {result.read_note}" if result.read_note else words
