"""What was chosen for an export the last time: kept in the program's small state, also for copying a chat. No Qt."""

from __future__ import annotations

import json
from contextlib import suppress
from dataclasses import asdict, dataclass, replace
from typing import Any

from llamachat.chat_files import Form, TextFormat
from llamachat.storage.conversations import get_state, set_state
from llamachat.storage.database import Database
from llamachat.transfer.markdown import Extras

_KEY = "export"


@dataclass(frozen=True, slots=True)
class ExportChoice:
    """sources, reasoning, prompts: of Markdown. one_file: several chats in one, else a file each in a folder.

    pdf: PDF instead of Markdown or JSON, never several chats in one. place: the folder of the last time.
    """

    markdown: bool = True
    pdf: bool = False
    sources: bool = True
    reasoning: bool = False
    prompts: bool = False
    one_file: bool = False
    place: str = ""

    @property
    def ending(self) -> str:
        """Of a file's name."""
        return ".pdf" if self.pdf else self.form.text.ending

    @property
    def form(self) -> Form:
        """The form to write chats in that are no PDF."""
        return Form(TextFormat.MARKDOWN if self.markdown else TextFormat.JSON, self.extras)

    @property
    def extras(self) -> Extras:
        """What Markdown has beside what was said."""
        return Extras(sources=self.sources, reasoning=self.reasoning, prompts=self.prompts)


def last_choice(db: Database) -> ExportChoice:
    """The choice that was kept; what cannot be read is as at the first time."""
    first = ExportChoice()
    with suppress(ValueError, AttributeError):
        kept = json.loads(get_state(db, _KEY) or "{}")
        known: dict[str, Any] = {
            name: kept[name] for name, value in asdict(first).items() if type(kept.get(name)) is type(value)
        }
        return replace(first, **known)
    return first


def keep_choice(db: Database, choice: ExportChoice) -> None:
    """Keep it for the next time."""
    set_state(db, _KEY, json.dumps(asdict(choice)))
