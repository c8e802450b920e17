"""Tags in the window: giving them to chats, and renaming and deleting them. The store is used by its lane."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Sequence
from functools import partial

from PySide6.QtCore import QObject, Signal
from PySide6.QtWidgets import QWidget

from llamachat.core.conversation import Conversation
from llamachat.core.errors import UserFacingError
from llamachat.core.tag import Tag
from llamachat.core.text import tr, trn
from llamachat.storage.conversations import get_conversation
from llamachat.storage.database import Database
from llamachat.storage.tags import TagDeletion, delete_tag, list_tags, rename_tag, restore_tag
from llamachat.ui.conversation_model import title_of
from llamachat.ui.list_control import ListControl
from llamachat.ui.tag_dialog import TagDialog
from llamachat.ui.tag_manager import TagManager
from llamachat.ui.tasks import Lane


class TagControl(QObject):
    """`failed` is told outside the list."""

    failed = Signal(object)  # UserFacingError
    changed = Signal()  # tags have other names, or are gone or back

    def __init__(self, chats: ListControl, tasks: Lane[Database], parent: QWidget) -> None:
        super().__init__(parent)
        self._chats, self._tasks, self._parent = chats, tasks, parent
        self.dialog: TagDialog | None = None
        self.manager: TagManager | None = None

    def read(self, then: Callable[[list[Tag]], None]) -> None:
        """Read all tags."""
        self._tasks.read(list_tags, then, key="tags")

    # Of chats

    def ask(self, ids: Sequence[int]) -> None:
        """Let a person choose the tags of chats."""

        def read(db: Database) -> tuple[list[Tag], list[Conversation]]:
            return list_tags(db), [chat for number in ids if (chat := get_conversation(db, number))]

        self._tasks.read(read, lambda found: self._show_dialog(*found), key="tags of chats")

    def _show_dialog(self, tags: list[Tag], chats: list[Conversation]) -> None:
        if self.dialog or not chats:
            return
        heading = tr("“{title}”").format(title=title_of(chats[0]))
        if len(chats) > 1:
            heading = trn("{count} chat", "{count} chats", len(chats))
        had = Counter(name for chat in chats for name in chat.tags)
        names = [tag.name for tag in tags]
        self.dialog = TagDialog(heading, names, had=had, chats=len(chats), parent=self._parent.window())
        self.dialog.finished.connect(partial(self._take, self.dialog, tuple(chat.id for chat in chats)))
        self.dialog.open()

    def _take(self, dialog: TagDialog, ids: tuple[int, ...], result: int) -> None:
        self.dialog = None
        added, removed = dialog.changes()
        if result and (added or removed):
            self._chats.tag(ids, added=added, removed=removed)

    # All tags

    def manage(self) -> None:
        """Let a person rename and delete tags."""
        if self.manager is None:
            self.manager = TagManager(self._parent.window())
            self.manager.rename_requested.connect(self._rename)
            self.manager.delete_requested.connect(self._delete)
            self.manager.finished.connect(self._forget_manager)
        self.manager.show()
        self.manager.raise_()
        self._show_tags()

    def _forget_manager(self) -> None:
        self.manager = None

    def _show_tags(self) -> None:
        self.read(lambda tags: self.manager.show_tags(tags) if self.manager else None)

    def _rename(self, name: str, new_name: str) -> None:
        def done(merged: TagDeletion | None) -> None:
            self._chats.follow_tag(name, new_name)
            self._changed()
            if merged and self.manager:
                text = tr("Joined “{tag}” with “{other}”").format(tag=name, other=new_name)
                self.manager.undo.offer(text, lambda: self._restore(merged))

        self._tasks.write(lambda db: rename_tag(db, name, new_name), done, self._fail)

    def _delete(self, name: str) -> None:
        def done(deletion: TagDeletion) -> None:
            self._chats.follow_tag(name, "")
            self._changed()
            if self.manager:
                text = tr("Deleted: {chats}").format(chats=name)
                self.manager.undo.offer(text, lambda: self._restore(deletion))

        self._tasks.write(lambda db: delete_tag(db, name), done, self._fail)

    def _restore(self, deletion: TagDeletion) -> None:
        self._tasks.write(lambda db: restore_tag(db, deletion), lambda _: self._changed(), self._fail)

    def _fail(self, error: UserFacingError) -> None:
        self.failed.emit(error)
        self._changed()

    def _changed(self) -> None:
        self._show_tags()
        self.changed.emit()
        self._chats.reload(whole=True)
