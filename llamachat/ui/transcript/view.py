"""The transcript: one read-only text document that shows a conversation and grows while an answer streams."""

from __future__ import annotations

from collections.abc import Callable, Sequence

from PySide6.QtCore import QTimer, QUrl, Signal
from PySide6.QtGui import QDesktopServices
from PySide6.QtWidgets import QWidget

from llamachat.core.clock import SystemClock
from llamachat.core.events import Event, Kind
from llamachat.core.messages import StoredMessage
from llamachat.core.seams import Clock
from llamachat.render.blocks import draw_empty
from llamachat.render.code import language_at
from llamachat.render.endings import acts_that_help
from llamachat.render.links import HELPS, Anchor, AnchorKind, allowed_link, parse_anchor
from llamachat.ui.theme import LIGHT, Theme
from llamachat.ui.transcript.announcing import Announce, announce_to_screen_reader, begin_sentence, end_sentence
from llamachat.ui.transcript.browser import LIST_INDENT_PX
from llamachat.ui.transcript.entry import Entry
from llamachat.ui.transcript.find_bar import FindBar
from llamachat.ui.transcript.live_turn import LiveTurn
from llamachat.ui.transcript.message_view import MessageView
from llamachat.ui.transcript.parts import Part, code_of
from llamachat.ui.transcript.place import keeping_place, one_edit
from llamachat.ui.transcript.pointer import copy_text
from llamachat.ui.transcript.saving import ChooseFile, ask_for_file, save_code
from llamachat.ui.transcript.turn_drawing import begin_turn, draw_events, end_turn, live_entry, redraw_body

_TICK_MS = 100
_TEXTS = frozenset({Kind.CONTENT, Kind.REASONING, Kind.NOTICE})


class TranscriptView(MessageView):
    """Shows messages root to head.

    The owner loads: `set_messages` the last few or those around one that is looked for, `prepend_messages` after
    `older_requested`, `append_messages` after `newer_requested`. A turn is `begin_answer`, any number of `apply` with
    drained batches of events, `end_answer` with the stored row; not while the end of the chat is not there.
    """

    older_requested = Signal()  # the reader nears the top and there is more; answer with prepend_messages
    newer_requested = Signal()  # the reader nears the bottom and there is more; answer with append_messages
    search_again_requested = Signal(int)  # id of the answer whose searches are to be made anew
    help_requested = Signal(object, int)  # AnchorKind of another act that helps, id of the answer that it is for

    def __init__(
        self,
        theme: Theme = LIGHT,
        parent: QWidget | None = None,
        *,
        clock: Clock | None = None,
        open_url: Callable[[QUrl], bool] = QDesktopServices.openUrl,
        choose_file: ChooseFile = ask_for_file,
        announce: Announce = announce_to_screen_reader,
    ) -> None:
        super().__init__(theme, parent, announce=announce)
        self._waits_behind = False
        self.search_provider: Callable[[], str] = str  # named while a search runs, such as "SearXNG"
        self._clock = clock or SystemClock()
        self._open_url = open_url
        self._choose_file = choose_file
        self._has_older = False
        self._newer_asked = False
        self.find_bar = FindBar(self, theme, self.load_more)
        self._ticking = QTimer(self, interval=_TICK_MS)
        self._ticking.timeout.connect(self.tick)
        self.anchorClicked.connect(self._follow_link)
        self.step_refused.connect(self.load_more)
        self.verticalScrollBar().valueChanged.connect(self._ask_for_older)
        self.verticalScrollBar().valueChanged.connect(self._ask_for_newer)

    # What is shown

    @property
    def has_newer(self) -> bool:
        """True while messages below the last one that is shown are not loaded."""
        return self._transcript.has_newer

    @property
    def last_id(self) -> int | None:
        """The id of the last message that is shown."""
        return self._transcript.entries[-1].message.id if self._transcript.entries else None

    def message(self, message_id: int) -> StoredMessage | None:
        """A message that is shown."""
        entry = self._transcript.find(message_id)
        return entry.message if entry else None

    @property
    def open_folds(self) -> frozenset[Anchor]:
        """Which folds are open, also those of other chats."""
        return frozenset(self._transcript.opened)

    def set_messages(
        self, messages: Sequence[StoredMessage], *, has_older: bool = False, has_newer: bool = False
    ) -> None:
        """Show these (root to head) and scroll to the end; `has_older`, `has_newer`: there are more around them."""
        self._has_older, self._newer_asked = False, True
        self._transcript.has_newer = has_newer
        self._ticking.stop()
        self._queue.clear()
        with one_edit(self, self._transcript.editor):
            self._transcript.clear()
            self._fit()  # after the text came Qt would lay out only a part of it
            self._queue.add(self._transcript.insert(0, messages))
            self._queue.work()
        self.end.show()
        self._has_older, self._newer_asked = has_older, False
        self._ring_again()
        self._ask_for_older()

    def prepend_messages(self, messages: Sequence[StoredMessage], *, has_older: bool) -> None:
        """Put older messages above the first one; the text under the reader's eye stays where it is."""
        with keeping_place(self, self._transcript.editor, follow=False):
            self._queue.add(self._transcript.insert(0, messages))
            self._queue.work()
        self._has_older = has_older
        self._ask_for_older()

    def append_messages(self, messages: Sequence[StoredMessage], *, has_newer: bool) -> None:
        """Put newer messages below the last one; the reader stays where he is."""
        self.end.wanted = False
        self._transcript.has_newer = has_newer
        with keeping_place(self, self._transcript.editor, follow=False):
            self._queue.add(self._transcript.insert(len(self._transcript.entries), messages))
            self._queue.work()
        self._newer_asked = False
        self._ask_for_newer()

    def show_empty(self, text: str) -> None:
        """Show no message but this plain text (paragraphs by blank lines)."""
        self.set_messages(())
        with one_edit(self, self._transcript.editor):
            self._transcript.editor.insert(1, draw_empty(text))

    def begin_answer(self, user: StoredMessage | None, answer: StoredMessage) -> None:
        """Start a turn: show the user's message (unless shown already) and the place of the answer.

        An answer that is shown already goes on (Continue). A message below the same parent is another version: it is
        replaced, and what followed it is shown no more.
        """
        if not self._transcript.entries:
            self.set_messages(())  # takes the text of an empty chat away
        live = LiveTurn(answer, clock=self._clock, provider=self.search_provider())
        with keeping_place(self, self._transcript.editor):
            self._queue.add(begin_turn(self._transcript, user, live))
        self.end.show()
        self._ring_again(answer.id)
        self._ticking.start()
        self._announce(self, begin_sentence(answer))

    def apply(self, events: Sequence[Event]) -> None:
        """Show a drained batch of events of the turn that began last; only the tail of the document changes."""
        entry = live_entry(self._transcript)
        if entry and entry.live:
            with keeping_place(self, self._transcript.editor):
                draw_events(self._transcript, entry, entry.live, events)
            if entry.unfinished:
                self._queue.add([entry])
            self._tick_while(bool(entry.waiting))
            if any(event.kind in _TEXTS for event in events):
                self.new_text.offer()

    def end_answer(self, answer: StoredMessage) -> None:
        """End the turn: show the row as it is stored, with what it cost, its error and its actions."""
        entry = self._transcript.find(answer.id)
        if entry is None:
            return
        self._ticking.stop()
        with keeping_place(self, self._transcript.editor):
            drawn_anew = end_turn(self._transcript, entry, answer)
        if drawn_anew or entry.unfinished:
            self._queue.add([entry])
        self._announce(self, end_sentence(answer))

    def _tick_while(self, waiting: bool) -> None:
        if not waiting:
            self._ticking.stop()
        elif not self._ticking.isActive():
            self._ticking.start()

    def set_waits_behind(self, behind: bool) -> None:
        """Say so while the answer has not begun: the server is busy with other chats."""
        self._waits_behind = behind

    def tick(self) -> None:
        """Show how long what goes on has lasted; a timer calls it while a turn waits."""
        entry = live_entry(self._transcript)
        if entry is None or entry.live is None:
            return
        entry.live.behind = self._waits_behind
        if entry.waiting != (text := entry.live.waiting_text()):
            entry.waiting = text
            with keeping_place(self, self._transcript.editor):
                self._transcript.draw(entry, Part.WAITING)

    def set_theme(self, theme: Theme) -> None:
        """Show the same in other colours, keeping place, folds and selection."""
        super().set_theme(theme)
        self.find_bar.set_theme(theme)

    # What the reader does

    def jump_to(self, message_id: int) -> bool:
        """Scroll a message to the top; False when it is not loaded."""
        entry = self._transcript.find(message_id)
        if entry is None:
            return False
        self.end.wanted = False
        self._queue.draw_from(entry)
        block = self.document().findBlockByNumber(self._transcript.first_block(entry))
        rect = self.document().documentLayout().blockBoundingRect(block)
        self.verticalScrollBar().setValue(int(rect.top()) - LIST_INDENT_PX)
        self._ask_for_newer()
        return True

    def load_more(self, step: int) -> bool:
        """Ask for messages above (-1) or below (1) those that are loaded; False when there are none."""
        if step < 0 and self._has_older:
            self._has_older = False  # until they are there
            self.older_requested.emit()
            return True
        if step > 0 and self.has_newer and not self._newer_asked:
            self._newer_asked = True  # until they are there
            self.newer_requested.emit()
            return True
        return False

    def _ask_for_older(self) -> None:
        if self.verticalScrollBar().value() <= self.viewport().height():
            self.load_more(-1)

    def _ask_for_newer(self) -> None:
        bar = self.verticalScrollBar()
        if bar.value() >= bar.maximum() - self.viewport().height():
            self.load_more(1)

    def _follow_link(self, url: QUrl) -> None:
        address = url.toString(QUrl.ComponentFormattingOption.FullyEncoded)
        anchor = parse_anchor(address)
        entry = self._transcript.find(anchor.message_id) if anchor else None
        if anchor and entry:
            self._act(anchor, entry)
        elif allowed_link(address):
            self._open_url(url)

    def _act(self, anchor: Anchor, entry: Entry) -> None:
        if anchor.kind is AnchorKind.SEARCH:
            self._toggle(anchor, entry, Part.SEARCHES)
        elif anchor.kind is AnchorKind.REASONING:
            self._toggle(anchor, entry, Part.THINKING)
        elif anchor.kind is AnchorKind.WHOLE:
            self._show_whole(anchor, entry)
        elif anchor.kind is AnchorKind.RETRY:
            self.retry_requested.emit(anchor.message_id)
        elif anchor.kind is AnchorKind.CONTINUE:
            self.continue_requested.emit(anchor.message_id)
        elif anchor.kind is AnchorKind.SEARCH_AGAIN:
            self.search_again_requested.emit(anchor.message_id)
        elif anchor.kind in HELPS:
            self.help_requested.emit(anchor.kind, anchor.message_id)
        else:
            self._take_out(anchor, entry.message)

    def _take_out(self, anchor: Anchor, message: StoredMessage) -> None:
        if anchor.kind is AnchorKind.COPY:
            copy_text(message.content, self)
            return
        code = code_of(self._transcript.parser, message, anchor.number) or ""
        if anchor.kind is AnchorKind.CODE:
            copy_text(code, self)
        elif anchor.kind is AnchorKind.SAVE:
            save_code(code, language_at(message.content, anchor.number), view=self, choose=self._choose_file)

    def help_first(self) -> None:
        """Do what is offered first at the end of the last answer."""
        for entry in self._transcript.entries[-1:]:
            helps = acts_that_help(entry.message) if entry.live is None and not self.has_newer else []
            for kind, _ in helps[:1]:
                self._act(Anchor(kind, entry.message.id), entry)

    def _show_whole(self, anchor: Anchor, entry: Entry) -> None:
        self._transcript.opened.add(anchor)
        with keeping_place(self, self._transcript.editor, follow=False):
            redraw_body(self._transcript, entry)
        self._queue.add([entry])

    def _toggle(self, anchor: Anchor, entry: Entry, part: Part) -> None:
        self._transcript.opened ^= {anchor}
        with keeping_place(self, self._transcript.editor, follow=False):
            self._transcript.draw(entry, part)
