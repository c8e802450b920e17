"""The list of chats with tags, several selected, and the archive; the search with what it offers, finds and marks."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import AbstractContextManager

from PySide6.QtCore import Qt
from PySide6.QtTest import QTest
from PySide6.QtWidgets import QWidget

from llamachat.core.conversation import Conversation
from llamachat.core.messages import Role
from llamachat.storage.conversations import create_conversation, set_archived, set_pinned
from llamachat.storage.messages import add_message
from llamachat.storage.tags import tag_chats
from llamachat.ui.conversation_model import Listing
from tests.end2end.stage import NOWHERE, Stage

OpenWindow = Callable[[str, str], AbstractContextManager[Stage]]  # the model server, more settings

_CHATS = (
    (
        "A walk along the coast",
        ("Plan three days along the coast, with little water to carry.", "Day one: the cliffs."),
    ),
    (
        "Tides in a bay",
        ("Why are tides so high in this bay?", "The bay is as long as the water needs for its swing."),
    ),
    ("Bread with little yeast", ("How little yeast does bread need?", "A gram. Flour and water do the rest.")),
    (
        "Water in the garden",
        (
            "How much water do tomatoes need?",
            "A litre a day.",
            "And when?",
            "Water in the morning.",
            "More water?",
            "No.",
        ),
    ),
)


def finding_states(open_window: OpenWindow) -> Iterator[tuple[str, Stage, QWidget | None]]:
    """The window, or a dialog of it, in each state, by name."""
    with open_window(NOWHERE, "") as shown:
        _make_chats(shown)
        window, side = shown.window, shown.window.sidebar
        yield "list-with-tags", shown, None
        side.chats.setFocus()
        QTest.keyClick(side.chats, Qt.Key.Key_A, Qt.KeyboardModifier.ControlModifier)
        yield "list-selected", shown, None
        window.actions_by_id["search"].trigger()
        shown.until(side.search.offers.isVisible)
        yield "search-help", shown, None
        QTest.keyClicks(side.field, "water")
        shown.until(lambda: side.hits.rows.rows)
        shown.rest(0.3)
        QTest.keyClick(side.field, Qt.Key.Key_Return)
        shown.until(window.page.view.extraSelections)
        yield "search-found", shown, None
        QTest.keyClicks(side.field, " role:usr")
        shown.until(side.search.note.isVisible)
        yield "search-taken-for-words", shown, None
        QTest.keyClicks(side.field, " tag:")
        yield "search-offers", shown, None
        side.end_search()
        side.tags.ask([chat.id for chat in _loaded(shown)[:2]])
        shown.until(lambda: side.tags.dialog)
        yield "tags-of-chats", shown, side.tags.dialog
        if side.tags.dialog:
            side.tags.dialog.reject()
        side.tags.manage()
        shown.rest(0.3)
        yield "tags-all", shown, side.tags.manager
        if side.tags.manager:
            side.tags.manager.reject()
        side.control.show_listing(Listing(archived=True))
        shown.rest(0.3)
        yield "list-archived", shown, None


def _make_chats(shown: Stage) -> None:
    with shown.app.database() as db:
        ids = []
        for title, texts in _CHATS:
            ids.append(create_conversation(db, title=title).id)
            parent = None
            for number, text in enumerate(texts):
                role = Role.ASSISTANT if number % 2 else Role.USER
                parent = add_message(db, conversation_id=ids[-1], parent_id=parent, role=role, content=text).id
        set_archived(db, ids[0], archived=True)
        set_pinned(db, ids[1], pinned=True)
        for name, chats in (("Garden", ids[3:]), ("Food", ids[2:]), ("Work in progress", ids[1:3])):
            tag_chats(db, chats, name)
    shown.window.sidebar.load()
    shown.until(lambda: shown.window.sidebar.chats.rows.index_of(ids[3]).isValid())


def _loaded(shown: Stage) -> list[Conversation]:
    rows = shown.window.sidebar.chats.rows
    found = (rows.row(rows.index(number)).conversation for number in range(rows.rowCount()))
    return [chat for chat in found if chat]
