"""A large history for the benchmark, made by SQL: chats of equal length, and a first one of 2,000 messages."""

from __future__ import annotations

from collections.abc import Iterator
from itertools import islice
from pathlib import Path

from llamachat.storage.database import Database
from tests.bench.history_texts import Texts
from tests.storage.stories import rebuild_index

LONG_CHAT = 2000
_SLICE = 5000
_MODELS = ("Qwen3-8B-Q4_K_M.gguf", "gemma-3-4b-it", "SmolLM2-135M")
_SEARCHES = '[{"query": "q", "results": [], "error": ""}]'


def make_history(path: Path, *, messages: int, chats: int, texts: Texts) -> None:
    """Write and index the history; the same for the same seed."""
    places = _places(messages, chats)
    with Database.open(path) as db:
        while slice_of_places := list(islice(places, _SLICE)):
            with db.transaction() as connection:
                connection.executemany(
                    "INSERT INTO conversations (id, uid, title, created_at, updated_at, model) "
                    "VALUES (?, ?, ?, ?, ?, ?)",
                    [_chat(chat, number, texts) for number, chat, first in slice_of_places if number == first],
                )
                connection.executemany(
                    "INSERT INTO messages "
                    "(uid, conversation_id, parent_id, role, content, model, searches, created_at) "
                    "VALUES (?, ?, ?, ?, ?, ?, ?, ?)",
                    [
                        _message(place, text)
                        for place, text in zip(slice_of_places, texts.messages(len(slice_of_places)), strict=True)
                    ],
                )
        db.write(
            "UPDATE conversations SET head_id = "
            "(SELECT max(id) FROM messages WHERE conversation_id = conversations.id)"
        )
        rebuild_index(db)


def _places(messages: int, chats: int) -> Iterator[tuple[int, int, int]]:
    """Yield for each message its number, its chat and the number of the chat's first message."""
    rest = max(messages - LONG_CHAT, 0)
    for number in range(1, messages + 1):
        chat = 1 if number <= LONG_CHAT else 2 + (number - LONG_CHAT - 1) * (chats - 1) // rest
        first = 1 if chat == 1 else LONG_CHAT + 1 - (-(chat - 2) * rest // (chats - 1))
        yield number, chat, first


def _chat(chat: int, number: int, texts: Texts) -> tuple[object, ...]:
    title = f"{texts.words[chat % 3000].title()} {chat}"
    return chat, f"c{chat}", title, number, number, _MODELS[chat % len(_MODELS)]


def _message(place: tuple[int, int, int], text: str) -> tuple[object, ...]:
    number, chat, first = place
    is_answer = bool((number - first) % 2)
    return (
        f"m{number}",
        chat,
        number - 1 if number > first else None,
        "assistant" if is_answer else "user",
        text,
        _MODELS[chat % len(_MODELS)] if is_answer else "",
        _SEARCHES if is_answer and number % 20 == 1 else None,
        number,
    )
