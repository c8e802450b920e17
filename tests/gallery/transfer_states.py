"""Chats out and in: the choice of an export, a look through a file, a refusal, what was imported, a printed page."""

from __future__ import annotations

import json
import zipfile
from collections.abc import Callable, Iterator
from contextlib import AbstractContextManager
from pathlib import Path
from tempfile import TemporaryDirectory

import pypdfium2
from PySide6.QtGui import QImage, QPixmap
from PySide6.QtWidgets import QLabel, QWidget

from llamachat.core.messages import JsonValue
from llamachat.storage.conversations import create_conversation
from llamachat.storage.messages import add_message
from llamachat.ui.print_control import WorkDialog
from tests.end2end.answered_places import AnsweredPlaces
from tests.end2end.stage import Stage
from tests.fakes.scripted_llama import ScriptedLlama, says
from tests.gallery.turns import FOUND, MIXED, answer, question

OpenWindow = Callable[[str, str], AbstractContextManager[Stage]]  # the model server, more settings
State = tuple[str, Stage, QWidget | None]

IMPORTS = Path(__file__).resolve().parent.parent / "data" / "imports"
TITLES = (
    "Honey from lime trees",
    "Why do wasps like jam?",
    "蜜蜂の一年",
    "A poem about the sea that rhymes only where it is stormy, for a card to a sailor",
    "Sort a table by two columns",
)


def transfer_states(open_window: OpenWindow) -> Iterator[State]:
    """The window in each state, by name."""
    with ScriptedLlama(says("x")) as llama, open_window(llama.base_url, "") as shown, TemporaryDirectory() as folder:
        yield from _exporting(shown)
        yield from _importing(shown, Path(folder))
        yield from _printing(shown, Path(folder))


def _exporting(shown: Stage) -> Iterator[State]:
    exports = shown.window.taking_along.exports
    shown.window.actions_by_id["export-all"].trigger()
    shown.until(lambda: exports.dialog)
    yield "export", shown, exports.dialog
    if exports.dialog:
        exports.dialog.show_running(running=False, error="/media/stick/chats cannot be written: no space left.")
        shown.rest(0.2)
        yield "export-failed", shown, exports.dialog
        exports.dialog.reject()


def _importing(shown: Stage, folder: Path) -> Iterator[State]:
    imports = shown.window.taking_along.imports
    shown.window.taking_along.set_places(AnsweredPlaces(_archive(folder)))
    shown.window.actions_by_id["import"].trigger()
    shown.until(lambda: imports.dialog and not imports.dialog.panel.running)
    dialog = imports.dialog
    yield "import-preview", shown, dialog
    if dialog:
        dialog.take.click()
        shown.until(lambda: imports.dialog is None)
    yield "imported", shown, None
    (folder / "holiday.png").write_bytes(b"\x89PNG\r\n\x1a\n")
    imports.look_through([folder / "holiday.png"])
    shown.until(lambda: imports.dialog and not imports.dialog.panel.running)
    yield "import-refused", shown, imports.dialog
    if imports.dialog:
        imports.dialog.reject()


def _archive(folder: Path) -> Path:
    """As ChatGPT's data export is: a real chat with much in it, some others, and files that do not come along."""
    chats: list[JsonValue] = json.loads((IMPORTS / "conversations.json").read_text(encoding="utf-8"))
    for number, title in enumerate(TITLES * 4):
        said: JsonValue = {
            "author": {"role": "user"},
            "content": {"parts": [title]},
            "create_time": 1.7e9 + number * 9e5,
        }
        mapping: JsonValue = {"a": {"parent": None, "message": said}}
        chats.append({"id": f"c{number}", "title": title, "current_node": "a", "mapping": mapping})
    path = folder / "chatgpt-export.zip"
    with zipfile.ZipFile(path, "w", zipfile.ZIP_DEFLATED) as archive:
        archive.writestr("conversations.json", json.dumps(chats))
        for name in ("chat.html", "file-QnR-jar.png", "message_feedback.json", "user.json"):
            archive.writestr(name, "{}")
    return path


def _printing(shown: Stage, folder: Path) -> Iterator[State]:
    with shown.app.database() as db:
        chat = create_conversation(db, title="How tides are made")
        asked = question()
        first = add_message(db, conversation_id=chat.id, parent_id=None, role=asked.role, content=asked.content)
        made = answer(MIXED, searches=(FOUND,))
        add_message(
            db,
            conversation_id=chat.id,
            parent_id=first.id,
            role=made.role,
            content=made.content,
            searches=made.searches,
            usage=made.usage,
            model=made.model,
        )
    shown.window.chat.open(chat.id)
    shown.until(lambda: shown.window.chat.conversation_id == chat.id)
    prints = shown.window.taking_along.prints
    shown.window.actions_by_id["print"].trigger()
    shown.until(lambda: prints.dialog and not isinstance(prints.dialog, WorkDialog))
    shown.rest(0.5)
    yield "print", shown, prints.dialog
    if prints.dialog:
        prints.dialog.reject()
    shown.until(lambda: prints.dialog is None)
    shown.window.taking_along.set_places(AnsweredPlaces(folder / "tides.pdf"))
    shown.window.actions_by_id["pdf"].trigger()
    shown.until((folder / "tides.pdf").exists)
    shown.until(lambda: prints.dialog is None)
    yield "pdf-page", shown, _first_page(folder / "tides.pdf")


def _first_page(path: Path) -> QLabel:
    document = pypdfium2.PdfDocument(path)
    bitmap = document[0].render(scale=1.6)
    image = QImage(
        bitmap.to_numpy().tobytes(), bitmap.width, bitmap.height, bitmap.stride, QImage.Format.Format_BGR888
    )
    document.close()
    label = QLabel()
    label.setPixmap(QPixmap.fromImage(image))
    label.resize(label.sizeHint())
    return label
