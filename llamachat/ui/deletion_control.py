"""What was deleted, of all chats: undoing the latest deletion, and the window that lists all of it."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from contextlib import closing

from PySide6.QtCore import QObject, QTimer

from llamachat.app import App
from llamachat.core.cancel import CancelToken
from llamachat.core.conversation import Conversation, is_temporary
from llamachat.core.errors import UserFacingError
from llamachat.core.text import tr, trn
from llamachat.storage.conversations import get_conversation
from llamachat.storage.database import Database
from llamachat.storage.deletions import Deleted, Kind, list_deleted, still_deleted
from llamachat.storage.purge import Purge, purge_deleted, purge_deletions, purge_expired
from llamachat.storage.undo import Restored, restore_all, undo
from llamachat.ui.chat_control import ChatControl
from llamachat.ui.deleted_dialog import DeletedDialog
from llamachat.ui.labels import title_text
from llamachat.ui.lanes import Lanes
from llamachat.ui.message_control import UNDO
from llamachat.ui.notices import Notices
from llamachat.ui.shown_store import ShownStore
from llamachat.ui.sidebar import Sidebar
from llamachat.ui.turns import Turns

PAGE = 200
FIRST_MS = 300_000  # the start of the window comes first, and then who sits down at it; also while it is not quiet
NEXT_MS = 86_400_000
_MOST_LISTED = 100  # chats that go into the list one by one


class DeletionControl(QObject):
    """Deletes for good in the lane of the copies, with a connection of its own: it takes long."""

    def __init__(
        self,
        app: App,
        chat: ChatControl,
        *,
        store: ShownStore,
        lanes: Lanes,
        sidebar: Sidebar,
        open_chat: Callable[[int], object],
        show_again: Callable[[int, int], None],
        turns: Turns,
        notices: Notices,
        parent: QObject,
    ) -> None:
        super().__init__(parent)
        self._app, self._chat, self._store, self._lanes, self._sidebar = app, chat, store, lanes, sidebar
        self._open_chat, self._show_again, self._turns, self._notices = open_chat, show_again, turns, notices
        self.dialog: DeletedDialog | None = None
        self._timer = QTimer(self)
        self._timer.setInterval(FIRST_MS)
        self._timer.timeout.connect(self.purge_expired)
        self._timer.start()

    def handlers(self) -> Mapping[str, Callable[[], object]]:
        """What does the actions that are declared under these ids."""
        return {"undo-delete": self.undo_latest, "deleted": self.open}

    # Undo

    def undo_latest(self) -> None:
        """Bring back what was deleted last, also before the program was started; in a temporary chat, of that."""
        lane = self._store.of(self._chat.conversation_id)

        def restore(latest: list[Deleted]) -> None:
            if not latest:
                self._notices.toast(tr("Nothing is deleted."))
            elif self._may_restore(latest):
                lane.write(lambda db: _with_chats(db, [undo(db, latest[0].act)]), self._restored)

        lane.read(lambda db: list_deleted(db, limit=1), restore, key="latest deletion")

    def _may_restore(self, rows: Sequence[Deleted]) -> bool:
        """Messages do not come back into a chat while an answer is written there."""
        busy = self._turns.conversations()
        if any(row.kind is Kind.MESSAGES and row.conversation_id in busy for row in rows):
            self._notices.toast(tr("The message can be brought back when the answer has ended."))
            return False
        return True

    def _restored(self, found: tuple[list[Restored], list[Conversation]]) -> None:
        restored, chats = found
        self._sidebar.undo.withdraw()  # what these bars offer may be what has just come back
        self._notices.drop(UNDO)
        self._sidebar.search.again()
        if len(chats) > _MOST_LISTED:
            self._sidebar.control.reload(whole=True)
        else:
            for conversation in chats:
                if not is_temporary(conversation.id):
                    self._sidebar.put(conversation)
        if any(one.kind is Kind.TAG for one in restored):
            self._sidebar.control.reload(whole=True)
        if not restored:
            return
        last = restored[-1]
        if last.message_id is not None:
            self._show_message(last.conversation_ids[0], last.message_id)
        elif len(chats) == 1:
            self._open_chat(chats[0].id)
        self._notices.toast(_told(restored, chats))

    def _show_message(self, conversation_id: int, message_id: int) -> None:
        if conversation_id == self._chat.conversation_id:
            self._show_again(conversation_id, message_id)
        else:
            self._open_chat(conversation_id)

    # The window

    def open(self) -> None:
        """Show what was deleted."""
        if self.dialog is None:
            dialog = self.dialog = DeletedDialog(self._sidebar.window(), keep_days=self._app.config.keep_deleted_days)
            dialog.finished.connect(self._forget)
            dialog.restore_requested.connect(self._restore)
            dialog.purge_requested.connect(self._purge)
            dialog.empty_requested.connect(lambda: self._purge(None))
            dialog.model.more_wanted.connect(self._load_more)
            dialog.in_front.connect(self._load)
            dialog.show()
        self.dialog.raise_()
        self.dialog.activateWindow()
        self._load()

    def _forget(self) -> None:
        self.dialog = None

    def _load(self) -> None:
        def show(rows: list[Deleted]) -> None:
            if self.dialog:
                self.dialog.show_page(rows, has_more=len(rows) == PAGE)

        self._lanes.store.read(lambda db: list_deleted(db, limit=PAGE), show, key="deleted")

    def _look_again(self, said: str = "") -> None:
        """See which of those that are listed are still deleted."""
        ids = self.dialog.model.ids() if self.dialog else []

        def show(still: set[int]) -> None:
            if self.dialog:
                self.dialog.keep(still)
                if said:
                    self.dialog.say(said)
                if not still:
                    self._load()

        self._lanes.store.read(lambda db: still_deleted(db, ids), show, key="deleted")

    def _load_more(self, before_id: int) -> None:
        def show(rows: list[Deleted]) -> None:
            if self.dialog:
                self.dialog.model.append_page(rows, before_id=before_id, has_more=len(rows) == PAGE)

        self._lanes.store.read(lambda db: list_deleted(db, limit=PAGE, before_id=before_id), show, key="deleted")

    def _restore(self, rows: list[Deleted]) -> None:
        if not self._may_restore(rows):
            return
        ids = [row.id for row in rows]

        def restored(found: tuple[list[Restored], list[Conversation]]) -> None:
            self._restored(found)
            self._look_again()

        self._lanes.store.write(lambda db: _with_chats(db, restore_all(db, ids)), restored)

    def _purge(self, rows: list[Deleted] | None) -> None:
        """Delete these for good, or all (None)."""
        ids = [row.id for row in rows] if rows is not None else None
        self._set_busy(
            tr("Deleting for good. Where the history is large this takes a minute, in which nothing else is stored.")
        )

        def purge(_: CancelToken) -> Purge:
            with closing(self._app.database()) as db:
                return purge_deleted(db) if ids is None else purge_deletions(db, ids)

        self._lanes.copies.write(purge, self._purged, self._purge_failed)

    def _set_busy(self, text: str) -> None:
        if self.dialog:
            self.dialog.set_busy(busy=True)
            self.dialog.say(text)

    def _purged(self, purge: Purge) -> None:
        self._end_purge(" ".join([tr("Gone for good."), *purge.remarks]), whole=not purge.remarks)

    def _purge_failed(self, error: UserFacingError) -> None:
        self._end_purge(str(error), whole=False)

    def _end_purge(self, text: str, *, whole: bool) -> None:
        """Tell it in the window of what was deleted, else above the chat; what is not `whole` does not go away."""
        if self.dialog:
            self.dialog.set_busy(busy=False)
            self._look_again(text)
        elif whole:
            self._notices.toast(text)
        else:
            self._notices.keep("failure", text, tone="error")

    # In the background

    def purge_expired(self) -> None:
        """Delete for good what was kept for longer than the settings say, while no answer is being written."""
        days, quiet = self._app.config.keep_deleted_days, not self._turns.conversations()
        self._timer.setInterval(NEXT_MS if quiet else FIRST_MS)
        if days and quiet:
            self._lanes.copies.read(lambda _: self._purge_old(days), lambda _: None, key="expired")

    def _purge_old(self, days: int) -> None:
        """In the lane's thread."""
        with closing(self._app.database()) as db:
            purge_expired(db, keep_days=days)


def _with_chats(db: Database, restored: Sequence[Restored | None]) -> tuple[list[Restored], list[Conversation]]:
    """What came back, and the chats that did as they are now."""
    known = [one for one in restored if one]
    numbers = dict.fromkeys(number for one in known for number in one.conversation_ids)
    found = (get_conversation(db, number) for number in numbers)
    return known, [conversation for conversation in found if conversation]


def _told(restored: Sequence[Restored], chats: Sequence[Conversation]) -> str:
    if all(one.kind is Kind.TAG for one in restored):
        return tr("The tag is back.")
    if len(chats) == 1:
        title = title_text(chats[0].title)
        if restored[-1].kind is Kind.MESSAGES:
            return tr("Brought back in “{title}”.").format(title=title)
        return tr("Brought back: {title}").format(title=title)
    return trn("One chat is back.", "{count} chats are back.", len(chats))
