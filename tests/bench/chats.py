"""Long chats: as messages for a transcript, and as rows of a store for the whole program."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path

from llamachat.core.messages import Role, Status, StoredMessage
from llamachat.core.search_record import SearchRecord, SearchResult
from llamachat.storage.conversations import create_conversation
from llamachat.storage.database import Database
from llamachat.storage.messages import add_message
from tests.bench.markdown_texts import MarkdownTexts

FIRST_WORDS = "Where this chat begins"  # no other message says them
_ANSWER_CHARACTERS = 1000
_SEARCHING = 10  # every tenth answer searched the web and thought before
_RESULTS = 5
_THOUGHTS = 40  # lines


@dataclass(frozen=True, slots=True)
class _Said:
    """What is in a message."""

    role: Role
    content: str
    reasoning: str = ""
    searches: tuple[SearchRecord, ...] = ()


def long_chat(count: int, *, seed: int = 1) -> list[StoredMessage]:
    """So many messages, a question and an answer in turn, about 650 characters each; ids from 1 on."""
    return [
        StoredMessage(
            id=number,
            uid=f"m{number}",
            conversation_id=1,
            parent_id=number - 1 or None,
            role=said.role,
            content=said.content,
            reasoning=said.reasoning,
            searches=said.searches,
            model="bench" if said.role is Role.ASSISTANT else "",
        )
        for number, said in enumerate(_conversation(count, seed), start=1)
    ]


def store_chat(path: Path, count: int, *, seed: int = 1) -> int:
    """Put such a chat into a store; gives its number."""
    with Database.open(path) as db, db.transaction():
        chat = create_conversation(db, title=f"{count} messages", model="bench")
        parent: int | None = None
        for said in _conversation(count, seed):
            parent = add_message(
                db,
                conversation_id=chat.id,
                parent_id=parent,
                role=said.role,
                content=said.content,
                reasoning=said.reasoning,
                searches=said.searches,
                model="bench" if said.role is Role.ASSISTANT else "",
                status=Status.COMPLETE,
            ).id
    return chat.id


def _conversation(count: int, seed: int) -> list[_Said]:
    texts = MarkdownTexts(seed)
    messages = []
    for number in range(1, count + 1):
        if number % 2:
            question = " ".join(texts.sentence() for _ in range(2))
            messages.append(_Said(Role.USER, question if number > 1 else f"{FIRST_WORDS}. {question}"))
        elif number % (2 * _SEARCHING):
            messages.append(_Said(Role.ASSISTANT, texts.document(_ANSWER_CHARACTERS)))
        else:
            thoughts = "\n".join(texts.sentence() for _ in range(_THOUGHTS))
            found = (_search(texts),)
            messages.append(_Said(Role.ASSISTANT, texts.document(_ANSWER_CHARACTERS), thoughts, found))
    return messages


def _search(texts: MarkdownTexts) -> SearchRecord:
    results = tuple(
        SearchResult(texts.words(3, 7), f"https://example.org/{texts.words(1, 1)}", texts.sentence())
        for _ in range(_RESULTS)
    )
    return SearchRecord(texts.words(2, 5), results, provider="SearXNG", seconds=1.2)
