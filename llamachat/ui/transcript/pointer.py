"""What a pointer finds in the transcript: the true address in a tooltip, and a menu."""

from __future__ import annotations

import textwrap
from html import escape

from PySide6.QtCore import QMimeData, QPoint, Qt
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


def context_menu(view: QTextBrowser, at: QPoint, *, message: str, selection: str) -> QMenu:
    """The menu for a place in the view; `message` and `selection` are the Markdown that it copies."""
    menu = QMenu(view)
    menu.setAttribute(Qt.WidgetAttribute.WA_DeleteOnClose)
    copy = menu.addAction(tr("Copy"), view.copy)
    copy.setShortcut(QKeySequence.StandardKey.Copy)
    copy.setEnabled(bool(selection))
    _add_copy(menu, tr("Copy as Markdown"), selection, view)
    _add_copy(menu, tr("Copy the message"), message, view)
    href = view.anchorAt(at)
    _add_copy(menu, tr("Copy the link's address"), href if allowed_link(href) else "", view)
    menu.addSeparator()
    menu.addAction(tr("Select all"), view.selectAll).setShortcut(QKeySequence.StandardKey.SelectAll)
    return menu


def _add_copy(menu: QMenu, label: str, text: str, view: QTextBrowser) -> QAction:
    action = menu.addAction(label, lambda: copy_text(text, view))
    action.setEnabled(bool(text))
    return action
