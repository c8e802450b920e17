"""Files of chats, of this program and others, to chats. What is in a file tells its format, not its name."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from itertools import chain
from pathlib import Path

from llamachat.core.errors import TransferError
from llamachat.core.messages import JsonObject
from llamachat.core.text import clean, tr
from llamachat.core.whole_chat import WholeChat
from llamachat.transfer.archive import archived_documents, is_archive
from llamachat.transfer.documents import Document, plain_documents
from llamachat.transfer.importers import chatgpt, jan, llama_cpp, llamachat_json, open_webui
from llamachat.transfer.json_values import json_objects


@dataclass(frozen=True, slots=True)
class _Format:
    """How a program writes its chats: a look at the first object tells it."""

    recognises: Callable[[JsonObject], bool]
    chats: Callable[[Iterator[JsonObject], Document], Iterator[WholeChat]]


_FORMATS = tuple(
    _Format(module.recognises, module.chats) for module in (llamachat_json, llama_cpp, chatgpt, open_webui, jan)
)


def read_chats(path: Path) -> Iterator[WholeChat]:
    """Yield the chats in a file, in a ZIP archive, or in the JSON files of a folder.

    One at a time: a large file needs the memory of its largest chat. Raises TransferError where something in it is
    no chat as it should be, at once or later on: what was given by then must not be kept.
    """
    found = False
    try:
        for document in archived_documents(path) if is_archive(path) else plain_documents(path):
            for chat in _chats(document):
                found = True
                yield chat
    except TransferError as error:
        raise _refusal(path, error.sentence) from error
    except OSError as error:
        raise _refusal(path, error.strerror or str(error)) from error
    if not found:
        raise _refusal(path, tr("it does not hold chats"))


def _chats(document: Document) -> Iterator[WholeChat]:
    """Yield the chats of a document; none where it holds something else and nobody said that it holds chats."""
    with document.open() as stream:
        values = json_objects(stream)
        first = next(values, None)
        if first is None:
            return
        known = next((known for known in _FORMATS if known.recognises(first)), None)
        if known is not None:
            yield from known.chats(chain([first], values), document)
        elif document.chosen:
            raise TransferError(tr("it does not hold chats in a form that is known here"))


def _refusal(path: Path, reason: str) -> TransferError:
    return TransferError(
        tr("{file} cannot be imported: {reason}.").format(file=clean(str(path)), reason=reason),
        tr("Nothing was changed. Export the chats anew in the other program, then try again."),
    )
