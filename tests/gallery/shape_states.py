"""Chats that were given another shape: versions, an edited answer, a fork, other models, what was deleted."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import AbstractContextManager

from PySide6.QtWidgets import QMenu, QMessageBox, QWidget

from llamachat.edited_answer import edit_answer
from llamachat.storage.conversations import list_conversations
from llamachat.storage.database import Database
from llamachat.storage.deletions import delete_chats
from llamachat.storage.forks import fork_chat
from llamachat.storage.messages import load_branch
from llamachat.storage.tags import delete_tag, tag_chats
from llamachat.storage.versions import delete_message
from llamachat.ui.edit_dialog import EditDialog
from llamachat.ui.transcript.message_acts import Act
from tests.end2end.stage import Stage
from tests.fakes.scripted_llama import ScriptedLlama, says
from tests.storage.stories import add_chat

OpenWindow = Callable[[str, str], AbstractContextManager[Stage]]  # the model server, more settings
State = tuple[str, Stage, QWidget | None]

MODELS = (("Qwen3-8B-Q4_K_M", "loaded"), ("gemma-3-12b-it", "unloaded"), ("gpt-oss-20b", "failed"))
STORY = (
    "Why does bread dough have to rest?",
    "Gluten needs time to relax, and the yeast needs time to work.",
    "How long?",
    "One to two hours at room temperature; overnight in the fridge.",
)


def shape_states(open_window: OpenWindow) -> Iterator[State]:
    """The window in each state, by name, and what of it is to be shown."""
    with ScriptedLlama(says("x"), models=MODELS) as llama, open_window(llama.base_url, "") as shown:
        shown.until(lambda: shown.window.page.header.model.offers("gemma-3-12b-it"))
        yield from _branches(shown)
        yield from _dialogs(shown)
        yield from _deleted(shown)


def _branches(shown: Stage) -> Iterator[State]:
    """Versions of an answer, one of them edited, in a fork; and a question without an answer."""
    with shown.app.database() as db:
        chat, messages = add_chat(db, *STORY, title="Bread dough")
        fork = fork_chat(db, messages[3].id)
        edited = edit_answer(db, load_branch(db, fork.id)[3].id, "Two hours, or a night in the fridge.")
        asked = fork_chat(db, messages[2].id)
    _open(shown, fork.id, edited.content)
    shown.window.page.view.step_message(-1)
    yield "shape-versions", shown, None
    shown.window.page.view.act(Act.MODELS)
    yield "shape-models", shown, next(menu for menu in shown.window.page.findChildren(QMenu) if menu.isVisible())
    shown.window.page.findChildren(QMenu)[0].close()
    _open(shown, asked.id, STORY[2])
    yield "shape-unanswered", shown, None
    _open(shown, chat.id, STORY[3])


def _dialogs(shown: Stage) -> Iterator[State]:
    view = shown.window.page.view
    for act in (Act.EDIT, Act.REWRITE):
        view.act(act)
        shown.until(lambda: shown.window.findChildren(EditDialog))
        (dialog,) = shown.window.findChildren(EditDialog)
        yield f"shape-{act.value}", shown, dialog
        dialog.field.setPlainText("Another text")
        dialog.reject()
        (box,) = dialog.findChildren(QMessageBox)
        yield f"shape-{act.value}-dropped", shown, box
        box.close()
        dialog.accept()
        shown.until(lambda: not shown.window.findChildren(EditDialog))


def _deleted(shown: Stage) -> Iterator[State]:
    with shown.app.database() as db:
        _delete_some(db)
    shown.window.actions_by_id["deleted"].trigger()
    dialog = shown.window.shape.deletions.dialog
    assert dialog
    shown.until(dialog.model.rowCount)
    yield "deleted", shown, dialog
    dialog.purge.click()
    (box,) = dialog.findChildren(QMessageBox)
    yield "deleted-for-good", shown, box
    box.close()
    dialog.close()
    shown.until(lambda: shown.window.shape.deletions.dialog is None)
    shown.window.actions_by_id["undo-delete"].trigger()
    shown.until(lambda: shown.window.notices.text("toast"))
    yield "deleted-undone", shown, None


def _delete_some(db: Database) -> None:
    chats = [chat for chat in list_conversations(db) if "Bread dough" not in chat.title]
    tag_chats(db, [chat.id for chat in chats[:3]], "Kitchen")
    delete_tag(db, "Kitchen")
    delete_message(db, load_branch(db, chats[0].id)[-1].id)
    delete_message(db, load_branch(db, chats[1].id)[0].id)
    delete_chats(db, [chat.id for chat in chats[2:5]])


def _open(shown: Stage, conversation_id: int, text: str) -> None:
    shown.window.chat.open(conversation_id)
    shown.until(lambda: text in shown.window.page.view.toPlainText())
