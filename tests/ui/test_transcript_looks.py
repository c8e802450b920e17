"""How constructs look beside each other: room between boxes, colours of alerts, sizes of code."""

from __future__ import annotations

from itertools import groupby

import pytest
from PySide6.QtGui import QColor, QFont, QTextCharFormat
from pytestqt.qtbot import QtBot

from llamachat.core.search_record import SearchRecord
from llamachat.render.block_kinds import Tone
from llamachat.ui.theme import DARK, LIGHT, Theme
from llamachat.ui.transcript.view import TranscriptView
from tests.ui.transcript_pages import TEXT_PX, answer, place_of, question, show_view, top_of

ALERT = """> [!{name}]
> said
>
> - item
>
> ```
> code
>
> more
> ```
>
> | cell |
> |---|
> | c |
>
> > deep
"""


def colours_down(view: TranscriptView, x: int) -> list[tuple[str, int]]:
    """The colours on the way down beside the left edge of the column, and how long each goes on."""
    picture = view.viewport().grab().toImage()
    left = round(view.document().rootFrame().frameFormat().leftMargin())
    column = (picture.pixelColor(left + x, y).name() for y in range(picture.height()))
    return [(colour, len(list(same))) for colour, same in groupby(column)]


def look_of(view: TranscriptView, text: str) -> QTextCharFormat:
    cursor = view.document().find(text)
    assert place_of(view, text) >= 0
    return cursor.charFormat()


@pytest.mark.parametrize("between", ["", "\n", "\n\n"])
def test_boxes_of_code_keep_apart(qtbot: QtBot, between: str) -> None:
    view = show_view(qtbot)
    view.set_messages([answer(2, f"Before\n\n```\none\n```\n{between}```\ntwo\n```\n\nAfter")])
    runs = colours_down(view, 40)
    boxes = [index for index, (colour, length) in enumerate(runs) if colour == LIGHT.code and length > 20]
    room = sum(length for colour, length in runs[boxes[0] : boxes[-1]] if colour == LIGHT.base)
    assert 8 <= room <= 16
    box_top = sum(length for _colour, length in runs[: boxes[0]])
    text = view.document().documentLayout().blockBoundingRect(view.document().find("Before").block())
    assert 8 <= box_top - text.bottom() <= 20


@pytest.mark.parametrize("theme", [LIGHT, DARK], ids=["light", "dark"])
@pytest.mark.parametrize(
    ("tone", "colour"),
    [
        (Tone.NOTE, "accent"),
        (Tone.TIP, "success"),
        (Tone.IMPORTANT, "accent"),
        (Tone.WARNING, "warning"),
        (Tone.CAUTION, "error"),
    ],
)
def test_an_alert_has_its_colour_from_its_title_to_its_end(
    qtbot: QtBot, theme: Theme, tone: Tone, colour: str
) -> None:
    view = show_view(qtbot, theme=theme, height=900)
    view.set_messages([answer(2, ALERT.format(name=tone.name) + "\n\nbetween\n\n> plain\n")])
    title = tone.name.capitalize()
    assert look_of(view, title).foreground().color() == QColor(getattr(theme, colour))
    bar = [run for run in colours_down(view, 1) if run[0] in (getattr(theme, colour), theme.quote)]
    assert [run[0] for run in bar] == [getattr(theme, colour), theme.quote]
    assert bar[0][1] > top_of(view, "deep") - top_of(view, title)


def test_the_colour_of_an_alert_stays_when_its_title_is_out_of_sight(qtbot: QtBot) -> None:
    view = show_view(qtbot)
    view.set_messages([answer(2, "> [!WARNING]\n" + "> a line\n>\n" * 60 + "> last\n\n> words of others\n")])
    view.verticalScrollBar().setValue(view.verticalScrollBar().maximum())
    seen = [colour for colour, _length in colours_down(view, 1) if colour in (LIGHT.warning, LIGHT.quote)]
    assert seen == [LIGHT.warning, LIGHT.quote]


def test_an_alert_in_a_quote_is_a_quote(qtbot: QtBot) -> None:
    view = show_view(qtbot)
    view.set_messages([answer(2, "> said\n>\n> > [!TIP]\n> > inner\n")])
    beside = {colour for colour, _length in colours_down(view, 1)}
    assert LIGHT.quote in beside
    assert LIGHT.success not in beside


@pytest.mark.parametrize(("mark", "scale"), [("", 1.0), ("# ", 1.5), ("## ", 1.3), ("### ", 1.15), ("###### ", 0.9)])
def test_code_in_a_heading_is_as_large_as_its_heading(qtbot: QtBot, mark: str, scale: float) -> None:
    view = show_view(qtbot)
    view.set_messages([answer(2, f"{mark}text `code` text")])
    look = look_of(view, "code")
    assert look.property(QTextCharFormat.Property.FontPixelSize) == round(TEXT_PX * scale * 0.88)


def test_a_table_of_many_columns_has_smaller_letters(qtbot: QtBot) -> None:
    view = show_view(qtbot)
    rows = ["|".join(f"{name}{column}" for column in range(count)) for name, count in (("few", 6), ("many", 7))]
    view.set_messages([answer(2, "\n\n".join(f"{row}\n{'|'.join(['---'] * len(row.split('|')))}" for row in rows))])
    sizes = [look_of(view, text).property(QTextCharFormat.Property.FontPixelSize) for text in ("few5", "many6")]
    assert sizes == [None, round(TEXT_PX * 0.86)]


@pytest.mark.parametrize("points", [7, 8, 9, 11, 24])
def test_what_can_be_done_with_a_question_stands_in_its_first_line(qtbot: QtBot, points: int) -> None:
    view, font = show_view(qtbot), QFont()
    font.setPointSize(points)
    view.setFont(font)
    view.set_messages([question(1)])
    assert view.document().find("Copy").block().layout().lineCount() == 1


@pytest.mark.claim("ST-029")
def test_a_search_that_failed_is_seen_to_have_failed(qtbot: QtBot) -> None:
    view = show_view(qtbot)
    records = (SearchRecord("good one"), SearchRecord("bad one", error="It refused."))
    view.set_messages([answer(2, "text", searches=records)])
    colours = [look_of(view, text).foreground().color().name() for text in ("good one", "bad one")]
    assert colours == [LIGHT.muted, LIGHT.warning]
