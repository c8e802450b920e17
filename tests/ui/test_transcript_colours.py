"""The colours that lie over code."""

from __future__ import annotations

import pytest
from pytestqt.qtbot import QtBot

from llamachat.render.code import GrowingColours
from llamachat.ui.theme import DARK, LIGHT
from llamachat.ui.transcript.code_colours import colour_slices
from tests.ui.transcript_pages import answer, blocks_of, colours_of, show_view

CODE = "```python\ndef f():\n    return 1  # note\n```\n"


def test_code_has_the_colours_of_the_theme(qtbot: QtBot) -> None:
    view = show_view(qtbot, theme=DARK)
    view.set_messages([answer(2, CODE)])
    assert (0, 3, DARK.code_keyword) in colours_of(view)[3]
    view.set_theme(LIGHT)
    assert (0, 3, LIGHT.code_keyword) in colours_of(view)[3]


def test_long_code_is_still_drawn_when_its_colours_come(qtbot: QtBot) -> None:
    view = show_view(qtbot)
    view.set_messages([answer(2, "```python\n" + "def f(): return 1\n" * 300 + "```\n")])
    coloured = colours_of(view)
    assert sum(map(bool, coloured)) == 300
    assert all(block.layout().lineCount() for block in blocks_of(view.document()))


@pytest.mark.parametrize("language", ["python", "html"])
def test_long_lines_are_coloured_a_few_at_a_time(language: str) -> None:
    lines = ["x = f(a, 'b') + 3 # " + "<b>" * 290] * 30
    slices = list(colour_slices(language, lines))
    assert len(slices) >= 15
    found = {number: spans for part in slices for number, spans in part}
    assert found == dict(GrowingColours(language).replace(0, lines))


def test_languages_that_want_all_of_the_code_get_it_once() -> None:
    assert len(list(colour_slices("json", ['{"a": 1}'] * 300))) == 1


def test_colours_are_where_they_belong_behind_an_emoji(qtbot: QtBot) -> None:
    view = show_view(qtbot)
    view.set_messages([answer(2, "```python\n'\U0001f600' # note\n```\n")])
    assert colours_of(view)[3] == [(0, 4, LIGHT.code_string), (5, 6, LIGHT.code_comment)]
