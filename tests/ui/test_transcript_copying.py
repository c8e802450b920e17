"""Copying: the exact Markdown of whole messages and blocks, plain text beside it, nothing of Qt's own."""

from __future__ import annotations

import pytest
from PySide6.QtCore import QMimeData
from PySide6.QtGui import QGuiApplication, QTextCursor
from pytestqt.qtbot import QtBot

from llamachat.core.events import Event, Kind
from llamachat.core.messages import Status
from llamachat.ui.transcript.pointer import MARKDOWN_TYPE
from llamachat.ui.transcript.view import TranscriptView
from tests.ui.transcript_pages import RECORD, answer, follow, place_of, question, select, show_view

REPLY = 'para one\n\n- a\n  - b\n\n```py\ndef f():\n\treturn "x\u00a0y"\n\n\n```\nend'
RICH = """## Head

Some **bold**, *soft*, ~~gone~~, `code` and [link](https://e.example/).

1. eins
2. two

> quoted

| a | b |
|---|---|
| 1 | 2 |

last"""


def copied(view: TranscriptView) -> QMimeData:
    view.copy()
    data = QGuiApplication.clipboard().mimeData()
    for text in (data.text(), markdown(data)):
        assert not set(text) & set("\u2028\u2029\ufffc\u200b\ufdd0\ufdd1")
    return data


def markdown(data: QMimeData) -> str:
    return bytes(data.data(MARKDOWN_TYPE).data()).decode()


def show(qtbot: QtBot, text: str) -> TranscriptView:
    view = show_view(qtbot)
    view.set_messages([question(1, "Ask"), answer(2, text, searches=(RECORD,), reasoning="thought")])
    return view


def between(view: TranscriptView, first: str, last: str) -> None:
    select(view, place_of(view, first), place_of(view, last) + len(last))


@pytest.mark.parametrize("picture", ["\U0001f600", "\U0001f469\u200d\U0001f467"])
def test_letters_beyond_the_first_plane_shift_nothing(qtbot: QtBot, picture: str) -> None:
    view = show(qtbot, f"{picture} one **{picture} two** {picture} three")
    between(view, "two", "thr")
    data = copied(view)
    assert data.text() == f"two {picture} thr"
    assert markdown(data) == f"**two** {picture} thr"


@pytest.mark.parametrize(
    "text", [REPLY, RICH, "```\ncode\n```", "- one", "| a |\n|---|\n| b |", "***", "one\r\n\r\n\r\ntwo  \nthree"]
)
def test_copying_a_message_gives_its_source(qtbot: QtBot, text: str) -> None:
    view = show(qtbot, text)
    cursor = view.document().find("Copy", view.document().characterCount(), view.document().FindFlag.FindBackward)
    assert cursor.charFormat().anchorHref() == "x-llamachat-copy:2"
    view.anchorClicked.emit(cursor.charFormat().anchorHref())
    data = QGuiApplication.clipboard().mimeData()
    assert (data.text(), markdown(data)) == (text, text)


@pytest.mark.parametrize("text", [REPLY, RICH])
def test_selecting_a_whole_answer_gives_its_source(qtbot: QtBot, text: str) -> None:
    view = show(qtbot, text)
    between(view, text.split("\n", maxsplit=1)[0].removeprefix("## "), text.rsplit("\n", maxsplit=1)[-1])
    assert markdown(copied(view)) == text


def test_plain_text_has_no_marks(qtbot: QtBot) -> None:
    view = show(qtbot, REPLY)
    between(view, "para", "end")
    assert copied(view).text() == 'para one\n\n- a\n  - b\n\ndef f():\n\treturn "x\u00a0y"\n\n\n\nend'
    view = show(qtbot, RICH)
    between(view, "Head", "last")
    text = "Head\n\nSome bold, soft, gone, code and link.\n\n1. eins\n2. two\n\nquoted\n\na\tb\n1\t2\n\nlast"
    assert copied(view).text() == text


def test_selecting_all_tells_who_speaks(qtbot: QtBot) -> None:
    view = show(qtbot, "**Yes**\n\n- no")
    view.selectAll()
    data = copied(view)
    assert markdown(data) == "**You:**\n\nAsk\n\n**model:**\n\n**Yes**\n\n- no"
    assert data.text().startswith("You:\n\nAsk\n\nmodel:\n\nYes\n\n- no\n\nSources (SearXNG):")


def test_a_part_of_code_is_the_code(qtbot: QtBot) -> None:
    view = show(qtbot, REPLY)
    between(view, "def f", 'y"')
    data = copied(view)
    assert (data.text(), markdown(data)) == ('def f():\n\treturn "x\u00a0y"',) * 2


def test_whole_blocks_among_a_part_are_exact(qtbot: QtBot) -> None:
    view = show(qtbot, "First **one**.\n\n1. one\n2. two\n\n\n```py\nx\n```\nAnd *then* more.")
    between(view, "First", "then")
    assert markdown(copied(view)) == "First **one**.\n\n1. one\n2. two\n\n\n```py\nx\n```\n\nAnd *then*"


def test_parts_of_blocks_keep_their_looks(qtbot: QtBot) -> None:
    view = show(qtbot, RICH)
    between(view, "bold", "link")
    assert markdown(copied(view)) == "**bold**, *soft*, ~~gone~~, `code` and [link](https://e.example/)"
    between(view, "ead", "bold")
    assert markdown(copied(view)) == "ead\n\nSome **bold**"
    between(view, "two", "quot")
    assert markdown(copied(view)) == "2. two\n\n> quot"
    between(view, "Some", "eins")
    assert markdown(copied(view)).endswith("[link](https://e.example/).\n\n1. eins")


def test_a_sentence_is_that_sentence(qtbot: QtBot) -> None:
    view = show(qtbot, "One sentence. Another one. A third.")
    between(view, "Another", "one.")
    data = copied(view)
    assert (data.text(), markdown(data)) == ("Another one.",) * 2


def test_what_stands_around_an_answer_can_be_copied(qtbot: QtBot) -> None:
    view = show(qtbot, "Text")
    follow(view, "▸ searched")
    between(view, "stable", "6.18")
    assert copied(view).text() == "stable: 6.18"
    between(view, "Kernel Archives", "www.kernel.org/")
    assert markdown(copied(view)) == "Kernel Archives\nhttps://www.kernel.org/"


def test_copying_works_while_the_answer_streams(qtbot: QtBot) -> None:
    view = show_view(qtbot)
    view.begin_answer(question(1), answer(2, status=Status.STREAMING))
    view.apply([Event(Kind.CONTENT, "# One\n\n**two** words\n\n```py\nx = 1\ny =")])
    between(view, "One", "two")
    assert markdown(copied(view)) == "# One\n\n**two**"
    between(view, "One", "y =")
    assert markdown(copied(view)) == "# One\n\n**two** words\n\n```py\nx = 1\ny ="
    view.apply([Event(Kind.CONTENT, " 2")])
    follow(view, "Copy")
    follow_code(view)
    assert QGuiApplication.clipboard().text() == "x = 1\ny = 2"


def follow_code(view: TranscriptView) -> None:
    cursor = view.document().find("py · Copy")
    cursor.setPosition(cursor.selectionEnd())
    assert cursor.charFormat().anchorHref() == "x-llamachat-code:2/4"
    view.anchorClicked.emit(cursor.charFormat().anchorHref())


def test_copy_of_code_is_exact(qtbot: QtBot) -> None:
    view = show(qtbot, REPLY)
    view.anchorClicked.emit("x-llamachat-code:2/5")
    assert QGuiApplication.clipboard().text() == 'def f():\n\treturn "x\u00a0y"\n\n'


def test_nothing_selected_copies_nothing(qtbot: QtBot) -> None:
    view = show(qtbot, "Text")
    QGuiApplication.clipboard().setText("before")
    view.setTextCursor(QTextCursor(view.document()))
    view.copy()
    assert QGuiApplication.clipboard().text() == "before"


TYPED = "  see `x*y`\n\n# not a head\n```py\n  a = 1\n\n```\n- old\n+ new"


def test_copying_what_a_person_typed_gives_it_back(qtbot: QtBot) -> None:
    view = show_view(qtbot)
    view.set_messages([question(1, TYPED), answer(2, "Text")])
    follow(view, "Copy")
    assert QGuiApplication.clipboard().text() == TYPED
    between(view, "  see", "+ new")
    assert markdown(copied(view)) == TYPED
    between(view, "# not", "+ n")
    assert markdown(copied(view)) == TYPED[TYPED.index("# not") : -2]
    between(view, "x*y", "not")
    assert markdown(copied(view)) == copied(view).text() == "x*y`\n\n# not"


def test_the_rows_of_a_long_table_are_copied_as_one(qtbot: QtBot) -> None:
    rows = "".join(f"| a{number} | b{number} |\n" for number in range(50))
    view = show(qtbot, f"| a | b |\n|---|---|\n{rows}")
    between(view, "a10", "b48")  # from one run to another, Qt selects the whole of both
    assert copied(view).text() == "\n".join(["a\tb", *(f"a{number}\tb{number}" for number in range(50))])


def test_the_numbers_of_a_long_list_are_copied(qtbot: QtBot) -> None:
    view = show(qtbot, "".join(f"1. item {number}.\n" for number in range(1, 101)))
    between(view, "item 60.", "item 100.")
    assert copied(view).text().splitlines()[1:] == [f"{number}. item {number}." for number in range(61, 101)]
