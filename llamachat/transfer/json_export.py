"""Conversations as JSON: complete, versioned, and free of keys that mean something in one database only.

The format is described in docs/export.md.
"""

from __future__ import annotations

import json
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import asdict

from llamachat.core.conversation import Conversation
from llamachat.core.messages import StoredMessage

FORMAT = "llamachat-conversation"
VERSION = 1


def conversation_json(conversation: Conversation, messages: Sequence[StoredMessage]) -> str:
    """The conversation with the given messages, which may be on several branches; indented, with a line end."""
    uids = {message.id: message.uid for message in messages}
    whole = {
        "format": FORMAT,
        "version": VERSION,
        "conversation": _conversation(conversation, uids),
        "messages": [_message(message, uids) for message in messages],
    }
    return json.dumps(whole, ensure_ascii=False, indent=1) + "\n"


def joined_json(texts: Iterable[str]) -> Iterator[str]:
    """Yield the pieces of one JSON array of conversations, of which only one is held at a time."""
    before = "[\n"
    for text in texts:
        yield before + text.rstrip("\n")
        before = ",\n"
    yield "[]\n" if before == "[\n" else "\n]\n"


def _conversation(conversation: Conversation, uids: dict[int, str]) -> dict[str, object]:
    fields = asdict(conversation)
    for name in ("id", "forked"):
        del fields[name]
    head_id, kept_from = fields.pop("head_id"), fields.pop("results_kept_from")
    last_shortened = max((number for number in uids if number < kept_from), default=0)
    return fields | {"head": uids.get(head_id), "results_shortened_to": uids.get(last_shortened)}


def _message(message: StoredMessage, uids: dict[int, str]) -> dict[str, object]:
    fields = asdict(message)
    for key in ("id", "conversation_id", "stream"):
        del fields[key]
    parent_id = fields.pop("parent_id")
    return fields | {"parent": uids.get(parent_id)}
