"""Taking chats along from the window: to files, to the clipboard, onto paper."""

from __future__ import annotations

import gc
import json
from collections.abc import Iterator
from pathlib import Path

import pytest
from PySide6.QtGui import QGuiApplication
from PySide6.QtPrintSupport import QPrintDialog, QPrinter, QPrintPreviewDialog, QPrintPreviewWidget
from PySide6.QtWidgets import QToolTip
from shiboken6 import isValid

from llamachat.config.paths import Paths
from llamachat.storage.conversations import create_conversation
from llamachat.storage.database import Database
from llamachat.ui.export_dialog import ExportDialog
from llamachat.ui.print_control import WorkDialog
from tests.end2end.answered_places import AnsweredPlaces
from tests.end2end.stage import NOWHERE, Stage, stage
from tests.storage.stories import add_chat
from tests.ui.printed import page_texts


def three_chats(paths: Paths) -> None:
    with Database.open(paths.database) as db:
        for title, count in (("Bees", 60), ("Wasps", 60), ("Ants", 20)):
            add_chat(db, f"{title}?", *(f"Insect {number}." for number in range(count)), title=title)


@pytest.fixture
def shown(tmp_path: Path) -> Iterator[Stage]:
    """A window with three chats, of which the first is open."""
    config = f'base_url = "{NOWHERE}"\n'
    with stage(tmp_path / "profile", config, before=three_chats) as shown:
        shown.window.chat.open(1)
        shown.until(lambda: shown.window.chat.conversation_id == 1)
        yield shown


def places(shown: Stage, place: Path | None) -> AnsweredPlaces:
    """Answer with this place from now on."""
    answered = AnsweredPlaces(place)
    shown.window.taking_along.set_places(answered)
    return answered


def export_dialog(shown: Stage, action: str) -> ExportDialog:
    """The dialog that an action opens."""
    shown.window.actions_by_id[action].trigger()
    exports = shown.window.taking_along.exports
    shown.until(lambda: exports.dialog is not None)
    assert exports.dialog
    return exports.dialog


def test_a_chat_is_exported_with_what_was_chosen_and_that_is_kept(shown: Stage, tmp_path: Path) -> None:
    answered = places(shown, tmp_path / "bees.md")
    dialog = export_dialog(shown, "export")
    assert (dialog.folder.isVisible(), dialog.sources.isChecked(), dialog.reasoning.isChecked()) == (
        False,
        True,
        False,
    )
    dialog.prompts.click()
    dialog.export.click()
    shown.until(lambda: shown.window.taking_along.exports.dialog is None)
    assert answered.suggested[0].name.endswith(" Bees 1.md")
    text = (tmp_path / "bees.md").read_text(encoding="utf-8")
    assert text.startswith("# Bees\n")
    assert text.count("Insect") == 60
    assert f"1 chat was exported. {tmp_path / 'bees.md'}" in shown.told()
    again = export_dialog(shown, "export")
    assert again.prompts.isChecked()
    again.json.click()
    assert not again.prompts.isEnabled()
    again.reject()


def test_another_export_takes_the_place_of_one_that_only_asks(shown: Stage) -> None:
    exports = shown.window.taking_along.exports
    first = export_dialog(shown, "export")
    shown.window.sidebar.export_requested.emit((1, 2))  # as the menu of the list does
    shown.until(lambda: exports.dialog is not None and exports.dialog is not first)
    assert exports.dialog
    assert (exports.dialog.isVisible(), exports.dialog.folder.isVisible()) == (True, True)
    exports.dialog.reject()


def test_all_chats_go_into_a_folder_and_old_files_stay(shown: Stage, tmp_path: Path) -> None:
    places(shown, tmp_path / "out")
    for _ in range(2):
        dialog = export_dialog(shown, "export-all")
        dialog.json.click()
        dialog.export.click()
        shown.until(lambda: shown.window.taking_along.exports.dialog is None)
    titles = [json.loads(path.read_text())["conversation"]["title"] for path in (tmp_path / "out").iterdir()]
    assert sorted(titles) == ["Ants", "Ants", "Bees", "Bees", "Wasps", "Wasps"]


def test_chosen_chats_go_into_one_file(shown: Stage, tmp_path: Path) -> None:
    answered = places(shown, tmp_path / "two.md")
    exports = shown.window.taking_along.exports
    exports.export_chats([3, 1, 3])
    shown.until(lambda: exports.dialog is not None)
    assert exports.dialog
    exports.dialog.one_file.click()
    exports.dialog.export.click()
    shown.until(lambda: exports.dialog is None)
    assert answered.suggested[0].name == "chats.md"
    lines = (tmp_path / "two.md").read_text(encoding="utf-8").splitlines()
    assert [line for line in lines if line.startswith("# ")] == ["# Ants", "# Bees"]


def test_one_chat_is_exported_as_pdf(shown: Stage, tmp_path: Path) -> None:
    answered = places(shown, tmp_path / "bees.pdf")
    dialog = export_dialog(shown, "export")
    dialog.pdf.click()
    assert not dialog.sources.isEnabled()
    dialog.export.click()
    shown.until(lambda: shown.window.taking_along.exports.dialog is None)
    assert answered.suggested[0].name.endswith(" Bees 1.pdf")
    text = "".join("".join(page_texts(tmp_path / "bees.pdf")).split())
    assert [text.count(f"Insect{number}.") for number in range(60)] == [1] * 60
    again = export_dialog(shown, "export")
    assert again.pdf.isChecked()
    again.reject()


def test_several_chats_become_a_folder_of_pdfs(shown: Stage, tmp_path: Path) -> None:
    with shown.app.database() as db:
        create_conversation(db, title="Nothing said")
    places(shown, tmp_path / "out")
    dialog = export_dialog(shown, "export-all")
    dialog.one_file.click()
    dialog.pdf.click()
    assert (dialog.folder.isChecked(), dialog.one_file.isEnabled()) == (True, False)
    dialog.export.click()
    shown.until(lambda: shown.window.taking_along.exports.dialog is None)
    files = sorted((tmp_path / "out").iterdir())
    assert [path.stem.split()[1] for path in files] == ["Ants", "Bees", "Wasps"]
    assert all(path.read_bytes().startswith(b"%PDF") for path in files)
    assert f"3 chats were exported. {tmp_path / 'out'}" in shown.told()


def test_a_stopped_export_of_pdfs_ends_with_whole_files(shown: Stage, tmp_path: Path) -> None:
    places(shown, tmp_path / "out")
    dialog = export_dialog(shown, "export-all")
    dialog.pdf.click()
    dialog.export.click()
    dialog.reject()
    shown.until(lambda: shown.window.taking_along.exports.dialog is None)
    files = list((tmp_path / "out").glob("*"))
    assert len(files) < 3
    assert all(page_texts(path) for path in files)


def test_an_export_that_is_stopped_ends_with_whole_files(shown: Stage, tmp_path: Path) -> None:
    with shown.app.database() as db:
        for number in range(300):
            add_chat(db, f"{number}?", title=f"Chat {number}")
    places(shown, tmp_path / "all.json")
    dialog = export_dialog(shown, "export-all")
    dialog.json.click()
    dialog.one_file.click()
    dialog.export.click()
    dialog.reject()
    shown.until(lambda: shown.window.taking_along.exports.dialog is None)
    assert [path.name for path in tmp_path.iterdir()] == ["profile"]


def test_a_place_that_cannot_be_written_is_said_in_the_dialog_which_stays(shown: Stage, tmp_path: Path) -> None:
    places(shown, tmp_path / "none" / "x.md")
    dialog = export_dialog(shown, "export")
    dialog.export.click()
    shown.until(dialog.error.isVisible)
    assert "cannot be written" in dialog.error.text()
    assert dialog.export.isEnabled()
    places(shown, None)  # the question is left without an answer
    dialog.export.click()
    assert dialog.isVisible()
    dialog.reject()


def test_a_chat_is_copied_as_markdown(shown: Stage) -> None:
    shown.window.actions_by_id["copy-chat"].trigger()
    shown.until(lambda: "The chat was copied as Markdown." in shown.told())
    assert QGuiApplication.clipboard().text().startswith("# Bees\n")
    assert QGuiApplication.clipboard().text().count("Insect") == 60
    assert not QToolTip.isVisible()  # it is told once


def test_the_whole_chat_is_saved_as_pdf_not_only_what_is_loaded(shown: Stage, tmp_path: Path) -> None:
    places(shown, tmp_path / "bees.pdf")
    assert "Insect 0." not in shown.window.page.view.toPlainText()
    shown.window.actions_by_id["pdf"].trigger()
    shown.until((tmp_path / "bees.pdf").exists)
    shown.until(lambda: shown.window.taking_along.prints.dialog is None)
    text = "".join("".join(page_texts(tmp_path / "bees.pdf")).split())
    assert [text.count(f"Insect{number}.") for number in range(60)] == [1] * 60
    assert any(line.endswith(f"written. {tmp_path / 'bees.pdf'}") for line in shown.told())


def test_a_pdf_that_is_stopped_leaves_no_file(shown: Stage, tmp_path: Path) -> None:
    places(shown, tmp_path / "bees.pdf")
    prints = shown.window.taking_along.prints
    shown.window.actions_by_id["pdf"].trigger()
    shown.until(lambda: prints.dialog is not None)
    assert isinstance(prints.dialog, WorkDialog)
    prints.dialog.reject()
    shown.until(lambda: prints.dialog is None)
    assert [path.name for path in tmp_path.iterdir()] == ["profile"]


def test_printing_shows_the_pages_first(shown: Stage) -> None:
    prints = shown.window.taking_along.prints
    shown.window.chat.open(3)
    shown.until(lambda: shown.window.chat.conversation_id == 3)
    shown.window.actions_by_id["print"].trigger()
    shown.until(lambda: isinstance(prints.dialog, QPrintPreviewDialog))
    assert isinstance(prints.dialog, QPrintPreviewDialog)
    (preview,) = prints.dialog.findChildren(QPrintPreviewWidget)
    shown.until(lambda: preview.pageCount() == 3)
    prints.dialog.reject()
    shown.until(lambda: prints.dialog is None)


def test_a_preview_ends_with_the_window_while_its_printer_is_there(shown: Stage) -> None:
    prints = shown.window.taking_along.prints
    shown.window.chat.open(3)
    shown.until(lambda: shown.window.chat.conversation_id == 3)
    shown.window.actions_by_id["print"].trigger()
    shown.until(lambda: isinstance(prints.dialog, QPrintPreviewDialog))
    dialog = prints.dialog
    assert dialog is not None
    gc.collect()
    (preview,) = dialog.findChildren(QPrintPreviewWidget)
    preview.updatePreview()  # the printer is still there
    shown.window.end()
    assert not isValid(dialog)


@pytest.mark.parametrize("stops", [False, True])
def test_a_long_chat_goes_to_the_printer(shown: Stage, tmp_path: Path, stops: bool) -> None:
    prints = shown.window.taking_along.prints
    shown.window.actions_by_id["print"].trigger()
    shown.until(lambda: isinstance(prints.dialog, QPrintDialog))
    dialog = prints.dialog
    assert isinstance(dialog, QPrintDialog)
    dialog.printer().setOutputFormat(QPrinter.OutputFormat.PdfFormat)
    dialog.printer().setOutputFileName(str(tmp_path / "printed.pdf"))
    dialog.accepted.emit(dialog.printer())
    work = prints.dialog
    assert isinstance(work, WorkDialog)
    if stops:
        work.reject()
    shown.until(lambda: any(told.startswith("Printing was stopped") == stops for told in shown.told()[:1]))
    shown.until(lambda: prints.dialog is None)
    if not stops:
        assert len(page_texts(tmp_path / "printed.pdf")) > 3
    dialog.close()
