"""Messages as things to act on: the one under the pointer, the one the keyboard is on, their buttons and menu."""

from __future__ import annotations

from collections.abc import Collection, Mapping
from functools import partial

from PySide6.QtCore import QPoint, Qt, Signal
from PySide6.QtGui import QContextMenuEvent, QFocusEvent, QKeyEvent, QMouseEvent, QTextCursor
from PySide6.QtWidgets import QWidget

from llamachat.ui.passing_menu import PassingMenu
from llamachat.ui.theme import Theme
from llamachat.ui.transcript.announcing import Announce, announce_to_screen_reader, place_sentence
from llamachat.ui.transcript.copying import selection_markdown
from llamachat.ui.transcript.document_view import DocumentView
from llamachat.ui.transcript.entry import Entry
from llamachat.ui.transcript.hover import Hover
from llamachat.ui.transcript.message_acts import IN_MENU_ONLY, Act, acts_of, version_beside, version_label
from llamachat.ui.transcript.message_menu import fill_menu
from llamachat.ui.transcript.parts import Part
from llamachat.ui.transcript.place import keeping_place
from llamachat.ui.transcript.pointer import copy_text, link_at
from llamachat.ui.transcript.sight import block_at

# Where the other one of a question and its answer is found, which an act is meant for.
_BESIDE = {Act.EDIT: -1, Act.REWRITE: 1, Act.CONTINUE: 1, Act.RETRY: 1, Act.MODELS: 1}
_ABOVE_PX = 60  # what is left free above a message that the keyboard comes to


class MessageView(DocumentView):
    """Shows what can be done with a message, and asks the owner for what it cannot do itself."""

    retry_requested = Signal(int)  # id of the answer to make anew
    models_requested = Signal(int, QPoint)  # likewise, by a model to be chosen at this place of the screen
    edit_requested = Signal(int)  # id of the question to change and ask again
    rewrite_requested = Signal(int)  # id of the answer to change
    continue_requested = Signal(int)  # id of the answer to go on with
    fork_requested = Signal(int)  # id of the message that another chat is to go on from
    delete_requested = Signal(int)  # id of the message to delete, with all below it
    version_requested = Signal(int)  # id of the version to show in place of the one beside it
    step_refused = Signal(int)  # the keyboard is on the first (-1) or the last (1) message that is loaded

    def __init__(
        self, theme: Theme, parent: QWidget | None = None, *, announce: Announce = announce_to_screen_reader
    ) -> None:
        super().__init__(theme, parent)
        self._announce = announce
        self._busy = False
        self._offered: Collection[Act] = ()
        self._hovered: Entry | None = None
        self._next_ring = 0  # the message that the keyboard goes to when what is shown has changed
        self._requests = {
            Act.RETRY: self.retry_requested,
            Act.EDIT: self.edit_requested,
            Act.REWRITE: self.rewrite_requested,
            Act.CONTINUE: self.continue_requested,
            Act.FORK: self.fork_requested,
        }
        self._menu = PassingMenu(self)
        self.bar.chosen.connect(self._choose)
        hover = Hover(self)
        hover.came.connect(self._hover)
        hover.left.connect(self._leave)

    # What the owner tells

    def set_busy(self, *, busy: bool) -> None:
        """Whether a turn runs in the chat, which is not changed meanwhile."""
        self._busy = busy
        self._show_bar()

    def set_versions(self, versions: Mapping[int, tuple[int, ...]]) -> None:
        """The versions of each message that has several: their ids, the oldest first."""
        if versions != self._transcript.versions:
            self._transcript.versions = versions
            with keeping_place(self, self._transcript.editor):
                for entry in self._transcript.entries:
                    self._transcript.draw(entry, Part.HEADER)
        self._show_bar()

    def set_offered(self, acts: Collection[Act]) -> None:
        """Which of the acts that make sense only sometimes do so now."""
        self._offered = acts
        self._show_bar()

    # What the keyboard does

    def step_message(self, step: int) -> None:
        """Put the keyboard on the message below (1) or above (-1); at first on one at an edge of what is in sight."""
        entries, current = self._transcript.entries, self._current()
        if not entries or not self.isVisible():
            return
        if current:
            at = entries.index(current) + step
        else:
            seen = self._entry_at(0 if step > 0 else self.viewport().height())
            at = entries.index(seen) if seen else len(entries) - 1
        self.setFocus()
        if 0 <= at < len(entries):
            self._ring(entries[at])
            self._announce(self, place_sentence(entries[at].message, self._versions_of(entries[at])))
        else:
            self.step_refused.emit(step)

    def act(self, act: Act) -> None:
        """Do it with the message that the keyboard is on, else with the last one that it can be done with.

        What is done with a question, or with an answer, is done also while the keyboard is on the other of the two.
        """
        entries, current = self._transcript.entries, self._current()
        candidates = list(reversed(entries))
        if current:
            beside = entries.index(current) + _BESIDE.get(act, 0)
            candidates = [current, *entries[max(beside, 0) : beside + 1]]
        target = next((entry for entry in candidates if act in self._acts(entry)), None)
        if target and self.isVisible():
            self._do(act, target)

    def keyPressEvent(self, event: QKeyEvent) -> None:
        """Del deletes the message that the keyboard is on."""
        if event.key() == Qt.Key.Key_Delete and self._current():
            self.act(Act.DELETE)
        else:
            super().keyPressEvent(event)

    def focusOutEvent(self, event: QFocusEvent) -> None:
        """Leave the message, unless the keyboard comes back from a menu or from another window."""
        if event.reason() not in (Qt.FocusReason.PopupFocusReason, Qt.FocusReason.ActiveWindowFocusReason):
            self._ring(None)
        super().focusOutEvent(event)

    def focusNextPrevChild(self, next: bool) -> bool:  # noqa: A002 - Qt's own name
        """From a message Tab goes to its links; Qt would begin at the first of all unless something is selected."""
        before = self.textCursor()
        if not self._current() or before.hasSelection():
            return super().focusNextPrevChild(next)
        cursor = self.textCursor()
        cursor.movePosition(QTextCursor.MoveOperation.NextCharacter, QTextCursor.MoveMode.KeepAnchor)
        self.setTextCursor(cursor)
        moved = super().focusNextPrevChild(next)
        if self.textCursor() == cursor:
            self.setTextCursor(before)
        return moved

    def mousePressEvent(self, event: QMouseEvent) -> None:
        """From here on the pointer says which message is meant."""
        self._ring(None)
        super().mousePressEvent(event)

    @property
    def on_message(self) -> bool:
        """Whether the keyboard is on a message."""
        return self._current() is not None

    def _current(self) -> Entry | None:
        """The message that the keyboard is on, if it is still there."""
        return self._ringed if self._ringed in self._transcript.entries else None

    def _ring(self, entry: Entry | None) -> None:
        if entry is not self._ringed:
            self._ringed = entry
            if entry:
                self._read_from(entry)
                top, bar = self.cursorRect().top(), self.verticalScrollBar()
                if not 0 <= top < self.viewport().height() - _ABOVE_PX:
                    bar.setValue(bar.value() + top - _ABOVE_PX)
            self._show_bar()
            self.viewport().update()

    def _ring_again(self, replacing: int = 0) -> None:
        """Other messages are shown: stay on the one that the keyboard was on, or go to what has come in its place.

        replacing: the id of the message that has come there, if it is not known from an act.
        """
        if self._ringed:
            wanted = (self._next_ring, self._ringed.message.id, replacing)
            self._ringed = next(filter(None, map(self._transcript.find, wanted)), None)
            if self._ringed:
                self._read_from(self._ringed)
        self._next_ring = 0
        self._show_bar()

    def _read_from(self, entry: Entry) -> None:
        """Put the reading cursor into the line that says who speaks."""
        place = self.verticalScrollBar().value()
        self.setTextCursor(QTextCursor(self.document().findBlockByNumber(self._transcript.first_block(entry))))
        self.verticalScrollBar().setValue(place)  # Qt would have the cursor at the very edge

    # What the pointer does

    def _entry_at(self, y: int) -> Entry | None:
        """The message at a height of the viewport; below the last one, that one."""
        return self._transcript.at_block(
            block_at(self.document(), y + self.verticalScrollBar().value()).blockNumber()
        )

    def _hover(self, at: QPoint) -> None:
        self._hovered = self._entry_at(at.y())
        self._show_bar()

    def _leave(self) -> None:
        self._hovered = None
        self._show_bar()

    def contextMenuEvent(self, event: QContextMenuEvent) -> None:
        """Offer what can be done with the selection, the link and the message; by keyboard those that it is on."""
        if event.reason() is QContextMenuEvent.Reason.Keyboard:
            cursor = self.textCursor()
            href = link_at(cursor)
            place = self.viewport().mapToGlobal(self.cursorRect(cursor).bottomLeft())
        else:
            cursor, href, place = self.cursorForPosition(event.pos()), self.anchorAt(event.pos()), event.globalPos()
        self._fill_menu(self._transcript.at_block(cursor.blockNumber()), href)
        self._menu.popup(place)

    def _fill_menu(self, entry: Entry | None, href: str) -> None:
        fill_menu(
            self._menu,
            self,
            href=href,
            selection=selection_markdown(self._transcript, self.textCursor()),
            acts=[(act, partial(self._do, act, entry)) for act in self._acts(entry)] if entry else [],
        )

    # What is done

    def _acts(self, entry: Entry) -> tuple[Act, ...]:
        is_last = entry is self._transcript.entries[-1] and not self._transcript.has_newer
        return acts_of(
            entry.message, self._versions_of(entry), busy=self._busy, is_last=is_last, offered=self._offered
        )

    def _versions_of(self, entry: Entry) -> tuple[int, ...]:
        return self._transcript.versions.get(entry.message.id, ())

    def _choose(self, act: str) -> None:
        if entry := self._barred():
            self._do(Act(act), entry)

    def _do(self, act: Act, entry: Entry) -> None:
        message, entries = entry.message, self._transcript.entries
        if entry not in entries:  # a menu may stay open for long
            return
        if act is Act.COPY:
            copy_text(message.content, self)
        elif act is Act.MODELS:
            self.models_requested.emit(message.id, self._place_for_menu(entry))
        elif requested := self._requests.get(act):
            requested.emit(message.id)
        elif act is Act.DELETE:
            self._next_ring = entries[max(entries.index(entry) - 1, 0)].message.id
            self.delete_requested.emit(message.id)
        elif (beside := version_beside(message, self._versions_of(entry), act)) is not None:
            self._next_ring = beside
            self.version_requested.emit(beside)

    def _place_for_menu(self, entry: Entry) -> QPoint:
        """Below the button of the bar that is pressed, else below the first line of the message."""
        button = self.bar.buttons[Act.MODELS]
        if button.isVisible() and self._barred() is entry:
            return button.mapToGlobal(button.rect().bottomLeft())
        cursor = QTextCursor(self.document().findBlockByNumber(self._transcript.first_block(entry)))
        place = self.cursorRect(cursor).bottomLeft()
        place.setY(min(max(place.y(), 0), self.viewport().height()))
        return self.viewport().mapToGlobal(place)

    # The bar

    def _look_anew(self) -> None:
        super()._look_anew()
        self._show_bar()

    def _barred(self) -> Entry | None:
        """The message that has the bar: the one under the pointer, else the one that the keyboard is on."""
        return self._hovered if self._hovered in self._transcript.entries else self._current()

    def _show_bar(self) -> None:
        entry = self._barred()
        acts = [act for act in self._acts(entry) if act not in IN_MENU_ONLY] if entry else []
        if entry is None or not acts:
            self.bar.hide()
            return
        first = self._transcript.first_block(entry)
        above = block_at(self.document(), self.verticalScrollBar().value()).blockNumber() > first
        number = first + entry.total - 1 if above and entry.counts[Part.FOOTER] else first
        line = self.document().findBlockByNumber(number).position()
        self.bar.offer(acts, version_label(entry.message, self._versions_of(entry)), line=line)
