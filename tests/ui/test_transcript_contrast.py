"""Every text of the transcript can be read on what is painted under it, in each theme and after a switch."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator

import pytest
from PySide6.QtCore import QObject, QRectF, Qt
from PySide6.QtGui import QColor, QImage, QPalette, QTextBlock
from PySide6.QtWidgets import QApplication, QWidget
from pytestqt.qtbot import QtBot

from llamachat.core.messages import Status
from llamachat.core.search_record import SearchRecord, SearchResult
from llamachat.ui.appearance import Appearance
from llamachat.ui.theme import DARK, LIGHT, Theme
from llamachat.ui.transcript.view import TranscriptView
from tests.ui.test_theme import contrast
from tests.ui.transcript_pages import answer, blocks_of, colours_of, follow, question, select, show_view, top_of

TEXT = """A [link](https://l.example/), `code`, ~~struck~~ and a source [1], none [9].

```python
def f(): return "text"  # note
```

| head | `code` |
|---|---|
| cell | [link](https://l.example/) |

> quoted [link](https://l.example/)

> [!NOTE]
> one

> [!WARNING]
> two

> [!CAUTION]
> three

> [!TIP]
> four

A note[^n].

[^n]: In `small` letters.
"""
RECORD = SearchRecord("query", (SearchResult("Title", "https://t.example/", "snippet"),), provider="SearXNG")


@pytest.fixture
def view(qtbot: QtBot) -> TranscriptView:
    """A view with everything in it."""
    view = show_view(qtbot, height=1600)
    records = (RECORD, SearchRecord("other", error="It refused."))
    chat = [
        question(1, "A `typed` word and https://typed.example/"),
        answer(2, TEXT, reasoning="thought", searches=records),
        question(3),
        answer(4, "part", status=Status.INTERRUPTED, error="It broke off."),
    ]
    view.set_messages(chat)
    for fold in ("▸ searched", "▸ thinking"):
        follow(view, fold)
    return view


def text_and_ground(view: TranscriptView) -> Iterator[tuple[str, str, str]]:
    """Each piece of text, its colour, and the colour that is painted under it."""
    picture = view.viewport().grab().toImage()
    coloured = colours_of(view)
    for block, spans in zip(blocks_of(view.document()), coloured, strict=True):
        room = view.document().documentLayout().blockBoundingRect(block)
        ground = _most_of(picture, room.translated(0, -view.verticalScrollBar().value()))
        yield from ((block.text()[start : start + length], colour, ground) for start, length, colour in spans)
        yield from _pieces(block, ground)


def _pieces(block: QTextBlock, ground: str) -> Iterator[tuple[str, str, str]]:
    iterator = block.begin()
    while not iterator.atEnd():
        look, text = iterator.fragment().charFormat(), iterator.fragment().text()
        own = look.background()
        if text.strip(" \u200b\u00a0\u2028\t"):
            behind = own.color().name() if own.style() is not Qt.BrushStyle.NoBrush else ground
            yield text, look.foreground().color().name(), behind
        iterator += 1


def _most_of(picture: QImage, room: QRectF) -> str:
    area = room.toRect().intersected(picture.rect())
    colours = Counter(
        picture.pixelColor(x, y).name()
        for x in range(area.left(), area.right() + 1, 3)
        for y in range(area.top(), area.bottom() + 1, 2)
    )
    return colours.most_common(1)[0][0] if colours else "#000000"


def unreadable(view: TranscriptView) -> list[tuple[str, str, str]]:
    found = list(text_and_ground(view))
    assert len(found) > 50
    return [piece for piece in found if contrast(piece[1], piece[2]) < 4.5]


def test_all_text_can_be_read_in_each_theme_and_after_each_switch(view: TranscriptView) -> None:
    assert unreadable(view) == []
    for theme in (DARK, LIGHT, DARK):
        view.set_theme(theme)
        assert unreadable(view) == []
        assert view.viewport().grab().toImage().pixelColor(2, 2) == QColor(theme.base)


def test_the_grounds_are_those_that_are_painted(view: TranscriptView) -> None:
    grounds = {ground for _text, _colour, ground in text_and_ground(view)}
    assert grounds >= {LIGHT.base, LIGHT.card, LIGHT.code, LIGHT.raised, LIGHT.inline_code, LIGHT.error_back}


@pytest.mark.parametrize("text", ["#ffffff", "#fdfdfd", "#000000"])
def test_the_palette_of_the_system_changes_nothing(view: TranscriptView, qapp: QApplication, text: str) -> None:
    before = qapp.palette()
    bad = QPalette(QColor("#ffffff"), QColor("#ffffff"))
    for role in (QPalette.ColorRole.Text, QPalette.ColorRole.WindowText, QPalette.ColorRole.Link):
        bad.setColor(role, QColor(text))
    try:
        qapp.setPalette(bad)
        assert unreadable(view) == []
        view.set_theme(DARK)
        assert unreadable(view) == []
    finally:
        qapp.setPalette(before)


@pytest.fixture
def application(qapp: QApplication) -> Iterator[QApplication]:
    """The application, which looks afterwards as before."""
    looks = qapp.styleSheet(), qapp.style().name(), qapp.palette()
    yield qapp
    qapp.setStyleSheet(looks[0])
    qapp.setStyle(looks[1])
    qapp.setPalette(looks[2])


@pytest.fixture
def page(view: TranscriptView) -> Iterator[QWidget]:
    """Where the view stands in the window: the style sheet of the program knows it by its name."""
    page = QWidget()
    page.setObjectName("chat")
    view.setParent(page)
    yield page
    view.setParent(None)
    page.deleteLater()


def test_a_system_that_turns_dark_turns_the_view_where_the_reader_is(
    page: QWidget, view: TranscriptView, application: QApplication, owner: QObject
) -> None:
    page.show()
    view.resize(700, 300)
    start = view.document().find("quoted").selectionStart()
    select(view, start, start + 6)
    view.verticalScrollBar().setValue(400)
    before, themes = top_of(view, "quoted"), list[Theme]()
    appearance = Appearance(application, "system")
    appearance.setParent(owner)
    appearance.theme_changed.connect(view.set_theme)
    appearance.theme_changed.connect(themes.append)
    application.styleHints().colorSchemeChanged.emit(Qt.ColorScheme.Dark)
    assert themes == [DARK]
    assert (view.textCursor().selectedText(), top_of(view, "quoted")) == ("quoted", before)
    view.resize(700, 1600)
    assert unreadable(view) == []
