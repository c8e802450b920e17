"""What a growing answer costs: only its tail changes, however long the answer and the chat are."""

from __future__ import annotations

from pathlib import Path

import pytest
from pytestqt.qtbot import QtBot

from llamachat.core.events import Event, Kind
from llamachat.core.messages import Status
from llamachat.ui.transcript.view import TranscriptView
from tests.ui.transcript_pages import answer, long_chat, place_of, question, show_view

MIXED = (Path(__file__).parents[1] / "gallery" / "texts" / "mixed.md").read_text(encoding="utf-8")
FLUSH = 120  # characters: 10 a second at 300 tokens/s
LONGEST_BLOCK = 700  # a table or a list of the text as it is drawn, whole


class Changes:
    """The changes of a document: where each begins, how much it takes out and puts in."""

    def __init__(self, view: TranscriptView) -> None:
        self.seen: list[tuple[int, int, int]] = []
        view.document().contentsChange.connect(lambda *change: self.seen.append(change))

    def work(self) -> int:
        """All that was taken out and put in."""
        return sum(removed + added for _place, removed, added in self.seen)


def stream(view: TranscriptView, text: str) -> Changes:
    view.begin_answer(question(1001, "And now?"), answer(1002, status=Status.STREAMING))
    changes = Changes(view)
    for start in range(0, len(text), FLUSH):
        view.apply([Event(Kind.CONTENT, text[start : start + FLUSH])])
    return changes


def test_what_stands_above_the_answer_is_not_touched(qtbot: QtBot) -> None:
    view = show_view(qtbot)
    view.set_messages(long_chat(30))
    changes = stream(view, MIXED * 4)
    assert min(place for place, _removed, _added in changes.seen) > place_of(view, "And now?")


def test_finished_blocks_are_not_touched(qtbot: QtBot) -> None:
    view = show_view(qtbot)
    view.set_messages(())
    changes = stream(view, MIXED * 10)
    length = view.document().characterCount()
    assert length > 8000
    assert max(removed for _place, removed, _added in changes.seen) < LONGEST_BLOCK
    behind = changes.seen[-5:]
    assert all(place > length - 3 * LONGEST_BLOCK for place, _removed, _added in behind)


@pytest.mark.slow
def test_the_work_grows_as_the_text_does(qtbot: QtBot) -> None:
    work = []
    for times in (4, 16):
        view = show_view(qtbot)
        view.set_messages(long_chat(10))
        work.append(stream(view, MIXED * times).work())
    assert work[1] < 4.4 * work[0]  # sixteen would be the square
