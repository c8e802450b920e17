"""The hostile results and answers of tests/data/injection in the view itself, with every search opened."""

from __future__ import annotations

import re
from collections.abc import Iterator

import pytest
from PySide6.QtGui import QTextDocument, QTextFragment
from pytestqt.qtbot import QtBot

from llamachat.core.search_record import SearchRecord
from tests.integration.injection_corpus import Hostile, hostile, name_of, read_page, record_of
from tests.ui.transcript_pages import answer, blocks_of, follow, lines_of, question, show_view

OWN = re.compile(r"x-llamachat-(?:search:2/\d+|copy:[12])")


def fragments(document: QTextDocument) -> Iterator[QTextFragment]:
    """Every run of letters of one look."""
    for block in blocks_of(document):
        runs = block.begin()
        while not runs.atEnd():
            yield runs.fragment()
            runs += 1


def expect_links_to_the_web_alone(document: QTextDocument) -> None:
    """Fail where there is an image, or a link to anything but the web and the program's own places."""
    formats = [fragment.charFormat() for fragment in fragments(document)]
    assert [one for one in formats if one.isImageFormat()] == []
    links = {one.anchorHref() for one in formats if one.isAnchor() and one.anchorHref()}
    assert links
    assert [link for link in links if not (OWN.fullmatch(link) or re.match(r"https?://[^/]", link))] == []


def records() -> list[SearchRecord]:
    """What searches made of all results and pages."""
    found = [record_of(one.name) for one in hostile("results")] + [read_page(one.name) for one in hostile("pages")]
    return [
        SearchRecord(f"tides {number}", results=one.results, first_number=number)
        for number, one in enumerate(found, 1)
    ]


@pytest.mark.slow
@pytest.mark.claim("LC-038", "LC-039", "LC-033")
def test_opened_searches_show_text_and_link_to_the_web_alone(qtbot: QtBot) -> None:
    view = show_view(qtbot)
    searches = tuple(records())
    view.set_messages([question(1), answer(2, "Noon [1].", searches=searches)])
    for record in searches:
        follow(view, f"▸ searched: {record.query} ")
    shown = lines_of(view)
    for number, record in enumerate(searches, 1):
        assert f"[{number}] {' '.join(record.results[0].title.split())}" in shown
    expect_links_to_the_web_alone(view.document())


@pytest.mark.claim("LC-039")
@pytest.mark.parametrize("one", hostile("answers"), ids=name_of)
def test_answers_show_no_image_and_link_to_the_web_alone(qtbot: QtBot, one: Hostile) -> None:
    view = show_view(qtbot)
    view.set_messages([question(1), answer(2, one.text("answer"), searches=(record_of("plain"),))])
    expect_links_to_the_web_alone(view.document())
