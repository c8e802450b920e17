"""What is still to be done for a message once it stands in the document: a little at each step."""

from __future__ import annotations

from collections.abc import Iterator

from llamachat.ui.transcript.amounts import slice_end, weigh
from llamachat.ui.transcript.code_colours import colour_slices, find_code
from llamachat.ui.transcript.document import TranscriptDocument
from llamachat.ui.transcript.entry import Entry
from llamachat.ui.transcript.parts import Part


def drawing_steps(transcript: TranscriptDocument, entry: Entry) -> Iterator[None]:
    """Draw the rest of a long message, or colour the code of one that is there as a whole."""
    return _draw_rest(transcript, entry) if entry.body else _colour(transcript, entry)


def _draw_rest(transcript: TranscriptDocument, entry: Entry) -> Iterator[None]:
    body = entry.body
    while body and body.taken < len(text := entry.message.content):
        transcript.feed(entry, text[body.taken : slice_end(text, body.taken, least=weigh(body.open_text) // 2)])
        yield
        if entry.body is not body or entry not in transcript.entries:
            return
    if entry.live:  # there is more to come
        return
    transcript.finish_body(entry)
    if body and body.is_typed:
        yield from _colour(transcript, entry)


def _colour(transcript: TranscriptDocument, entry: Entry) -> Iterator[None]:
    document, drawn = transcript.document, entry.drawn
    first = transcript.first_block(entry, Part.BODY)
    for code in list(find_code(document, first, entry.counts[Part.BODY])):
        for lines in colour_slices(code.language, code.lines):
            if entry not in transcript.entries or entry.drawn != drawn:
                return
            moved = transcript.first_block(entry, Part.BODY) - first
            transcript.colours.apply(document, code.first + moved, lines)
            yield
