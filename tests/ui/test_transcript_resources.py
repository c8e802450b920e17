"""Nothing is ever loaded: no address, no file, whatever an answer, a title or a page names, nor if it were HTML."""

from __future__ import annotations

import socket
from collections.abc import Iterator
from pathlib import Path

import pytest
from PySide6.QtCore import QByteArray, QUrl
from PySide6.QtGui import QColor, QImage, QTextDocument
from PySide6.QtWidgets import QWidget
from pytestqt.qtbot import QtBot

from llamachat.core.search_record import SearchRecord, SearchResult
from llamachat.ui.labels import ElidedLabel, WrapLabel, tooltip
from tests.ui.transcript_pages import answer, follow, question, show_view

FORBIDDEN = QColor("#ff0000")  # no theme has it
MARKDOWN = (
    "![x]({address})",
    "![x][late]\n\n[late]: {address}",
    "[![x]({address})]({address})",
    '<img src="{address}" srcset="{address} 2x">',
    '<link rel="stylesheet" href="{address}"><style>@import url({address});</style>',
    '<p style="background-image:url({address})">x</p><body background="{address}">',
    '<ul style="list-style-image:url({address})"><li>x</li></ul><object data="{address}"></object>',
    "- <{address}>\n\n> {address}\n\n| a |\n|---|\n| ![x]({address}) |",
    "$\\includegraphics{{{address}}}$ and $$\\url{{{address}}}$$",
)
HTML = (
    '<img src="{address}">',
    '<table><tr><td style="background-image:url({address})">cell</td></tr></table>',
    '<p style="background-image:url({address})">paragraph</p>',
    '<link rel="stylesheet" href="{address}"><p class="x">text</p>',
    "<style>@import url({address});</style><p class='x'>text</p>",
    '<ul style="list-style-image:url({address})"><li>item</li></ul>',
    '<body background="{address}">text</body>',
)


@pytest.fixture
def listener() -> Iterator[socket.socket]:
    """A server that is not to hear of anything."""
    with socket.create_server(("127.0.0.1", 0)) as server:
        server.settimeout(0)
        yield server
        with pytest.raises(BlockingIOError):
            server.accept()


@pytest.fixture
def addresses(listener: socket.socket, tmp_path: Path) -> list[str]:
    """Of things that Qt would show: a server, a red picture, a style sheet that makes text red."""
    picture, sheet = tmp_path / "a.png", tmp_path / "a.css"
    image = QImage(64, 64, QImage.Format.Format_RGB32)
    image.fill(FORBIDDEN)
    assert image.save(str(picture))
    sheet.write_text(f"* {{ color:{FORBIDDEN.name()}; background-color:{FORBIDDEN.name()}; }}")
    server = f"http://127.0.0.1:{listener.getsockname()[1]}/a.png"
    return [server, *(f"{kind}{path}" for path in (picture, sheet) for kind in ("", "file:", "file://"))]


def shows_red(widget: QWidget) -> bool:
    picture = widget.grab().toImage()
    points = ((x, y) for y in range(0, picture.height(), 3) for x in range(0, picture.width(), 3))
    return any(picture.pixelColor(x, y) == FORBIDDEN for x, y in points)


@pytest.mark.slow
@pytest.mark.parametrize("pattern", MARKDOWN)
def test_nothing_that_is_written_is_loaded(qtbot: QtBot, addresses: list[str], pattern: str) -> None:
    text = "\n\n".join(pattern.format(address=address) for address in addresses)
    found = tuple(SearchResult(text, address, text) for address in addresses)
    record = SearchRecord(text, found, note=text, provider=text, engines=((text, text),))
    view = show_view(qtbot, height=3000)
    view.set_messages([question(1, text), answer(2, text, reasoning=text, searches=(record,), error=text)])
    follow(view, "▸ searched")
    follow(view, "▸ thinking")
    assert not shows_red(view.viewport())
    assert view.document().find("\ufffc").isNull()


@pytest.mark.parametrize("pattern", HTML)
def test_html_that_got_through_would_load_nothing(qtbot: QtBot, addresses: list[str], pattern: str) -> None:
    view = show_view(qtbot)
    for address in addresses:
        view.textCursor().insertHtml(pattern.format(address=address))
    assert not shows_red(view.viewport())


def test_whatever_is_asked_for_is_empty(qtbot: QtBot, addresses: list[str]) -> None:
    view = show_view(qtbot)
    for kind in set(QTextDocument.ResourceType) - {QTextDocument.ResourceType.ImageResource}:
        assert all(view.loadResource(kind.value, QUrl(address)) == QByteArray() for address in addresses)
    for address in addresses:
        picture = view.loadResource(QTextDocument.ResourceType.ImageResource.value, QUrl(address))
        assert isinstance(picture, QImage)
        assert (picture.width(), picture.height(), picture.pixelColor(0, 0).alpha()) == (1, 1, 0)


@pytest.mark.slow
@pytest.mark.parametrize("pattern", HTML)
def test_titles_and_notices_load_nothing(qtbot: QtBot, addresses: list[str], pattern: str) -> None:
    for text in (pattern.format(address=address) for address in addresses):
        elided, wrapped = ElidedLabel(), WrapLabel(text)
        elided.show_text(text)
        for label in (elided, wrapped):
            qtbot.addWidget(label)
            label.resize(600, 100)
            assert not shows_red(label)
        tip = QTextDocument()
        tip.setHtml(tooltip(text))
        assert tip.toPlainText() == text
