"""The messages in the document: which blocks belong to which part of which message, and how they change."""

from __future__ import annotations

import logging
from collections.abc import Callable, Iterator, Mapping, Sequence

from PySide6.QtGui import QTextBlockFormat, QTextCursor, QTextDocument, QTextOption

from llamachat.core.messages import Role, StoredMessage
from llamachat.render.blocks import (
    draw_notices,
    draw_remark,
    draw_thinking_line,
    draw_thoughts,
    draw_waiting,
    thought_lines,
)
from llamachat.render.incremental import Piece, Update
from llamachat.render.limits import DEFAULT_LIMITS, TYPED_LIMITS, Limits
from llamachat.render.links import Anchor, AnchorKind
from llamachat.render.maths import MATH_CLASS
from llamachat.render.parse import MarkdownParser
from llamachat.render.typed import draw_plain
from llamachat.ui.theme import LIGHT, Theme
from llamachat.ui.transcript.amounts import drawn_later
from llamachat.ui.transcript.body import GrowingBody
from llamachat.ui.transcript.code_colours import CodeColours
from llamachat.ui.transcript.editor import DocumentEditor
from llamachat.ui.transcript.entry import Entry
from llamachat.ui.transcript.kept_html import as_drawn, kept_or_drawn
from llamachat.ui.transcript.look import Look
from llamachat.ui.transcript.message_acts import version_label
from llamachat.ui.transcript.parts import Part, body_pieces, draw_part
from llamachat.ui.transcript.stylesheet import transcript_css

log = logging.getLogger(__name__)


BodyDrawn = Callable[[Entry, int, range], object]
"""Told while the document is edited: blocks of a body are there now and stay as they are. Gets the number of the
body's first block, and which blocks, counted from that one."""


class TranscriptDocument:
    """The document and its entries, in the order of the messages."""

    def __init__(self, document: QTextDocument, parser: MarkdownParser | None = None) -> None:
        self.editor = DocumentEditor(document)
        self.entries: list[Entry] = []
        self.has_newer = False  # the last entry is not the last message of its chat
        self.versions: Mapping[int, tuple[int, ...]] = {}  # of each message that has several: their ids
        self.opened: set[Anchor] = set()  # folds that are open; kept while other chats are shown
        self.parser = parser or MarkdownParser()
        self.colours = CodeColours(LIGHT)
        self.document = document
        self.body_drawn: BodyDrawn = lambda *_: None
        self._column_px = 0

    def set_look(self, theme: Theme, size: int, look: Look) -> None:
        """Colours, fonts and text size for everything drawn from now on."""
        self.colours = CodeColours(theme)
        self.document.setDefaultStyleSheet(transcript_css(theme, size, look))

    def set_column(self, width: int) -> None:
        """How wide the text is: a person's header has a Copy at its right end."""
        if width == self._column_px:
            return
        self._column_px = width
        group = QTextCursor(self.document)
        group.beginEditBlock()
        for entry, first in self.spans():
            self._align_header(entry, first)
        group.endEditBlock()

    def clear(self) -> None:
        """Show no message."""
        self.entries.clear()
        self.editor.clear()

    def redraw(self, fit: Callable[[], object]) -> None:
        """Draw all messages anew, in the look of now; `fit` sets the margins, which clearing takes away."""
        self.editor.clear()
        fit()
        self._draw_all(self.entries, 1)

    def insert(self, index: int, messages: Sequence[StoredMessage]) -> list[Entry]:
        """Show messages before the one that has this index now."""
        entries = [Entry(message) for message in messages]
        for entry, later in zip(entries, drawn_later(messages), strict=True):
            entry.body = self.growing_body(entry.message) if later else None
        first = 1 + sum(entry.total for entry in self.entries[:index])
        self.entries[index:index] = entries
        self._draw_all(entries, first)
        return entries

    def _draw_all(self, entries: Sequence[Entry], number: int) -> None:
        for entry in entries:
            first = number
            for part in Part:
                entry.counts[part] = self._insert(entry, part, number)
                number += entry.counts[part]
            self._align_header(entry, first)

    def remove(self, entry: Entry) -> None:
        """Show a message no more."""
        self.editor.remove(self.first_block(entry), entry.total)
        self.entries.remove(entry)

    def find(self, message_id: int) -> Entry | None:
        """The entry of a message."""
        return next((entry for entry in self.entries if entry.message.id == message_id), None)

    def first_block(self, entry: Entry, part: Part = Part.HEADER) -> int:
        """The number of the first block of a part (where it would be, if the part has none)."""
        if entry is self.entries[-1]:
            before = self.document.blockCount() - 2 - entry.total
        else:
            before = sum(other.total for other in self.entries[: self.entries.index(entry)])
        return 1 + before + sum(entry.counts[:part])

    def at_block(self, number: int) -> Entry | None:
        """The entry that a block belongs to."""
        first = 1
        for entry in self.entries:
            if first <= number < first + entry.total:
                return entry
            first += entry.total
        return None

    def spans(self) -> Iterator[tuple[Entry, int]]:
        """Each entry with the number of its first block."""
        first = 1
        for entry in self.entries:
            yield entry, first
            first += entry.total

    def spans_between(self, first: int, last: int) -> Iterator[tuple[Entry, int]]:
        """The entries that have any of these blocks, from the last one up, as in `spans`."""
        number = self.document.blockCount() - 1
        for entry in reversed(self.entries):
            if number <= first:
                return
            number -= entry.total
            if number <= last:
                yield entry, number

    def draw(self, entry: Entry, part: Part) -> None:
        """Draw a part of a message anew, if it looks otherwise now: Qt lays out all that lies between two edits."""
        if part is Part.BODY:
            self._draw_body(entry)
            return
        html = self._html(entry, part)
        if entry.shown.get(part) != html:
            entry.shown[part] = html
            first = self.first_block(entry, part)
            entry.counts[part] = self.editor.replace(first, entry.counts[part], html)
            if part is Part.HEADER:
                self._align_header(entry, first)

    def _draw_body(self, entry: Entry) -> None:
        first, count = self.first_block(entry, Part.BODY), entry.counts[Part.BODY]
        entry.drawn += 1
        with self.editor.as_one(first, count):
            self.editor.remove(first, count)
            entry.counts[Part.BODY] = self._insert(entry, Part.BODY, first)

    def feed(self, entry: Entry, text: str) -> None:
        """Show more text of the answer that grows."""
        if entry.body:
            self._grow(entry, entry.body, lambda body: body.take(text))
        elif entry.plain:
            self.draw(entry, Part.BODY)

    def _grow(self, entry: Entry, body: GrowingBody, step: Callable[[GrowingBody], Update]) -> None:
        try:
            update = step(body)
        except Exception:  # noqa: BLE001 - whatever a text does to the parser, the window must go on
            self._give_up(entry)
            self.draw(entry, Part.BODY)
            self.draw(entry, Part.REMARK)
            return
        body.apply(update, editor=self.editor, colours=self.colours, first=self.first_block(entry, Part.BODY))
        entry.counts[Part.BODY] = body.count
        self.body_drawn(entry, self.first_block(entry, Part.BODY), body.take_final())
        if body.cut != entry.cut:
            entry.cut = body.cut
            self.draw(entry, Part.REMARK)

    def _give_up(self, entry: Entry) -> None:
        log.warning("message %s could not be drawn as Markdown", entry.message.id, exc_info=True)
        entry.plain, entry.body = True, None

    def grow_thinking(self, entry: Entry) -> None:
        """Show more of the thinking: of what is open only its last line is drawn anew, and what came after it."""
        shown = entry.counts[Part.THINKING] - 1
        if shown <= 0:
            self.draw(entry, Part.THINKING)
            return
        first, kept = self.first_block(entry, Part.THINKING), shown - 1
        entry.shown.pop(Part.THINKING, None)
        self.editor.replace(first, 1, draw_thinking_line(entry.message.reasoning, entry.message.id, opened=True))
        html = draw_thoughts(thought_lines(entry.message.reasoning)[kept:])
        entry.counts[Part.THINKING] = 1 + kept + self.editor.replace(first + 1 + kept, 1, html)

    def finish_body(self, entry: Entry) -> None:
        """The answer's text is drawn and grows no more."""
        if entry.body:
            self._grow(entry, entry.body, GrowingBody.finish)
        if entry.body:
            limits = self.limits_of(entry.message)
            entry.kept = as_drawn(entry.body.pieces, entry.message, limits=limits, cut=entry.cut)
            entry.body = None

    def growing_body(self, message: StoredMessage) -> GrowingBody:
        """The body of an answer that comes bit by bit."""
        return GrowingBody(self.parser, message, self.limits_of(message))

    def limits_of(self, message: StoredMessage) -> Limits | None:
        """How much of a message is drawn."""
        if Anchor(AnchorKind.WHOLE, message.id) in self.opened:
            return None
        return TYPED_LIMITS if message.role is Role.USER else DEFAULT_LIMITS

    def pieces(self, entry: Entry) -> list[Piece]:
        """The body of a message that does not grow; as plain text where it cannot be drawn otherwise."""
        limits = self.limits_of(entry.message)
        if not entry.plain:
            try:
                return body_pieces(self.parser, entry.message, limits)
            except Exception:  # noqa: BLE001 - as in _grow
                self._give_up(entry)
        return draw_plain(entry.message.content, limits)

    def _align_header(self, entry: Entry, first: int) -> None:
        if entry.message.role is Role.USER:
            layout = QTextBlockFormat()
            end = self._column_px - 1  # letters are no whole pixels wide: at the very end Qt would break the line
            layout.setTabPositions([QTextOption.Tab(end, QTextOption.TabType.RightTab)])
            QTextCursor(self.document.findBlockByNumber(first)).mergeBlockFormat(layout)

    def _insert(self, entry: Entry, part: Part, first: int) -> int:
        if part is Part.BODY and entry.body:
            entry.body.insert_all(editor=self.editor, colours=self.colours, first=first)
            self.body_drawn(entry, first, entry.body.take_final())
            return entry.body.count
        html = self._html(entry, part)
        if part is not Part.BODY:
            entry.shown[part] = html
        count = self.editor.insert(first, html)
        if part is Part.BODY and MATH_CLASS in html:
            self.body_drawn(entry, first, range(count))
        return count

    def _body_html(self, entry: Entry) -> str:
        limits = self.limits_of(entry.message)
        body = kept_or_drawn(entry.kept, entry.message, limits=limits, draw=lambda: self.pieces(entry))
        entry.kept, entry.cut = body if body.is_long else None, body.cut
        return body.html

    def _html(self, entry: Entry, part: Part) -> str:
        if part is Part.BODY:
            return self._body_html(entry)
        if part is Part.REMARK:
            return draw_remark(entry.message.id, plain=entry.plain, cut=entry.cut)
        if part is Part.WAITING:
            return draw_waiting(entry.waiting) if entry.waiting else ""
        if part is Part.NOTICES:
            return draw_notices(entry.notices)
        is_last = entry is self.entries[-1] and not entry.live and not self.has_newer
        version = version_label(entry.message, self.versions.get(entry.message.id, ()))
        return draw_part(part, entry.message, opened=self.opened, is_last=is_last, version=version)
