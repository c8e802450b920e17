"""A conversation as Markdown for people: what was said, and where it came from."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from datetime import UTC, datetime

from llamachat.core.conversation import Conversation
from llamachat.core.messages import Role, Status, StoredMessage
from llamachat.core.page_words import page_words
from llamachat.core.search_record import SearchRecord, SearchResult
from llamachat.core.text import tr, trn


@dataclass(frozen=True, slots=True)
class Extras:
    """What of a chat is written beside what was said: what was searched and found, thoughts, system prompts."""

    sources: bool = True
    reasoning: bool = False
    prompts: bool = False


def conversation_markdown(
    conversation: Conversation, messages: Sequence[StoredMessage], *, extras: Extras = Extras()
) -> str:
    """A heading a message, its text as it is, and below an answer what was searched and found.

    What the model thought and was told before comes as a quotation. To copy a chat, give the branch that is shown.
    """
    title = _line(conversation.title) or tr("Untitled chat")
    parts = [f"# {title}", _date(conversation.created_at)]
    prompt = ""
    for message in messages:
        if message.role is Role.ASSISTANT and message.prompt != prompt:
            prompt = message.prompt
            parts.append(_quotation(tr("System prompt"), prompt) if extras.prompts else "")
        parts += _message(message, extras)
    return "\n\n".join(part for part in parts if part) + "\n"


def _message(message: StoredMessage, extras: Extras) -> Iterator[str]:
    yield f"## {_speaker(message)}"
    if extras.reasoning:
        yield _quotation(tr("Thinking"), message.reasoning)
    yield message.content.strip()
    yield _ending(message)
    for search in message.searches if extras.sources else ():
        yield _search(search)


def _quotation(what: str, text: str) -> str:
    return f"> *{what}*\n>\n{_quoted(text)}" if text.strip() else ""


def _speaker(message: StoredMessage) -> str:
    if message.role is Role.USER:
        return tr("You")
    name = _line(message.model) or tr("Assistant")
    return tr("{model} (edited)").format(model=name) if message.edited else name


def _ending(message: StoredMessage) -> str:
    if message.error:
        return f"*{_line(message.error)}*"
    words = {
        Status.STOPPED: tr("The answer was stopped here."),
        Status.INTERRUPTED: tr("The answer was cut off here."),
        Status.STREAMING: tr("The answer was still being written."),
        Status.FAILED: tr("No answer came."),
    }
    return f"*{words[message.status]}*" if message.status in words else ""


def _search(search: SearchRecord) -> str:
    query = _line(search.query)
    if search.asked:
        query = tr("{query}, sent as “{asked}”").format(query=query, asked=_line(search.asked))
    if search.failed:
        return tr("Search failed: {query} — {reason}").format(query=query, reason=_line(search.error))
    found = trn("{count} result", "{count} results", len(search.results))
    if search.provider:
        found = f"{found}, {_line(search.provider)}"
    head = tr("Searched: {query} ({found})").format(query=query, found=found)
    lines = [
        f"{number}. {_source(result)}{_page(result)}"
        for number, result in enumerate(search.results, search.first_number)
    ]
    return "\n".join([head, "", *lines]) if lines else head


def _source(result: SearchResult) -> str:
    title = _line(result.title) or _line(result.url)
    if re.fullmatch(r"https?://[^\s<>]+", result.url):
        return f"[{title}](<{result.url}>)"
    return f"{title} — {_line(result.url)}"


def _page(result: SearchResult) -> str:
    words = page_words(result)
    return f" — {_line(words)}" if words else ""


def _quoted(text: str) -> str:
    return "\n".join(f"> {line}".rstrip() for line in text.strip().split("\n"))


def _line(text: str) -> str:
    """Text from elsewhere on one line, with nothing in it that Markdown would take for a mark."""
    return re.sub(r"([\\`*_\[\]<>#|~!])", r"\\\1", " ".join(text.split()))


def _date(moment: float) -> str:
    return datetime.fromtimestamp(moment, UTC).strftime("%Y-%m-%d")
