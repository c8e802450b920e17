"""How a turn changes the document: its beginning, each batch of its events, its end.

Where very much text is there at once, some of it is drawn; the message is `unfinished` then, and whoever has the
drawing queue hands it to that.
"""

from __future__ import annotations

from collections.abc import Sequence

from llamachat.core.events import Event
from llamachat.core.messages import StoredMessage
from llamachat.ui.transcript.amounts import FLUSH_WEIGHT, slice_end
from llamachat.ui.transcript.document import TranscriptDocument
from llamachat.ui.transcript.entry import Entry
from llamachat.ui.transcript.live_turn import LiveTurn
from llamachat.ui.transcript.parts import Part


def begin_turn(transcript: TranscriptDocument, user: StoredMessage | None, live: LiveTurn) -> list[Entry]:
    """Show the question and the place of the answer, as far as they are not there yet; gives what is to be drawn."""
    answer = live.message
    _remove_replaced(transcript, user or answer)
    above = transcript.entries[-1:]
    new = [message for message in (user, answer) if message and not transcript.find(message.id)]
    entries = transcript.insert(len(transcript.entries), new)
    for entry in above:
        transcript.draw(entry, Part.OUTCOME)  # Retry and Continue belong to the last answer alone
    entry = transcript.entries[-1]
    entry.message, entry.notices = answer, []
    entry.live, entry.waiting = live, live.waiting_text()
    entry.body, entry.plain, entry.cut = transcript.growing_body(answer), False, False
    for part in Part:
        transcript.draw(entry, part)
    _draw_more(transcript, entry)
    return [*entries, entry]


def _remove_replaced(transcript: TranscriptDocument, first: StoredMessage) -> None:
    """Take away the version that the first message of the turn is shown in place of, and all that follows it."""
    for at, entry in enumerate(transcript.entries):
        if entry.message.parent_id == first.parent_id and entry.message.id != first.id:
            while len(transcript.entries) > at:
                transcript.remove(transcript.entries[-1])
            return


def live_entry(transcript: TranscriptDocument) -> Entry | None:
    """The answer that is being made."""
    return next((entry for entry in transcript.entries[-1:] if entry.live), None)


def draw_events(transcript: TranscriptDocument, entry: Entry, live: LiveTurn, events: Sequence[Event]) -> None:
    """Show what a batch of events changes."""
    changes = live.take(events)
    entry.message, entry.waiting = live.message, live.waiting_text()
    entry.notices += changes.notices
    if changes.sources and entry.body:
        redraw_body(transcript, entry)
    elif changes.content:
        _draw_more(transcript, entry)
    if Part.THINKING in changes.parts:
        transcript.grow_thinking(entry)
    for part in changes.parts - {Part.BODY, Part.THINKING}:
        transcript.draw(entry, part)


def redraw_body(transcript: TranscriptDocument, entry: Entry) -> None:
    """Draw the body anew: other numbers lead to sources, or more of it is to be seen."""
    with transcript.editor.as_one(transcript.first_block(entry, Part.BODY), entry.counts[Part.BODY]):
        if entry.body:
            entry.body = transcript.growing_body(entry.message)
            transcript.draw(entry, Part.BODY)
            _draw_more(transcript, entry)
        else:
            transcript.draw(entry, Part.BODY)
    transcript.draw(entry, Part.REMARK)


def end_turn(transcript: TranscriptDocument, entry: Entry, answer: StoredMessage) -> bool:
    """Show the answer as it is stored; True when its body had to be drawn anew for that."""
    _draw_more(transcript, entry)
    if not entry.unfinished:
        transcript.finish_body(entry)
    shown = entry.message
    entry.message, entry.live, entry.waiting = answer, None, ""
    differs = (shown.content, shown.searches) != (answer.content, answer.searches)
    if differs:
        entry.body = None
    for part in Part:
        if part is not Part.BODY or differs:
            transcript.draw(entry, part)
    return differs


def _draw_more(transcript: TranscriptDocument, entry: Entry) -> None:
    text, start = entry.message.content, entry.body.taken if entry.body else 0
    transcript.feed(entry, text[start : slice_end(text, start, least=FLUSH_WEIGHT)])
