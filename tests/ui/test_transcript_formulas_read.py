"""A drawn formula is copied, found, read out, and told by its tooltip as its source; it is painted on the line."""

from __future__ import annotations

import pytest
from PySide6.QtCore import QPoint, QRect, QSize, QUrl
from PySide6.QtGui import QAccessible, QGuiApplication, QImage, QTextCursor, QTextDocument
from pytestqt.qtbot import QtBot

from llamachat.core.formula import Formula, FormulaShapes
from llamachat.ui.theme import DARK, LIGHT, Theme
from llamachat.ui.transcript.find import find_matches
from llamachat.ui.transcript.formula_painter import draw_shapes, sharp_em
from llamachat.ui.transcript.formula_tip import formula_at, formula_tip
from llamachat.ui.transcript.view import TranscriptView
from tests.ui.formula_source import BOX, BoxSource, drawn_sources, settle
from tests.ui.transcript_pages import answer, place_of, question, select, show_view, top_of

TEXT = "Of **$a_1$** and \\(b\\).\n\n- item $c$\n\n$$\nd\n= e\n$$\n\n| t |\n|---|\n| $f$ |\n\nThe end."


def show(qtbot: QtBot, text: str = TEXT, *, width: int = 700) -> TranscriptView:
    view = show_view(qtbot)
    view.resize(width, 600)
    view.formulas.set_source(BoxSource())
    view.set_messages([question(1), answer(2, text)])
    settle(qtbot, view)
    return view


def copied(view: TranscriptView) -> tuple[str, str]:
    """Plain text and Markdown of what is selected."""
    view.copy()
    data = QGuiApplication.clipboard().mimeData()
    return data.text(), bytes(data.data("text/markdown").data()).decode()


def picture_at(view: TranscriptView, index: int) -> int:
    """The position of a drawn formula."""
    text, position = view.document().toRawText(), -1
    for _ in range(index + 1):
        position = text.index("\ufffc", position + 1)
    return position


def rect_of(view: TranscriptView, index: int) -> QRect:
    """Where a drawn formula is in the view: as wide as it is, as high as its line."""
    cursor = QTextCursor(view.document())
    cursor.setPosition(picture_at(view, index))
    left = view.cursorRect(cursor)
    cursor.movePosition(QTextCursor.MoveOperation.NextCharacter)
    return QRect(left.topLeft(), view.cursorRect(cursor).bottomLeft())


def ink(image: QImage, rect: QRect) -> QRect:
    """The smallest rectangle that has all that stands out from the pixel in the upper left corner."""
    ground = image.pixelColor(0, 0).lightness()
    points = [
        (x, y)
        for x in range(rect.left(), rect.right() + 1)
        for y in range(rect.top(), rect.bottom() + 1)
        if abs(image.pixelColor(x, y).lightness() - ground) > 80
    ]
    xs, ys = [x for x, _ in points], [y for _, y in points]
    return QRect(QPoint(min(xs), min(ys)), QPoint(max(xs), max(ys)))


def test_all_of_it_is_copied_as_it_was_written(qtbot: QtBot) -> None:
    view = show(qtbot)
    view.selectAll()
    plain, markdown = copied(view)
    assert TEXT in markdown
    assert "Of $a_1$ and \\(b\\).\n\n- item $c$\n\n$$\nd\n= e\n$$" in plain
    assert "\ufffc" not in plain + markdown


def test_a_part_is_copied_with_the_source_of_each_formula_in_it(qtbot: QtBot) -> None:
    view = show(qtbot)
    first = picture_at(view, 0)
    select(view, first - 1, first + 1)
    assert copied(view) == (" $a_1$", " **$a_1$**")
    select(view, first, place_of(view, "and") + 3)
    assert copied(view) == ("$a_1$ and", "**$a_1$** and")
    select(view, picture_at(view, 3), picture_at(view, 3) + 1)
    assert copied(view)[0] == "$$\nd\n= e\n$$"


def test_the_source_is_found_and_the_formula_marked(qtbot: QtBot) -> None:
    view = show(qtbot, "Of $a_1 + a_2$ and a_3.")
    matches = find_matches(view.document(), "a_")
    assert [match.start for match in matches] == [picture_at(view, 0), place_of(view, "a_3")]
    assert matches[0].end - matches[0].start == len("\ufffc$a_1 + a_2$")
    assert [match.start for match in find_matches(view.document(), "and")] == [place_of(view, "and")]


def test_a_screen_reader_gets_the_source(qtbot: QtBot) -> None:
    view = show(qtbot)
    interface = QAccessible.queryAccessibleInterface(view)
    text = interface.textInterface()
    read = text.text(0, text.characterCount())
    for source in ("$a_1$", "\\(b\\)", "$c$", "$$ d = e $$", "$f$"):
        assert source in read


def test_the_tooltip_has_the_source(qtbot: QtBot) -> None:
    view = show(qtbot)
    assert formula_at(view, rect_of(view, 0).center()) == "$a_1$"
    assert formula_at(view, rect_of(view, 3).center()) == "$$\nd\n= e\n$$"
    outside = rect_of(view, 0).center()
    assert formula_at(view, outside - QPoint(60, 0)) == ""
    assert formula_tip("$$\na < b\n$$") == "$$<br>a &lt; b<br>$$"
    assert formula_tip("line\n" * 100).count("<br>") == 20


@pytest.mark.parametrize("theme", [LIGHT, DARK], ids=lambda theme: theme.name)
def test_a_formula_stands_on_the_line_in_the_colour_of_the_text(qtbot: QtBot, theme: Theme) -> None:
    view = show(qtbot, "H $h$ H")
    view.set_theme(theme)
    image = view.viewport().grab().toImage()
    painted = ink(image, rect_of(view, 0))
    assert (painted.width(), painted.height()) == pytest.approx((30, 22.5), abs=1)
    assert image.pixelColor(painted.center()).name() == theme.text
    letter = ink(image, rect_of(view, 0).translated(-16, 0).intersected(QRect(0, 0, painted.left() - 1, 600)))
    assert letter.bottom() == pytest.approx(painted.bottom() - 7.5, abs=1)  # a third of the box stands below the line


def test_a_selected_formula_is_painted_in_the_colours_of_what_is_selected(qtbot: QtBot) -> None:
    view = show(qtbot, "H $h$ H")
    view.selectAll()
    view.setFocus()
    image = view.viewport().grab().toImage()
    place = rect_of(view, 0)
    assert image.pixelColor(place.center()).name() == LIGHT.selection_text
    rows, columns = range(place.top() + 2, place.bottom()), range(place.right() + 1, place.right() + 3)
    beside = {image.pixelColor(x, y).name() for x in columns for y in rows}
    assert beside == {LIGHT.selection}  # nothing is seen of the source that stands there


def test_a_formula_has_the_size_of_the_text_around_it(qtbot: QtBot) -> None:
    view = show(qtbot, "# $h$\n\n$a$")
    widths = [rect_of(view, 0).width(), rect_of(view, 1).width()]
    assert widths[0] > 1.3 * widths[1]
    view.set_zoom(200)
    assert [rect_of(view, 0).width(), rect_of(view, 1).width()] == pytest.approx([2 * w for w in widths], abs=4)


def test_a_long_formula_is_made_to_fit_and_grows_again(qtbot: QtBot) -> None:
    view = show_view(qtbot)
    view.formulas.set_source(BoxSource())
    wide = FormulaShapes(BOX.svg.replace("32", "960"), 0, 60, 1, 0.5)
    view.formulas.painter.shapes.put(Formula("x", display=True), wide, 1)
    view.set_messages([answer(2, "$$x$$")])
    widths = []
    for width in (700, 600, 2000):
        view.resize(width, 600)
        image = view.viewport().grab().toImage()
        below = top_of(view, "$$x$$")
        widths.append(ink(image, QRect(0, int(below), image.width(), 40)).width())
        assert widths[-1] == pytest.approx(min(view.viewport().width() - 56, 780), abs=4)
    assert widths[0] > widths[1]


def test_one_that_is_far_too_long_is_shown_as_written(qtbot: QtBot) -> None:
    view = show_view(qtbot)
    view.formulas.set_source(BoxSource())
    view.formulas.painter.shapes.put(Formula("x", display=True), FormulaShapes(BOX.svg, 0, 190, 1, 0.5), 1)
    view.set_messages([answer(2, "$$x$$ $y$")])
    settle(qtbot, view)
    assert drawn_sources(view) == ["$y$"]


def test_shapes_that_were_dropped_are_asked_for_when_they_are_seen(qtbot: QtBot) -> None:
    view = show_view(qtbot)
    source = BoxSource()
    view.formulas.set_source(source)
    view.set_messages([answer(2, "$x$")])
    settle(qtbot, view)
    view.formulas.painter.shapes.put(Formula("y", display=False), BOX, 16_000_000)
    view.viewport().repaint()
    settle(qtbot, view)
    assert source.asked == [Formula("x", display=False)] * 2
    view.viewport().repaint()
    settle(qtbot, view)
    assert len(source.asked) == 2


def test_pictures_are_as_sharp_as_the_screen(qtbot: QtBot) -> None:
    once, twice = (draw_shapes(BOX, em=em, colour="#ffffff") for em in (16, 32))
    assert ink(once, once.rect()).size() == QSize(32, 24)
    assert ink(twice, twice.rect()).size() == QSize(64, 48)


def test_a_screen_of_twice_the_density_gets_pictures_of_twice_the_size(qtbot: QtBot) -> None:
    view = show(qtbot, "$x$")
    image = QImage(view.viewport().size() * 2, QImage.Format.Format_RGB32)
    image.setDevicePixelRatio(2)
    view.viewport().render(image)
    box = rect_of(view, 0)
    row = [image.pixelColor(x, 2 * box.center().y()).name() for x in range(2 * box.left() - 20, 2 * box.right() + 20)]
    assert set(row) == {LIGHT.base, LIGHT.text}  # sharp edges, nothing between
    assert row.count(LIGHT.text) == 60


def test_a_huge_formula_makes_no_huge_picture() -> None:
    huge = FormulaShapes(BOX.svg, 0, 40, 40, 1)
    assert sharp_em(huge, 15) == 15
    em = sharp_em(huge, 200)
    assert 3_000_000 < draw_shapes(huge, em=em, colour="#000000").sizeInBytes() / 4 < 5_000_000


def test_nothing_is_loaded_for_a_formula_or_for_anything_else(qtbot: QtBot) -> None:
    """Qt asks for what HTML names: it gets a picture of one empty pixel, or no text."""
    view = show(qtbot)
    for address in ("x-llamachat-math:1", "file:///etc/passwd", "https://a.example/a.png", "x.png", "qrc:/x"):
        for kind in QTextDocument.ResourceType:
            given = view.document().resource(kind.value, QUrl(address))
            assert given.size() == QSize(1, 1) if isinstance(given, QImage) else not given
