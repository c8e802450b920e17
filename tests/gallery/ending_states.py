"""What is offered in the window where turns did not end well: bars, a summary for a new chat, answers of before."""

from __future__ import annotations

import threading
from collections.abc import Callable, Iterator
from contextlib import AbstractContextManager

from PySide6.QtWidgets import QWidget

from llamachat.core.messages import Role, Status, StoredMessage
from llamachat.storage.broken_off import mark_broken_off
from llamachat.storage.messages import add_message
from llamachat.ui.broken_off_control import BAR
from tests.end2end.stage import Stage
from tests.fakes.scripted_llama import ScriptedLlama, says
from tests.gallery.endings import ENDINGS
from tests.storage.stories import add_chat

OpenWindow = Callable[[str, str], AbstractContextManager[Stage]]  # the model server, more settings
State = tuple[str, Stage, QWidget | None]

SHOWN = ("thinking", "lost", "context-results")
QUESTION = "How are tides made?"
SUMMARY = (
    "The user wants to know how tides are made, for a talk to children. So far:\n\n- The moon pulls on the water; "
    "there are two bulges, so two high waters a day.\n- Neap tides come with the half moon.\n\nOpen: why the "
    "times shift by 50 minutes a day."
)


def ending_states(open_window: OpenWindow) -> Iterator[State]:
    """The window in each state, by name, and what of it is to be shown."""
    gate = threading.Event()
    with (
        ScriptedLlama([*says(SUMMARY[:120]), gate, *says(SUMMARY[120:])]) as llama,
        open_window(llama.base_url, "") as shown,
    ):
        for name in SHOWN:
            _show(shown, ENDINGS[name])
            yield f"ending-{name}", shown, None
        yield from _summary(shown, gate)
        yield from _broken_off(shown)


def _show(shown: Stage, ended: StoredMessage, *, status: Status | None = None) -> None:
    """A chat of two turns, the second of which ended so."""
    with shown.app.database() as db:
        chat, messages = add_chat(db, QUESTION, "By the moon, and a little by the sun.", "Why twice?", title=QUESTION)
        add_message(
            db,
            conversation_id=chat.id,
            parent_id=messages[-1].id,
            role=Role.ASSISTANT,
            content=ended.content,
            reasoning=ended.reasoning,
            status=status or ended.status,
            finish_reason=ended.finish_reason,
            error=ended.error,
            model=ended.model,
        )
    shown.window.chat.open(chat.id)
    shown.until(lambda: shown.window.chat.conversation_id == chat.id)


def _summary(shown: Stage, gate: threading.Event) -> Iterator[State]:
    """It is written, then it is whole."""
    _show(shown, ENDINGS["context"])
    shown.window.actions_by_id["help"].trigger()
    shown.until(lambda: shown.window.endings.dialog and shown.window.endings.dialog.summary.toPlainText())
    dialog = shown.window.endings.dialog
    assert dialog is not None
    yield "summary-writing", shown, dialog
    gate.set()
    shown.until(dialog.begin.isEnabled)
    yield "summary-written", shown, dialog
    dialog.reject()


def _broken_off(shown: Stage) -> Iterator[State]:
    """Two answers were half written when the program was killed."""
    for _ in range(2):
        _show(shown, ENDINGS["killed"], status=Status.STREAMING)
    with shown.app.database() as db:
        mark_broken_off(db)
    shown.window.chat.new_chat()
    shown.window.broken_off.look()
    shown.until(lambda: shown.window.notices.text(BAR))
    yield "broken-off", shown, None
