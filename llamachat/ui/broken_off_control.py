"""After a program that ended in the middle: in a bar above the chat, the offer to go on where answers broke off."""

from __future__ import annotations

from collections.abc import Sequence

from PySide6.QtCore import QObject

from llamachat.core.plain_text import cut_at_word
from llamachat.core.text import tr
from llamachat.storage.broken_off import BrokenOff, forget_broken_off, list_broken_off
from llamachat.storage.database import Database
from llamachat.ui.chat_control import ChatControl
from llamachat.ui.labels import title_text
from llamachat.ui.navigation import Navigation
from llamachat.ui.notices import Notices
from llamachat.ui.tasks import Lane

BAR = "broken off"
_TITLE_CHARS = 60


class BrokenOffControl(QObject):
    """One bar, for the newest of them; the next one comes when that goes on."""

    def __init__(self, chat: ChatControl, navigation: Navigation, *, tasks: Lane[Database], notices: Notices) -> None:
        super().__init__(chat)
        self._chat, self._navigation, self._tasks, self._notices = chat, navigation, tasks, notices
        self._wanted: BrokenOff | None = None  # is to go on when its chat is shown
        self._offers = False
        chat.shown.connect(self._shown)
        chat.turns.begun.connect(lambda *_: self.look() if self._offers else None)

    def look(self) -> None:
        """Offer what there is to offer."""
        self._tasks.read(list_broken_off, self._offer, key=BAR)

    def _offer(self, listed: Sequence[BrokenOff]) -> None:
        """All but those that go on by themselves."""
        found = [answer for answer in listed if self._chat.turns.is_idle(answer.conversation_id)]
        self._offers = bool(found)
        if not found:
            self._notices.drop(BAR)
            return
        newest = found[0]
        title = cut_at_word(title_text(newest.title), _TITLE_CHARS)
        text = tr("The answer in “{title}” broke off when the program ended.").format(title=title)
        if len(found) > 1:
            many = tr("{count} answers broke off when the program ended, the last one in “{title}”.")
            text = many.format(count=len(found), title=title)
        go_on = tr("Go to it and go on"), lambda: self._ask(newest)
        self._notices.keep(BAR, text, button=go_on, dismiss=(tr("Not now"), self._forget))

    def _forget(self) -> None:
        self._offers = False
        self._notices.drop(BAR)
        self._tasks.write(forget_broken_off)

    def _ask(self, answer: BrokenOff) -> None:
        """Go on with it if it is as it was: another program may have gone on with it, or deleted it."""
        self._tasks.read(list_broken_off, lambda found: self._go_on(answer, found), key=BAR)

    def _go_on(self, answer: BrokenOff, found: Sequence[BrokenOff]) -> None:
        if answer not in found:
            self._offer(found)
            return
        self._wanted = answer
        if answer.conversation_id == self._chat.conversation_id:
            self._shown(answer.conversation_id)
        else:
            self._navigation.open(answer.conversation_id, answer.message_id)

    def _shown(self, conversation_id: int | None) -> None:
        wanted, self._wanted = self._wanted, None
        if wanted and wanted.conversation_id == conversation_id:
            self._chat.turns.go_on(wanted.message_id)
