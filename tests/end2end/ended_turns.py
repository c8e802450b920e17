"""What the tests of turns that did not end well do in the window, and see of it."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import ExitStack, contextmanager
from pathlib import Path

from PySide6.QtCore import QUrl

from llamachat.core.messages import StoredMessage
from llamachat.render.block_kinds import BlockKind, kind_of
from llamachat.storage.conversations import list_conversations
from llamachat.storage.messages import load_branch
from llamachat.ui.transcript.buttons import buttons_of
from tests.end2end.stage import Stage, stage
from tests.fakes.scripted_llama import Answer, ScriptedLlama

TOO_LONG = (400, "the request exceeds the available context size")


@contextmanager
def window_on(base_url: str, folder: Path, more: str = "") -> Iterator[Stage]:
    with stage(folder / "profile", f'base_url = "{base_url}"\n{more}') as shown:
        yield shown


def last_of(shown: Stage) -> StoredMessage:
    """The last message of the newest chat in the store."""
    with shown.app.database() as db:
        return load_branch(db, list_conversations(db, limit=1)[0].id)[-1]


def offered(shown: Stage) -> dict[str, str]:
    """What the buttons at the end of the chat say, and the links that they are."""
    block = shown.window.page.view.document().begin()
    while block.isValid() and kind_of(block.userState()) is not BlockKind.BUTTONS:
        block = block.next()
    labels = [label.strip("\u00a0").replace("\u00a0", " ") for label in block.text().split(" ") if label]
    return dict(zip(labels, (href for href, _ in buttons_of(block)), strict=True)) if block.isValid() else {}


def buttons(shown: Stage) -> list[str]:
    return list(offered(shown))


def press(shown: Stage, label: str) -> None:
    """Press a button, as a click on it does."""
    shown.window.page.view.anchorClicked.emit(QUrl(offered(shown)[label]))


def scripted(windows: ExitStack, folder: Path, *answers: Answer) -> tuple[ScriptedLlama, Stage]:
    """A window on a server that answers so."""
    llama = windows.enter_context(ScriptedLlama(*answers))
    return llama, windows.enter_context(window_on(llama.base_url, folder))
