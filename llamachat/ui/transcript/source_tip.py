"""The tooltip of a link to a source: what the search said about the page, as the model saw it."""

from __future__ import annotations

import textwrap
from html import escape

from llamachat.core.search_record import SearchResult, numbered_results
from llamachat.render.links import allowed_link
from llamachat.ui.transcript.document import TranscriptDocument

_COLUMNS = 90
_LINES = 8


def source_at(transcript: TranscriptDocument, block_number: int, address: str) -> SearchResult | None:
    """The result that a link in a block leads to; None where it leads elsewhere."""
    entry = transcript.at_block(block_number) if address else None
    results = numbered_results(entry.message.searches).values() if entry else ()
    return next((result for result in results if allowed_link(result.url) == address), None)


def source_tip(source: SearchResult) -> str:
    """Its title and its text: plain, in lines that fit."""
    title, text = (_lines(part) for part in (source.title, source.content))
    return "<br>".join(filter(None, (f"<b>{title}</b>" if title else "", text)))


def _lines(text: str) -> str:
    wrapped = textwrap.wrap(text, _COLUMNS, max_lines=_LINES, placeholder=" …")
    return "<br>".join(escape(line) for line in wrapped)
