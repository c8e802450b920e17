"""The menu of the list: which chats it shows, and in which order."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import replace

from PySide6.QtGui import QActionGroup
from PySide6.QtWidgets import QMenu

from llamachat.core.conversation import ListOrder
from llamachat.core.tag import Tag, tag_key
from llamachat.core.text import tr
from llamachat.ui.conversation_model import Listing

Choose = Callable[[Listing], None]


def order_name(order: ListOrder) -> str:
    """An order as the menu shows it."""
    return {
        ListOrder.ACTIVITY: tr("Newest message first"),
        ListOrder.CREATED: tr("Newest chat first"),
        ListOrder.TITLE: tr("By title"),
    }[order]


def listing_name(listing: Listing) -> str:
    """What a list shows; "" for all chats that are not put away."""
    if listing.tag:
        name = tr("Tag: {tag}").format(tag=listing.tag)
        return tr("{name}, archived").format(name=name) if listing.archived else name
    return tr("Archived chats") if listing.archived else ""


def fill_list_menu(
    menu: QMenu, listing: Listing, tags: Sequence[Tag], *, choose: Choose, manage: Callable[[], None]
) -> None:
    """Put the choices into it."""
    lists = [(tr("All chats"), Listing(listing.order)), (tr("Archived chats"), Listing(listing.order, archived=True))]
    _add_choices(menu, lists, listing, choose)
    if tags:
        menu.addSection(tr("Tags"))
        of_tags = [(_counted(tag), Listing(listing.order, tag=tag.name)) for tag in tags]
        _add_choices(menu, of_tags, replace(listing, tag=_same_tag(listing.tag, tags)), choose)
    menu.addAction(tr("Rename and delete tags…")).triggered.connect(lambda _=False: manage())
    menu.addSeparator()
    orders = [(order_name(order), replace(listing, order=order)) for order in ListOrder]
    _add_choices(menu, orders, listing, choose)


def _add_choices(menu: QMenu, choices: Sequence[tuple[str, Listing]], current: Listing, choose: Choose) -> None:
    group = QActionGroup(menu)
    for name, listing in choices:
        action = menu.addAction(name.replace("&", "&&"))
        action.setCheckable(True)
        action.setChecked(listing == current)
        action.triggered.connect(lambda _=False, chosen=listing: choose(chosen))
        group.addAction(action)


def _counted(tag: Tag) -> str:
    return tr("{tag} ({count})").format(tag=tag.name, count=tag.chats)


def _same_tag(name: str, tags: Sequence[Tag]) -> str:
    """The tag as it is written now."""
    return next((tag.name for tag in tags if tag_key(tag.name) == tag_key(name)), name)
