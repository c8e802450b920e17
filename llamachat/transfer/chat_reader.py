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
from llamachat.transfer.reading import Reading


@dataclass(frozen=True, slots=True)
class _Format:
    """How a program writes its chats: a look at the first object tells it."""

    name: str
    recognises: Callable[[JsonObject], bool]
    chats: Callable[[Iterator[JsonObject], Document], Iterator[WholeChat]]


_FORMATS = (
    _Format("llamachat", llamachat_json.recognises, llamachat_json.chats),
    _Format("llama.cpp", llama_cpp.recognises, llama_cpp.chats),
    _Format("ChatGPT", chatgpt.recognises, chatgpt.chats),
    _Format("Open WebUI", open_webui.recognises, open_webui.chats),
    _Format("Jan", jan.recognises, jan.chats),
)


def read_chats(path: Path, reading: Reading | None = None) -> Iterator[WholeChat]:
    """Yield the chats in a file, in a ZIP archive, or in the JSON files of a folder.

    One at a time: a large file needs the memory of its largest chat. Raises TransferError where something in it is
    no chat as it should be, at once or later on: what was given by then must not be kept. reading: is told how far
    that is, and what does not come along.
    """
    name, found, reading = clean(str(path)), False, reading or Reading()
    try:
        for document in (archived_documents if is_archive(path) else plain_documents)(path, reading):
            name = document.name
            for chat in _chats(document):
                found = True
                yield chat
            name = clean(str(path))
        if not found:
            raise _unknown() if not reading.empty_chats else TransferError(tr("nothing was said in the chats in it"))
    except TransferError as error:
        raise _refusal(name, error.sentence, error.next_step or _help(reading)) from error
    except OSError as error:
        raise _refusal(name, error.strerror or str(error), "") from error


def _chats(document: Document) -> Iterator[WholeChat]:
    """Yield the chats of a document; none where it holds something else and nobody said that it holds chats."""
    with document.open() as stream:
        values = json_objects(stream)
        first = next(values, None)
        if first is None:
            return
        known = next((known for known in _FORMATS if known.recognises(first)), None)
        if known is not None:
            document.reading.recognise(known.name)
            yield from known.chats(chain([first], values), document)
        elif document.chosen:
            raise _unknown()
        else:
            document.reading.pass_over(document.name)


def _help(reading: Reading) -> str:
    return "" if reading.formats else accepted_kinds()


def accepted_kinds() -> str:
    """Which files can be imported."""
    return tr("Known are those of llamachat, llama.cpp's page, Open WebUI, ChatGPT and Jan: JSON, JSONL or ZIP.")


def _unknown() -> TransferError:
    return TransferError(tr("it does not hold chats in a form that is known here"), accepted_kinds())


def _refusal(name: str, reason: str, next_step: str) -> TransferError:
    sentence = tr("{file} cannot be imported: {reason}.").format(file=name, reason=reason)
    return TransferError(sentence, " ".join(filter(None, (tr("Nothing was changed."), next_step))))
