"""Long stored answers are drawn bit by bit; in the end they are what drawing them at once gives."""

from __future__ import annotations

from itertools import pairwise

import pytest
from pytestqt.qtbot import QtBot

from llamachat.core.events import Event, Kind
from llamachat.core.messages import Status, StoredMessage
from llamachat.render.parse import MarkdownParser
from llamachat.render.typed import draw_typed
from llamachat.ui.theme import DARK, LIGHT
from llamachat.ui.transcript.amounts import drawn_later, slice_end, weigh
from llamachat.ui.transcript.place import is_at_end
from tests.ui.test_transcript_editor import make_editor
from tests.ui.test_transcript_stream import body_at_once
from tests.ui.transcript_pages import (
    answer,
    colours_of,
    describe,
    lines_of,
    long_chat,
    question,
    show_view,
    top_of,
    wait_until_drawn,
)

PART = "# Head\n\nSome *text* and [a].\n\n- one\n- two\n  1. deep\n\n```python\ndef f():\n    return 1\n```\n\n"
LONG = PART * 80 + "[a]: https://a.example/\n"
LINES = "".join(f"line {number} of many\n\n" for number in range(700))


@pytest.mark.parametrize(
    "text", [LONG, LINES, "- item\n" * 1000, "word\n" * 1000, "```\n" + "code\n" * 1000, "x" * 60_000]
)
def test_a_long_answer_is_drawn_bit_by_bit_to_the_same_end(qtbot: QtBot, text: str) -> None:
    view = show_view(qtbot)
    view.set_messages([question(1), answer(2, text)])
    wait_until_drawn(qtbot, view)
    assert is_at_end(view)
    first = next(number for number, block in enumerate(describe(view.document())) if "model" in str(block)) + 1
    body = describe(body_at_once(text))[1:-1]
    assert describe(view.document())[first : first + len(body)] == body


def test_code_in_a_long_answer_gets_its_colours(qtbot: QtBot) -> None:
    view = show_view(qtbot)
    view.set_messages([answer(2, LONG)])
    wait_until_drawn(qtbot, view)
    coloured = [spans for spans in colours_of(view) if spans]
    assert coloured == [[(0, 3, LIGHT.code_keyword), (4, 1, LIGHT.code_name)], *coloured[1:]]
    assert len(coloured) == 2 * 80


@pytest.mark.parametrize("end", ["\n", "\r"])
def test_a_long_question_is_drawn_bit_by_bit_to_the_same_end(qtbot: QtBot, end: str) -> None:
    text = ("see https://a.example/ *x*\n```python\nx = 1\n\n```\n" * 300 + "```\nlast").replace("\n", end)
    view = show_view(qtbot)
    view.begin_answer(question(1, text), answer(2, status=Status.STREAMING))
    wait_until_drawn(qtbot, view)
    editor = make_editor()
    editor.insert(1, "".join(piece.html for piece in draw_typed(MarkdownParser(), text, 1)))
    body = describe(editor.document)[1:-1]
    assert describe(view.document())[2 : 2 + len(body)] == body
    assert colours_of(view)[4] == [(4, 1, LIGHT.code_number)]
    assert sum(map(bool, colours_of(view))) == 300


def test_what_is_read_stays_while_more_comes_above_and_below(qtbot: QtBot) -> None:
    view = show_view(qtbot)
    view.set_messages([answer(2, LINES), question(3, "In between?"), *long_chat(20, first=4)])
    view.jump_to(3)
    place = top_of(view, "In between?")
    wait_until_drawn(qtbot, view)
    assert abs(top_of(view, "In between?") - place) <= 1
    assert "line 699 of many" in lines_of(view)


@pytest.mark.parametrize("below", [[], [question(3, "Short."), answer(4, LINES)]])
def test_who_jumps_to_a_long_answer_stays_at_its_beginning(qtbot: QtBot, below: list[StoredMessage]) -> None:
    view = show_view(qtbot)
    view.set_messages([question(1, "word\n" * 60), answer(2, "Begins.\n\n" + LINES), *below])
    view.jump_to(2)
    place = top_of(view, "Begins.")
    assert 0 < place < 100
    wait_until_drawn(qtbot, view)
    assert abs(top_of(view, "Begins.") - place) <= 1


def test_short_answers_are_drawn_at_once_and_the_last_ones_first(qtbot: QtBot) -> None:
    view = show_view(qtbot)
    view.set_messages([answer(2, LINES), answer(4, LINES), answer(6, "The end.")])
    assert "The end." in lines_of(view)
    assert lines_of(view).count("line 699 of many") < 2
    wait_until_drawn(qtbot, view)
    assert lines_of(view).count("line 699 of many") == 2


def test_other_changes_come_in_between(qtbot: QtBot) -> None:
    view = show_view(qtbot)
    view.set_messages([answer(2, LINES)])
    view.set_theme(DARK)
    view.prepend_messages([question(1, "Above?")], has_older=False)
    view.begin_answer(question(3), answer(4, status=Status.STREAMING))
    view.apply([Event(Kind.CONTENT, "Meanwhile.")])
    wait_until_drawn(qtbot, view)
    view.end_answer(answer(4, "Meanwhile."))
    lines = lines_of(view)
    assert lines.index("Above? ".strip()) < lines.index("line 0 of many") < lines.index("line 699 of many")
    assert lines.index("line 699 of many") < lines.index("Meanwhile.")
    assert lines.count("line 400 of many") == 1


def test_an_answer_that_goes_on_before_it_is_drawn_is_whole(qtbot: QtBot) -> None:
    view = show_view(qtbot)
    view.set_messages([answer(2, LINES, status=Status.INTERRUPTED)])
    view.begin_answer(None, answer(2, LINES, status=Status.STREAMING))
    view.apply([Event(Kind.CONTENT, "and the end")])
    wait_until_drawn(qtbot, view)
    view.end_answer(answer(2, LINES + "and the end"))
    numbers = [line for line in lines_of(view) if line.startswith("line ")]
    assert numbers == [f"line {number} of many" for number in range(700)]
    assert "and the end" in lines_of(view)


def test_an_answer_that_ends_before_it_is_drawn_is_whole(qtbot: QtBot) -> None:
    view = show_view(qtbot)
    view.set_messages([answer(2, LINES)])
    view.end_answer(answer(2, LINES))
    wait_until_drawn(qtbot, view)
    assert lines_of(view).count("line 699 of many") == 1


@pytest.mark.parametrize("text", [LONG, "- item\n" * 1000, "| a | b |\n|---|---|\n" + "| 1 | 2 |\n" * 1000])
def test_a_flood_is_drawn_bit_by_bit_to_the_same_end(qtbot: QtBot, text: str) -> None:
    view = show_view(qtbot)
    view.begin_answer(question(1), answer(2, status=Status.STREAMING))
    view.apply([Event(Kind.CONTENT, text)])
    at_first = view.document().blockCount()
    wait_until_drawn(qtbot, view)
    assert view.document().blockCount() > 2 * at_first
    view.apply([Event(Kind.CONTENT, text)])
    view.end_answer(answer(2, text + text))
    wait_until_drawn(qtbot, view)
    assert is_at_end(view)
    flooded = describe(view.document()), colours_of(view)
    view.set_messages([question(1), answer(2, text + text)])
    wait_until_drawn(qtbot, view)
    assert flooded == (describe(view.document()), colours_of(view))


def test_an_answer_that_differs_from_its_flood_is_shown_as_it_is_stored(qtbot: QtBot) -> None:
    view = show_view(qtbot)
    view.begin_answer(question(1), answer(2, status=Status.STREAMING))
    view.apply([Event(Kind.CONTENT, LINES)])
    view.end_answer(answer(2, "Something else."))
    wait_until_drawn(qtbot, view)
    assert "Something else." in lines_of(view)
    assert not any("of many" in line for line in lines_of(view))


def test_another_chat_ends_the_drawing(qtbot: QtBot) -> None:
    view = show_view(qtbot)
    view.set_messages([answer(2, LINES)])
    view.set_messages([question(1, "Other?")])
    wait_until_drawn(qtbot, view)
    assert not any("of many" in line for line in lines_of(view))


def test_the_last_messages_have_the_first_claim_to_be_drawn_at_once() -> None:
    long, middle, short = answer(2, "x" * 30_000), answer(2, "x" * 15_000), answer(2, "x" * 3000)
    assert drawn_later([long, short, middle, middle, short]) == [True, False, False, False, False]
    assert drawn_later([answer(2, "| a | b |\n" * 300)]) == [False]
    assert drawn_later([answer(2, "| a | b | c | d | e |\n" * 300)]) == [True]
    assert drawn_later([short] * 30) == [False] * 30
    assert drawn_later([question(1, "x" * 90_000), long]) == [True, False]


@pytest.mark.parametrize("text", [PART * 20, "x" * 9000, "\n" * 300, "", "ab\n" + "y" * 5000 + "\nz"])
def test_slices_are_bounded_and_make_up_the_text(text: str) -> None:
    ends = [0]
    while ends[-1] < len(text):
        ends.append(slice_end(text, ends[-1], least=0))
    slices = [text[start:end] for start, end in pairwise(ends)]
    assert "".join(slices) == text
    assert all(part and weigh(part) <= 2100 for part in slices)


def test_a_text_that_is_drawn_anew_at_each_slice_gets_larger_ones() -> None:
    assert slice_end("word\n" * 5000, 0, least=50_000) > 10 * slice_end("word\n" * 5000, 0, least=0)
