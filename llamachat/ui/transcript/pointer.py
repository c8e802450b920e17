"""What a pointer finds in the transcript: the true address in a tooltip, and a menu."""

from __future__ import annotations

import textwrap
from collections.abc import Callable
from html import escape

from PySide6.QtCore import QMimeData, QPoint
from PySide6.QtGui import QAction, QGuiApplication, QKeySequence
from PySide6.QtWidgets import QMenu, QTextBrowser, QToolTip

from llamachat.core.text import tr
from llamachat.render.links import allowed_link, describe_link, parse_anchor

MARKDOWN_TYPE = "text/markdown"
_TOOLTIP_COLUMNS = 90


def tooltip_for(href: str) -> str:
    """The text of the tooltip of a link: plain, in lines that fit; the program's own anchors need none."""
    if not href or parse_anchor(href) or allowed_link(href) is None:
        return ""
    lines = [piece for line in describe_link(href).split("\n") for piece in textwrap.wrap(line, _TOOLTIP_COLUMNS)]
    return "<br>".join(escape(line) for line in lines)


def markdown_data(markdown: str, plain: str) -> QMimeData:
    """Clipboard data: the Markdown by its type, and plain text beside it."""
    data = QMimeData()
    data.setText(plain)
    data.setData(MARKDOWN_TYPE, markdown.encode())
    return data


def copy_text(text: str, near: QTextBrowser) -> None:
    """Put a text on the clipboard, and say so where the pointer is."""
    QGuiApplication.clipboard().setMimeData(markdown_data(text, text))
    QToolTip.showText(near.cursor().pos(), tr("Copied"), near)


def fill_menu(menu: QMenu, view: QTextBrowser, at: QPoint, *, message: str, selection: str) -> None:
    """Make the menu for a place in the view; `message` and `selection` are the Markdown that it copies."""
    menu.clear()
    href = view.anchorAt(at)
    copy = _add(menu, tr("Copy"), view.copy, enabled=bool(selection))
    copy.setShortcut(QKeySequence.StandardKey.Copy)
    _add_copy(menu, tr("Copy as Markdown"), selection, view)
    _add_copy(menu, tr("Copy the message"), message, view)
    _add_copy(menu, tr("Copy the link's address"), href if allowed_link(href) else "", view)
    menu.addSeparator()
    _add(menu, tr("Select all"), view.selectAll, enabled=True).setShortcut(QKeySequence.StandardKey.SelectAll)


def _add(menu: QMenu, label: str, action: Callable[[], object], *, enabled: bool) -> QAction:
    entry = QAction(label, menu)
    entry.setEnabled(enabled)
    entry.triggered.connect(action)
    menu.addAction(entry)
    return entry


def _add_copy(menu: QMenu, label: str, text: str, view: QTextBrowser) -> None:
    _add(menu, label, lambda: copy_text(text, view), enabled=bool(text))
