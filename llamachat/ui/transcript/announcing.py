"""What a screen reader is told of its own accord: that an answer begins, and how it ended. No more than that.

The text itself is read in the view; to have every piece of it spoken as it comes would only drown it.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence

from PySide6.QtCore import QObject
from PySide6.QtGui import QAccessible, QAccessibleAnnouncementEvent

from llamachat.core.messages import Role, StoredMessage
from llamachat.core.plain_text import cut_at_word
from llamachat.core.text import tr, trn
from llamachat.render.blocks import model_name
from llamachat.render.endings import ending_sentences

_BEGINNING_CHARS = 100
Announce = Callable[[QObject, str], None]


def announce_to_screen_reader(view: QObject, text: str) -> None:
    """Have a text spoken when what is being spoken has ended."""
    if QAccessible.isActive():
        QAccessible.updateAccessibility(QAccessibleAnnouncementEvent(view, text))


def begin_sentence(answer: StoredMessage) -> str:
    """That an answer is on its way, and whose."""
    return tr("{model} is answering.").format(model=model_name(answer.model))


def place_sentence(message: StoredMessage, versions: Sequence[int] = ()) -> str:
    """Which message the keyboard has come to: who speaks, which of its versions (their ids) it is, how it begins."""
    speaker = tr("You") if message.role is Role.USER else model_name(message.model)
    if message.id in versions:
        number, count = versions.index(message.id) + 1, len(versions)
        speaker = tr("{speaker}, version {number} of {count}").format(speaker=speaker, number=number, count=count)
    return f"{speaker}: {cut_at_word(' '.join(message.content[: 2 * _BEGINNING_CHARS].split()), _BEGINNING_CHARS)}"


def end_sentence(answer: StoredMessage) -> str:
    """How the answer ended and how long it is."""
    words = len(answer.content.split())
    length = trn("{count} word", "{count} words", words)
    said = ending_sentences(answer) or [tr("{model} has answered.").format(model=model_name(answer.model))]
    return " ".join([*said, f"{length}."] if words else said)
