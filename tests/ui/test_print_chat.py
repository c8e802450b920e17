"""Chats as PDF: all text in the light of paper, on pages that cut no line, and no half of a file."""

from __future__ import annotations

import re
import resource
import threading
from pathlib import Path

import pytest
from PySide6.QtCore import QTimer
from PySide6.QtGui import QPdfWriter
from PySide6.QtPrintSupport import QPrinter
from PySide6.QtWidgets import QApplication
from pytestqt.qtbot import QtBot

from llamachat.core.errors import Cancelled, UserFacingError
from llamachat.core.formula import Formula, FormulaShapes
from llamachat.render.links import Anchor, AnchorKind
from llamachat.ui.print_chat import print_messages, printed_messages, write_pdf
from llamachat.ui.theme import DARK, qt_palette
from tests.gallery.turns import FOUND, THOUGHT, answer, question
from tests.ui.printed import every_construct, job, page_pictures, page_texts


def test_all_that_was_said_stands_on_numbered_pages(qapp: QApplication, tmp_path: Path) -> None:
    path = tmp_path / "chat.pdf"
    lines = "\n\n".join(f"Sentence number {number} of them." for number in range(200))
    pages = write_pdf(path, job([question("How many?"), answer(lines)]))
    texts = page_texts(path)
    assert len(texts) == pages
    assert 4 <= pages <= 9  # two hundred paragraphs
    joined = ["".join(text.split()) for text in texts]  # narrow text is read letter by letter
    found = [int(number) for text in joined for number in re.findall(r"number(\d+)ofthem", text)]
    assert found == list(range(200))
    assert joined[0].startswith("TidesYouHowmany?")
    assert all(text.endswith(f"Tides{number}") for number, text in enumerate(joined, 1))


def test_what_only_works_in_a_window_is_left_out(qapp: QApplication, tmp_path: Path) -> None:
    message = answer("```python\nx = 1\n```", searches=(FOUND,), reasoning=THOUGHT, error="It broke.")
    write_pdf(tmp_path / "chat.pdf", job([question(), message]))
    (text,) = page_texts(tmp_path / "chat.pdf")
    for word in ("Copy", "Save as", "Retry", "Continue"):
        assert word not in text
    for word in (
        "You",
        "python",
        "x = 1",
        "It broke.",
        "Sources (SearXNG)",
        "searched: mean tidal range",
        "thinking (",
    ):
        assert word in text


def test_folds_are_as_in_the_window(qapp: QApplication, tmp_path: Path) -> None:
    message = answer("Twice a day.", searches=(FOUND,), reasoning=THOUGHT)
    folded, opened = tmp_path / "folded.pdf", tmp_path / "opened.pdf"
    write_pdf(folded, job([message]))
    write_pdf(opened, job([message], Anchor(AnchorKind.REASONING, message.id), Anchor(AnchorKind.SEARCH, message.id)))
    for word in ("the two bulges", "Most coasts have two high waters"):
        assert word not in " ".join(page_texts(folded))
        assert word in " ".join(" ".join(page_texts(opened)).split())


def test_links_stay_and_those_of_the_program_do_not(qapp: QApplication, tmp_path: Path) -> None:
    message = answer("See [here](https://tides.example/a?b=c) or <javascript:alert(1)>.", searches=(FOUND,))
    write_pdf(tmp_path / "chat.pdf", job([message]))
    data = (tmp_path / "chat.pdf").read_bytes()
    assert b"(https://tides.example/a?b=c)" in data
    assert b"(https://tables.example/)" in data
    assert b"x-llamachat" not in data
    assert b"(javascript" not in data


def test_letters_come_along(qapp: QApplication, tmp_path: Path) -> None:
    write_pdf(tmp_path / "chat.pdf", job([answer("**bold** and `code`")]))
    data = (tmp_path / "chat.pdf").read_bytes()
    assert data.count(b"/FontFile") >= 3
    assert data.count(b"/Type /FontDescriptor") == len(re.findall(rb"/FontFile\d? ", data))


def test_a_dark_window_prints_on_white_paper(qapp: QApplication, tmp_path: Path) -> None:
    messages = every_construct()[:8]
    write_pdf(tmp_path / "light.pdf", job(messages))
    qapp.setPalette(qt_palette(DARK))
    write_pdf(tmp_path / "dark.pdf", job(messages))
    light, dark = (page_pictures(tmp_path / name) for name in ("light.pdf", "dark.pdf"))
    assert len(light) == len(dark) > 1
    assert all((one == other).all() for one, other in zip(light, dark, strict=True))
    assert min(picture.mean() for picture in light) > 200  # of 255: paper is white


def test_a_formula_is_drawn_where_it_can_be(qapp: QApplication, tmp_path: Path) -> None:
    asked = list[Formula]()

    def draw(formula: Formula) -> FormulaShapes | None:
        asked.append(formula)
        box = '<path d="M0 0 L16 0 L16 -10 Z" fill="ink"/>'
        return FormulaShapes(box, 0.0, 1.0, 0.7, 0.2) if formula.tex == "x" else None

    write_pdf(tmp_path / "chat.pdf", job([answer("So $x$ and $x$ and $y$.")]), draw_formula=draw)
    assert [formula.tex for formula in asked] == ["y", "x"]
    (text,) = page_texts(tmp_path / "chat.pdf")
    assert "$y$" in text


def test_who_stops_and_a_place_that_cannot_be_written_leave_no_half(qapp: QApplication, tmp_path: Path) -> None:
    def stop(done: int) -> None:
        if done == 3:
            raise Cancelled

    with pytest.raises(Cancelled):
        write_pdf(tmp_path / "chat.pdf", job(every_construct()), step=stop)
    with pytest.raises(UserFacingError, match="cannot be written"):
        write_pdf(tmp_path / "none" / "chat.pdf", job([question()]))
    before = resource.getrlimit(resource.RLIMIT_FSIZE)
    resource.setrlimit(resource.RLIMIT_FSIZE, (5000, before[1]))
    try:
        with pytest.raises(UserFacingError, match="cannot be written") as refused:
            write_pdf(tmp_path / "chat.pdf", job([question()]))
    finally:
        resource.setrlimit(resource.RLIMIT_FSIZE, before)
    assert "Make some room" in refused.value.next_step
    assert list(tmp_path.iterdir()) == []


def test_it_is_printed_in_another_thread_while_the_window_lives(qtbot: QtBot, tmp_path: Path) -> None:
    pages, beats = list[int](), list[bool]()
    made = job(every_construct())
    work = threading.Thread(target=lambda: pages.append(write_pdf(tmp_path / "chat.pdf", made)))
    timer = QTimer()
    timer.timeout.connect(lambda: beats.append(work.is_alive()))
    timer.start(0)
    work.start()
    qtbot.waitUntil(lambda: not work.is_alive(), timeout=60_000)
    timer.stop()
    assert beats.count(True) > len(made.messages)
    assert len(page_texts(tmp_path / "chat.pdf")) == pages[0]


def test_a_printer_gets_the_same_pages(qapp: QApplication, tmp_path: Path) -> None:
    printer = QPrinter()
    printer.setOutputFormat(QPrinter.OutputFormat.PdfFormat)
    printer.setOutputFileName(str(tmp_path / "printed.pdf"))
    made = job([question(), answer("Twice a day.")])
    pages = print_messages(printer, made, printed_messages(made))
    assert len(page_texts(tmp_path / "printed.pdf")) == pages == 1
    assert "Twice a day." in page_texts(tmp_path / "printed.pdf")[0]


@pytest.mark.parametrize(("wanted", "numbers"), [((2, 3), ["2", "3"]), ((1, 1), ["1"]), ((4, 9), ["4", "5"])])
def test_some_of_the_pages(qapp: QApplication, tmp_path: Path, wanted: tuple[int, int], numbers: list[str]) -> None:
    writer = QPdfWriter(str(tmp_path / "some.pdf"))
    made = job([answer("\n\n".join(["A paragraph."] * 150))])
    assert print_messages(writer, made, printed_messages(made), pages=wanted) == 5
    assert ["".join(text.split())[-1] for text in page_texts(tmp_path / "some.pdf")] == numbers


@pytest.mark.qt_log_ignore("Returned false")  # Qt says so as well
def test_a_printer_that_takes_nothing_is_told_of(qapp: QApplication, tmp_path: Path) -> None:
    printer = QPrinter()
    printer.setOutputFormat(QPrinter.OutputFormat.PdfFormat)
    printer.setOutputFileName(str(tmp_path / "none" / "printed.pdf"))
    with pytest.raises(UserFacingError, match="takes nothing"):
        print_messages(printer, job([question()]), [])
