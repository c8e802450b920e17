"""What a pointer finds in the transcript: the true address in a tooltip, the link; and what is copied from there."""

from __future__ import annotations

import textwrap
from html import escape

from PySide6.QtCore import QMimeData
from PySide6.QtGui import QGuiApplication, QTextCursor
from PySide6.QtWidgets import QTextBrowser, QToolTip

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


def put_on_clipboard(text: str) -> None:
    """As Markdown and as plain text."""
    QGuiApplication.clipboard().setMimeData(markdown_data(text, text))


def copy_text(text: str, near: QTextBrowser) -> None:
    """Put a text on the clipboard, and say so where the pointer is."""
    put_on_clipboard(text)
    QToolTip.showText(near.cursor().pos(), tr("Copied"), near)


def link_at(cursor: QTextCursor) -> str:
    """The address of the link that is selected, as Tab does it; "" where there is none."""
    inside = QTextCursor(cursor)
    inside.setPosition(cursor.selectionEnd())
    return inside.charFormat().anchorHref() if cursor.hasSelection() else ""
