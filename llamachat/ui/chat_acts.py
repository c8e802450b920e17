"""What can be done with chats of the list, one or several at once: names and keys, and the menu that offers it."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from enum import StrEnum

from PySide6.QtWidgets import QMenu

from llamachat.core.conversation import Conversation
from llamachat.core.text import tr


class ChatAct(StrEnum):
    """An act on chats."""

    OPEN = "open"
    RENAME = "rename"
    PIN = "pin"
    UNPIN = "unpin"
    ARCHIVE = "archive"
    UNARCHIVE = "unarchive"
    TAG = "tag"
    EXPORT = "export"
    DELETE = "delete"


def act_name(act: ChatAct) -> str:
    """As menus show it."""
    return {
        ChatAct.OPEN: tr("Open"),
        ChatAct.RENAME: tr("Rename"),
        ChatAct.PIN: tr("Pin to the top"),
        ChatAct.UNPIN: tr("Unpin"),
        ChatAct.ARCHIVE: tr("Archive"),
        ChatAct.UNARCHIVE: tr("Take out of the archive"),
        ChatAct.TAG: tr("Tags…"),
        ChatAct.EXPORT: tr("Export…"),
        ChatAct.DELETE: tr("Delete"),
    }[act]


def offered_acts(chats: Sequence[Conversation]) -> list[ChatAct | None]:
    """What the menu of chats offers; None is a line between."""
    acts: list[ChatAct | None] = [ChatAct.OPEN, ChatAct.RENAME, None] if len(chats) == 1 else []
    if all(chat.archived for chat in chats):
        acts.append(ChatAct.UNARCHIVE)
    else:
        acts += [toggled_pin(chats), ChatAct.ARCHIVE]
    return [*acts, ChatAct.TAG, ChatAct.EXPORT, None, ChatAct.DELETE]


def toggled_pin(chats: Sequence[Conversation]) -> ChatAct:
    """What pinning means for these: all are pinned, or unpinned where all are."""
    return ChatAct.UNPIN if all(chat.pinned for chat in chats) else ChatAct.PIN


def toggled_archive(chats: Sequence[Conversation]) -> ChatAct:
    """What archiving means for these."""
    return ChatAct.UNARCHIVE if all(chat.archived for chat in chats) else ChatAct.ARCHIVE


def fill_menu(menu: QMenu, chats: Sequence[Conversation], act: Callable[[ChatAct], None]) -> None:
    """Put what can be done with the chats into a menu."""
    for offered in offered_acts(chats):
        if offered is None:
            menu.addSeparator()
        else:
            menu.addAction(act_name(offered)).triggered.connect(lambda _=False, chosen=offered: act(chosen))
