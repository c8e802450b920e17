"""The actions of the window that concern what is read: find, the size of the text, messages and their acts."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from functools import partial

from llamachat.ui.transcript.message_acts import WINDOW_ACTS
from llamachat.ui.transcript.view import TranscriptView


def view_handlers(view: TranscriptView) -> Mapping[str, Callable[[], object]]:
    """What does the actions that are declared under these ids."""
    return {
        "find": view.find_bar.open,
        "larger": lambda: view.zoom_by(1),
        "smaller": lambda: view.zoom_by(-1),
        "normal": lambda: view.zoom_by(0),
        "above": lambda: view.step_message(-1),
        "below": lambda: view.step_message(1),
        **{act.value: partial(view.act, act) for act in WINDOW_ACTS},
    }
