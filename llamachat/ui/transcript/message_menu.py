"""The menu of a place in the transcript: the selection, the link and the message that are there."""

from __future__ import annotations

from collections.abc import Callable, Sequence

from PySide6.QtCore import QUrl
from PySide6.QtGui import QAction, QKeySequence
from PySide6.QtWidgets import QMenu, QTextBrowser

from llamachat.core.text import tr
from llamachat.render.links import allowed_link
from llamachat.ui.transcript.message_acts import Act, act_key, act_name
from llamachat.ui.transcript.pointer import copy_text

Call = Callable[[], object]


def fill_menu(
    menu: QMenu, view: QTextBrowser, *, href: str, selection: str, acts: Sequence[tuple[Act, Call]]
) -> None:
    """Make the menu. selection: the Markdown of what is selected. acts: of the message, each with what does it."""
    menu.clear()
    copy = _add(menu, tr("Copy"), view.copy, enabled=bool(selection))
    copy.setShortcut(QKeySequence.StandardKey.Copy)
    _add(menu, tr("Copy as Markdown"), lambda: copy_text(selection, view), enabled=bool(selection))
    if address := allowed_link(href):
        menu.addSeparator()
        _add(menu, tr("Open the link"), lambda: view.anchorClicked.emit(QUrl(address)))
        _add(menu, tr("Copy the link's address"), lambda: copy_text(address, view))
    menu.addSeparator()
    for act, call in acts:
        _add(menu, act_name(act), call).setShortcut(QKeySequence(act_key(act)))
    menu.addSeparator()
    _add(menu, tr("Select all"), view.selectAll).setShortcut(QKeySequence.StandardKey.SelectAll)


def _add(menu: QMenu, label: str, action: Call, *, enabled: bool = True) -> QAction:
    entry = QAction(label, menu)
    entry.setEnabled(enabled)
    entry.triggered.connect(_without_argument(action))
    menu.addAction(entry)
    return entry


def _without_argument(action: Call) -> Callable[[], None]:
    """Qt says whether an action is checked to all that can hear it."""

    def call() -> None:
        action()

    return call
