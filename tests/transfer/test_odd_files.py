"""Files with anything in place of anything: read, or refused, and what was read can be stored."""

from __future__ import annotations

import copy
import json
import random
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from llamachat.core.errors import TransferError
from llamachat.storage.conversations import list_conversations
from llamachat.storage.database import Database
from llamachat.storage.imported import take_in
from llamachat.storage.messages import load_messages
from llamachat.transfer.chat_reader import read_chats
from llamachat.transfer.json_export import conversation_json
from llamachat.transfer.markdown import Extras, conversation_markdown
from tests.transfer.chats import ANSWER, CONVERSATION, QUESTION
from tests.transfer.importers.reading import IMPORTS

NAMES = [
    *("conversations.json", "open_webui.json", "llama_cpp.json", "llama_cpp.jsonl", "jan.json", "ours"),
    "jan_threads/01JXQ7/messages.jsonl",
]
Json = Any  # what a place may hold, and what may hold places: a test needs no more of it

JUNK: list[Json] = [
    *(None, True, False, 0, -1, 2**62, 1.5, -1e300, 1e300, "", "x", "\ud83d\0", "a" * 5000, [], {}, [[]]),
    *([None], [1], ["x"], [{}], {"": None}, {"id": "x"}, {"role": "user"}, {"x": [{"x": []}]}, [{"url": 1}]),
]


def sample(name: str) -> list[Json]:
    """The objects of a stored file, or of our own form."""
    if name == "ours":
        return [json.loads(conversation_json(CONVERSATION, [QUESTION, ANSWER]))]
    text = (IMPORTS / name).read_text(encoding="utf-8")
    if name.endswith(".jsonl"):
        return [json.loads(line) for line in text.splitlines()]
    value = json.loads(text)
    return value if isinstance(value, list) else [value]


def places(value: Json) -> Iterator[tuple[Json, str | int]]:
    """Yield every place below the value: what holds it, and its key there."""
    if isinstance(value, list | dict):
        for key in list(value) if isinstance(value, dict) else range(len(value)):
            yield value, key
            yield from places(value[key])


@pytest.mark.slow
@pytest.mark.parametrize("name", NAMES)
def test_anything_may_stand_anywhere(tmp_path: Path, name: str) -> None:
    values, path, read, refused = sample(name), tmp_path / "odd.json", 0, 0
    chance = random.Random(name)
    with Database.in_memory() as db:
        for number in range(len(list(places(values)))):
            for junk in chance.sample(JUNK, 5):
                changed = copy.deepcopy(values)
                holder, key = list(places(changed))[number]
                holder[key] = copy.deepcopy(junk)
                path.write_text("\n".join(json.dumps(value) for value in changed), encoding="utf-8")
                db.write("DELETE FROM conversations")
                try:
                    take_in(db, read_chats(path))
                    for chat in list_conversations(db):
                        assert conversation_markdown(
                            chat, load_messages(db, chat.id), extras=Extras(True, True, True)
                        )
                    read += 1
                except TransferError:
                    refused += 1
    assert min(read, refused) > 20
