"""Random edits by whole blocks leave the document as if it had been made at once."""

from __future__ import annotations

import random
from dataclasses import dataclass

import pytest
from PySide6.QtGui import QTextDocument
from pytestqt.qtbot import QtBot

from llamachat.render.html import HtmlWriter, MessageContext
from llamachat.render.incremental import draw_pieces
from llamachat.render.parse import MarkdownParser
from llamachat.ui.theme import LIGHT
from llamachat.ui.transcript.editor import DocumentEditor, Edit
from llamachat.ui.transcript.look import Look
from llamachat.ui.transcript.stylesheet import transcript_css
from tests.ui.transcript_pages import TEXT_PX, describe

PARTS = (
    "plain *text* and `code` %d",
    "# heading %d",
    "> quoted %d\n>\n> > deeper",
    "- item %d\n- second\n  - nested\n\n    loose\n- ",
    "4. four %d\n5. five",
    "- [ ] task %d\n- [x] done",
    "| a | b |\n|---|--:|\n| %d | |\n| x | y |",
    "> | a |\n> |---|\n> | %d |",
    "```python\ndef f():\n\n    return %d\n\n```",
    "> ```\n> quoted code\n>\n> %d\n> ```",
    "- text\n  ```sh\n  ls %d\n\n  ```\n- | a |\n  |---|\n  | b |",
    "***",
    "    indented %d",
    "שלום %d `x`",
)


def make_editor() -> DocumentEditor:
    document = QTextDocument()
    document.setUndoRedoEnabled(False)
    document.setDefaultStyleSheet(transcript_css(LIGHT, TEXT_PX, Look()))
    editor = DocumentEditor(document)
    editor.clear()
    return editor


@dataclass
class Part:
    html: str
    count: int


def random_html(chance: random.Random, parser: MarkdownParser, number: int) -> str:
    source = chance.choice(PARTS)
    text = source % number if "%d" in source else source
    return "".join(piece.html for piece in draw_pieces(parser, HtmlWriter(parser, MessageContext(1)), text))


@pytest.mark.parametrize("seed", range(4))
def test_random_edits_equal_one_insertion(qtbot: QtBot, seed: int) -> None:
    chance, parser, editor = random.Random(seed), MarkdownParser(), make_editor()
    parts: list[Part] = []
    for number in range(150):
        index = chance.randrange(len(parts)) if parts else 0
        first = 1 + sum(part.count for part in parts[:index])
        action = chance.random() if parts else 0.0
        html = random_html(chance, parser, number)
        if action < 0.5:
            parts.insert(index, Part(html, editor.insert(first, html)))
        elif action < 0.75:
            parts[index] = Part(html, editor.replace(first, parts[index].count, html))
        else:
            editor.remove(first, parts[index].count)
            del parts[index]
        if number % 10 == 9:
            expected = make_editor()
            expected.insert(1, "".join(part.html for part in parts))
            assert describe(editor.document) == describe(expected.document)


def test_the_edits_say_where_places_in_the_text_have_gone(qtbot: QtBot) -> None:
    editor = make_editor()
    editor.insert(1, "<p>first</p><p>second</p><p>third</p>")
    text = editor.document.toPlainText()
    editor.take_edits()
    places = [text.index(word) for word in ("first", "second", "third")]
    editor.replace(2, 1, "<p>longer than before</p><p>and one more</p>")
    editor.insert(1, "<p>above</p>")
    for edit in editor.take_edits():
        places = [edit.moved(place) for place in places]
    text = editor.document.toPlainText()
    assert [text[place:].split("\n")[0] for place in places] == ["first", "longer than before", "third"]


def test_a_place_inside_a_replaced_part_stays_inside_it() -> None:
    edit = Edit(10, 20, 4)
    assert [edit.moved(place) for place in (3, 10, 12, 29, 30, 40)] == [3, 10, 12, 14, 14, 24]
