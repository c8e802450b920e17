"""Reads the list of chats in pages, and carries out what is done with chats in it. The store is used by its lane."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import replace
from functools import partial

from PySide6.QtCore import QObject, Signal

from llamachat.core.conversation import Conversation, ListOrder
from llamachat.core.errors import UserFacingError
from llamachat.core.tag import tag_key
from llamachat.core.text import tr, trn
from llamachat.storage import conversations as store
from llamachat.storage.database import Database
from llamachat.storage.deletions import delete_chats
from llamachat.storage.tags import tag_chats, untag_chats
from llamachat.storage.undo import undo
from llamachat.ui.chat_acts import ChatAct
from llamachat.ui.conversation_list import ConversationList
from llamachat.ui.conversation_model import Listing, title_of
from llamachat.ui.tasks import Lane
from llamachat.ui.undo_bar import UndoBar

PAGE = 200
ORDER = "list_order"  # key in the program's small state
_FEW = 10  # chats that come between two looks while people and programs chat
_MOST_PUT = 200  # where more chats have changed, the list is read again


class ListControl(QObject):
    """Drives a ConversationList. What concerns the chat that is open it only announces."""

    renamed = Signal(int, str)
    deleted = Signal(int)  # about to be
    listed = Signal(int)  # how many chats the first page of the usual list has
    failed = Signal(object)  # UserFacingError: what was to be changed is as it was
    changed = Signal(object)  # Listing: another list is shown
    filled = Signal(bool)  # whether there is nothing in the list
    acted = Signal()  # chats were deleted, or changed by an act

    def __init__(self, chats: ConversationList, undo_bar: UndoBar, *, tasks: Lane[Database], parent: QObject) -> None:
        super().__init__(parent)
        self._chats, self._bar, self._tasks = chats, undo_bar, tasks
        self._reloading = False
        self._started = self._loaded = False  # the order is known; the list was read
        self.listing = Listing()
        chats.rows.rename_entered.connect(self.rename)
        chats.rows.more_wanted.connect(self._load_more)

    # Reading

    def start(self) -> None:
        """Read the list in the order of the last time."""
        self._tasks.read(lambda db: store.get_state(db, ORDER) or "", self._start_in, lambda _: self.load())

    def load(self) -> None:
        """Read the first page of the list."""
        self._tasks.read(self._reader(None, PAGE), lambda page: self._show_page(page, append=False), key="list")

    def reload(self, *, whole: bool = False) -> None:
        """Read the first page again: another program has written. whole: and all pages that are loaded."""
        if not self._loaded:  # it could not be read
            (self.load if self._started else self.start)()
            return
        self._reloading = True
        if whole:
            self._read_anew(max(PAGE, self._chats.rows.rowCount()))
        else:
            self._tasks.read(self._reader(None, PAGE), self._take_again, key="list again")

    def _read_anew(self, count: int) -> None:
        take = partial(self._take_anew, count)
        self._tasks.read(self._reader(None, count), take, key="list again")

    def show_listing(self, listing: Listing) -> None:
        """Show another list; its order is kept for the next time."""
        if listing == self.listing:
            return
        if listing.order is not self.listing.order:
            self._tasks.write(lambda db: store.set_state(db, ORDER, listing.order.value))
        self._take_listing(listing)

    def follow_tag(self, name: str, new_name: str) -> None:
        """A tag has another name now ("": none): go on showing its chats, or all."""
        if self.listing.tag and tag_key(self.listing.tag) == tag_key(name):
            self._take_listing(replace(self.listing, tag=new_name))

    def _take_listing(self, listing: Listing) -> None:
        self.listing = listing
        self._tasks.forget("list again")
        self._reloading = self._loaded = False
        self._chats.rows.show_listing(listing)
        self.load()
        self.changed.emit(listing)

    def _start_in(self, order: str) -> None:
        self._started = True
        if order in ListOrder.__members__.values() and ListOrder(order) is not self.listing.order:
            self._take_listing(Listing(ListOrder(order)))
        else:
            self.load()

    def _reader(self, before: Conversation | None, limit: int) -> Callable[[Database], list[Conversation]]:
        chosen = self.listing

        def read(db: Database) -> list[Conversation]:
            return store.list_conversations(
                db, limit=limit, before=before, archived=chosen.archived, order=chosen.order, tag=chosen.tag
            )

        return read

    def _load_more(self) -> None:
        self._tasks.read(
            self._reader(self._chats.rows.last(), PAGE),
            lambda page: self._show_page(page, append=True),
            self._more_failed,
            key="list",
        )

    def _more_failed(self, error: UserFacingError) -> None:
        self._chats.rows.more_failed()
        self.failed.emit(error)

    def _show_page(self, page: list[Conversation], *, append: bool) -> None:
        self._loaded = True
        self._chats.rows.set_page(page, append=append, has_more=len(page) == PAGE)
        self.filled.emit(self._chats.rows.rowCount() == 0)
        if not append and self.listing == Listing(self.listing.order):
            self.listed.emit(len(page))

    def _take_again(self, page: list[Conversation]) -> None:
        rows, complete = self._chats.rows, len(page) < PAGE
        if not complete and sum(rows.conversation(chat.id) is None for chat in page) > _FEW:
            self._read_anew(PAGE + rows.rowCount())  # an import has put others further down as well
            return
        self._reloading = False
        rows.set_first_page(page, complete=complete)

    def _take_anew(self, count: int, page: list[Conversation]) -> None:
        self._reloading = False
        self._chats.rows.set_page(page, append=False, has_more=len(page) == count)

    def _outdate_reload(self) -> None:
        """What is being read may be older than what has just been done here."""
        if self._reloading:
            self.reload()

    def read_chats(self, ids: Sequence[int], then: Callable[[list[Conversation]], None]) -> None:
        """Read chats as they are in the store."""
        self._tasks.read(lambda db: [chat for number in ids if (chat := store.get_conversation(db, number))], then)

    # Changing

    def put(self, conversation: Conversation) -> None:
        """Show a chat that is new or has changed."""
        self._chats.rows.put(conversation)
        self._outdate_reload()

    def rename(self, conversation_id: int, title: str) -> None:
        """Store a new title and show it everywhere."""
        before = self._chats.rows.conversation(conversation_id)

        def fail(error: UserFacingError) -> None:
            self._retitle(conversation_id, before.title if before else title)
            self.failed.emit(error)

        self._tasks.write(lambda db: store.rename_conversation(db, conversation_id, title), failed=fail)
        self._retitle(conversation_id, title)
        self._outdate_reload()

    def _retitle(self, conversation_id: int, title: str) -> None:
        self._chats.rows.retitle(conversation_id, title)
        self.renamed.emit(conversation_id, title)

    def do(self, act: ChatAct, ids: Sequence[int]) -> None:
        """Carry out an act that needs no further question."""
        if act is ChatAct.DELETE:
            self.delete(*ids)
        elif act in (ChatAct.PIN, ChatAct.UNPIN):
            self._change(ids, lambda db: store.set_pinned(db, *ids, pinned=act is ChatAct.PIN))
        elif act is ChatAct.ARCHIVE:
            self._archive(ids)
        elif act is ChatAct.UNARCHIVE:
            self._change(ids, lambda db: store.set_archived(db, *ids, archived=False))

    def delete(self, *ids: int) -> None:
        """Delete chats in one act and offer to undo it."""
        called = self._called(ids)
        few = ids if len(ids) <= _MOST_PUT else ()
        known = [chat for number in few if (chat := self._chats.rows.conversation(number))]
        acts: list[int] = []  # written and read by the lane

        def fail(error: UserFacingError) -> None:
            self._bar.withdraw()
            self._put_all(known if few else None)
            self.failed.emit(error)

        following = self._chats.successor(frozenset(ids))
        for number in ids:
            self.deleted.emit(number)
        self._tasks.write(lambda db: acts.append(delete_chats(db, ids)), failed=fail)
        self._leave_list(ids, following)
        text = tr("Deleted: {chats}").format(chats=called)
        self._bar.offer(text, lambda: self._undelete(ids, acts))
        self.acted.emit()

    def _undelete(self, ids: Sequence[int], acts: list[int]) -> None:
        self._change(ids, lambda db: undo(db, acts[0]) if acts else None)

    def _archive(self, ids: Sequence[int]) -> None:
        called = self._called(ids)
        pinned: list[int] = []  # written and read by the lane

        def take_back(db: Database) -> None:
            store.set_archived(db, *ids, archived=False)
            store.set_pinned(db, *pinned, pinned=True)

        self._change(ids, lambda db: pinned.extend(store.set_archived(db, *ids, archived=True)))
        self._leave_list(ids, self._chats.successor(frozenset(ids)))
        text = tr("Archived: {chats}").format(chats=called)
        self._bar.offer(text, lambda: self._change(ids, take_back))

    def tag(self, ids: Sequence[int], *, added: Sequence[str], removed: Sequence[str]) -> None:
        """Give tags to chats, and take others from them."""

        def write(db: Database) -> None:
            with db.transaction():
                for name in added:
                    tag_chats(db, ids, name)
                for name in removed:
                    untag_chats(db, ids, name)

        self._change(ids, write)

    def _leave_list(self, ids: Sequence[int], following: int | None) -> None:
        self._chats.rows.take(*ids)
        if following is not None:
            self._chats.put_keyboard_on(following, chosen=False)  # lest the next Del delete it
        self._outdate_reload()

    def _change(self, ids: Sequence[int], write: Callable[[Database], object]) -> None:
        """Write, then show the chats as they are in the store; so too where it failed."""

        def work(db: Database) -> list[Conversation] | None:
            write(db)
            return _stored(db, ids)

        def fail(error: UserFacingError) -> None:
            self.failed.emit(error)
            self._tasks.read(lambda db: _stored(db, ids), self._put_all)

        self._tasks.write(work, self._put_all, failed=fail)

    def _called(self, ids: Sequence[int]) -> str:
        """One chat by its title, where the list has it; else how many they are."""
        chat = self._chats.rows.conversation(ids[0]) if len(ids) == 1 else None
        return title_of(chat) if chat else trn("{count} chat", "{count} chats", len(ids))

    def _put_all(self, chats: list[Conversation] | None) -> None:
        if chats is None:
            self.load()
        else:
            for chat in chats:
                self.put(chat)
        self.acted.emit()


def _stored(db: Database, ids: Sequence[int]) -> list[Conversation] | None:
    """The chats as they are; None where they are too many to be shown one by one."""
    if len(ids) > _MOST_PUT:
        return None
    return [chat for number in ids if (chat := store.get_conversation(db, number))]
