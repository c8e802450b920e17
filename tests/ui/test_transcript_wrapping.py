"""Words without an end break where the line does: nothing is cut off, nothing stands beyond the edge."""

from __future__ import annotations

import pytest
from pytestqt.qtbot import QtBot

from llamachat.core.messages import Status
from llamachat.core.search_record import SearchRecord, SearchResult
from llamachat.ui.transcript.view import TranscriptView
from tests.ui.transcript_pages import answer, blocks_of, follow, question, show_view

ADDRESS = "https://x.example/" + "p" * 582
PATH = "/home/somebody/" + "folder_without_blanks/" * 20
CONSTRUCTS = (
    "{0}\n\n- {0}\n  1. {0}\n\n- [x] {0}\n\n# {0}\n\n| a | {0} |\n|---|---|\n| {0} | b |\n\n> > {0}\n\n`{0}`\n"
)


def lines_beyond(view: TranscriptView) -> list[str]:
    """The beginnings of the blocks of which a line is wider than its room or reaches beyond the view."""
    edge = view.document().textWidth() - view.document().rootFrame().frameFormat().rightMargin() + 1
    layout = view.document().documentLayout()
    found = []
    for block in blocks_of(view.document()):
        left = layout.blockBoundingRect(block).left()
        lines = [block.layout().lineAt(number) for number in range(block.layout().lineCount())]
        rights = [left + line.x() + line.naturalTextWidth() for line in lines]
        wide = any(line.naturalTextWidth() > line.width() + 1 for line in lines)
        if wide or max(rights, default=0.0) > edge:
            found.append(block.text()[:20])
    return found


@pytest.mark.parametrize("width", [360, 700])
@pytest.mark.parametrize("word", ["W" * 400, "i" * 400, ADDRESS, PATH, "字" * 400], ids=lambda word: word[:8])
def test_every_line_stays_within_the_page(qtbot: QtBot, width: int, word: str) -> None:
    view = show_view(qtbot)
    view.resize(width, 600)
    record = SearchRecord(word, (SearchResult(word, ADDRESS, word),), note=word, asked=f"{word}?", provider=word)
    text = CONSTRUCTS.format(word)
    view.set_messages(
        [
            question(1, word),
            answer(2, text, reasoning=word, searches=(record, SearchRecord(word, error=word))),
            answer(4, status=Status.FAILED, error=word),
        ]
    )
    for fold in ("▸ searched", "▸ search failed", "▸ thinking"):
        follow(view, fold)
    assert lines_beyond(view) == []
    assert view.horizontalScrollBar().maximum() == 0
    shown = view.document().toPlainText().replace("\u200b", "")
    assert shown.count(word) >= 14
