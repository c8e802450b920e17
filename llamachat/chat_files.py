"""Chats of the history to files, for the command line and the window: which ones, in which form, where to."""

from __future__ import annotations

import errno
import os
import re
import time
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass, field, replace
from enum import StrEnum
from itertools import count, islice
from pathlib import Path

from llamachat.core.conversation import Conversation
from llamachat.core.errors import UserFacingError
from llamachat.core.text import tr
from llamachat.core.whole_file import whole_file
from llamachat.storage.conversations import get_conversation, list_conversations
from llamachat.storage.database import Database
from llamachat.storage.messages import load_branch, load_messages
from llamachat.storage.queued import unsent_text
from llamachat.transfer.json_export import conversation_json, joined_json
from llamachat.transfer.markdown import Extras, conversation_markdown

_PAGE = 200
_NAME_CHARS = 50  # of a title in a file's name: at most 200 of the 255 bytes that file systems take


class TextFormat(StrEnum):
    """For people, or for programs."""

    MARKDOWN = "markdown"
    JSON = "json"

    @property
    def ending(self) -> str:
        """Of a file's name."""
        return ".md" if self is TextFormat.MARKDOWN else ".json"


@dataclass(frozen=True, slots=True)
class Form:
    """What a chat is written as; `extras` are for Markdown."""

    text: TextFormat = TextFormat.MARKDOWN
    extras: Extras = field(default_factory=Extras)


Step = Callable[[int], object]
"""Told after each chat how many are written; may raise Cancelled to stop."""


def chat_text(db: Database, conversation: Conversation, form: Form) -> str:
    """The chat in that form: Markdown of the branch that is shown, JSON of everything."""
    if form.text is TextFormat.JSON:
        unsent = replace(conversation, draft=unsent_text(db, conversation.id, conversation.draft))
        return conversation_json(unsent, load_messages(db, conversation.id))
    return conversation_markdown(conversation, load_branch(db, conversation.id), extras=form.extras)


def all_chats(db: Database) -> Iterator[Conversation]:
    """Yield all chats as the list shows them, those put away last, a page at a time."""
    for archived in (False, True):
        last: Conversation | None = None
        while page := list_conversations(db, limit=_PAGE, before=last, archived=archived):
            yield from page
            last = page[-1]


def count_chats(db: Database) -> int:
    """How many `all_chats` yields."""
    row = db.row("SELECT count(*) AS n FROM conversations WHERE deleted_at IS NULL")
    return int(row["n"]) if row else 0


def these_chats(db: Database, numbers: Sequence[int]) -> Iterator[Conversation]:
    """Yield the chats of these numbers that are still there, each once."""
    for number in dict.fromkeys(numbers):
        if conversation := get_conversation(db, number):
            yield conversation


def text_pieces(db: Database, chats: Iterable[Conversation], form: Form) -> Iterator[str]:
    """Yield the text of several chats in one file, of which only one is held at a time."""
    texts = (chat_text(db, conversation, form) for conversation in chats)
    if form.text is TextFormat.JSON:
        yield from joined_json(texts)
        return
    yield from islice(texts, 1)
    for text in texts:
        yield f"\n---\n\n{text}"


def write_text(path: Path, text: str) -> int:
    """Write the text of one chat into a file, whole or not at all; returns 1. Raises UserFacingError."""
    _write(path, [text])
    return 1


def write_chat(db: Database, conversation: Conversation, path: Path, form: Form) -> None:
    """Write one chat into a file of its own, whole or not at all. Raises UserFacingError."""
    write_text(path, chat_text(db, conversation, form))


def write_chats(
    db: Database, chats: Iterable[Conversation], path: Path, form: Form, *, step: Step = lambda _: None
) -> int:
    """Write chats into one file, whole or not at all; returns how many.

    Raises UserFacingError, and what `step` raises.
    """
    done = 0

    def counted() -> Iterator[Conversation]:
        nonlocal done
        for conversation in chats:
            yield conversation
            done += 1
            step(done)

    _write(path, text_pieces(db, counted(), form))
    return done


def write_folder(
    db: Database,
    chats: Iterable[Conversation],
    folder: Path,
    form: Form,
    *,
    keep: bool = False,
    step: Step = lambda _: None,
) -> int:
    """Write each chat into a file of its own in a folder, made where there is none; returns how many.

    keep: files that are there already stay, and new ones get other names; else they are replaced. Raises
    UserFacingError, and what `step` does: files that are written by then stay.
    """
    made_folder(folder)
    done = 0
    for conversation in chats:
        path = folder / file_name(conversation, form.text.ending)
        write_chat(db, conversation, unused(path) if keep else path, form)
        done += 1
        step(done)
    return done


def is_folder(output: str) -> bool:
    """Whether what was typed names a folder: one that exists, or a name with a slash at its end."""
    return output.endswith(os.sep) or Path(output).is_dir()


def made_folder(path: Path) -> Path:
    """The folder, made where there is none. Raises UserFacingError."""
    try:
        path.mkdir(parents=True, exist_ok=True)
    except OSError as error:
        raise cannot_write(path, error) from error
    return path


def file_name(conversation: Conversation, ending: str) -> str:
    """Day, title and number: letters, digits and blanks only, so that no title leads elsewhere."""
    title = _shortened(re.sub(r"[\W_]+", " ", conversation.title).strip())
    day = time.strftime("%Y-%m-%d", time.localtime(conversation.created_at))
    return " ".join(filter(None, (day, title, str(conversation.id)))) + ending


def _shortened(title: str) -> str:
    """At most so many characters: whole words, where the first is no longer than that."""
    words, _, rest = title[: _NAME_CHARS + 1].rpartition(" ")
    return title if len(title) <= _NAME_CHARS else words or rest[:_NAME_CHARS]


def unused(path: Path) -> Path:
    """The path, or one with a number behind the name where something is there already."""
    names = (path.with_stem(f"{path.stem} ({number})") for number in count(2))
    return path if not path.exists() else next(name for name in names if not name.exists())


def cannot_write(path: Path, error: OSError) -> UserFacingError:
    """What is said of a place that a file cannot be written to."""
    sentence = tr("{file} cannot be written: {reason}.").format(file=path, reason=error.strerror or str(error))
    return UserFacingError(sentence, _way_out(error))


def _way_out(error: OSError) -> str:
    if error.errno in (errno.ENOSPC, errno.EDQUOT, errno.EFBIG):
        return tr("Make some room on the disk, or choose another place.")
    if error.errno in (errno.EACCES, errno.EPERM, errno.EROFS):
        return tr("Choose a place that you may write to.")
    return tr("Choose another place.")


def _write(path: Path, pieces: Iterable[str]) -> None:
    try:
        with whole_file(path) as file:
            file.writelines(pieces)
    except OSError as error:
        raise cannot_write(path, error) from error
