"""Stored rows to the messages of the next request: byte for byte the same each time, so that prompts only grow.

The `wire` of a row holds what went over the wire while the answer was made: rounds of tool calls and results, and at
the end the answer. Where the end is missing (stopped, interrupted, killed, failed) the texts of the row give it. It
begins with the question where that was sent in another form than its own row has, to which other answers were given.

Reasoning follows one rule for all older turns: kept where the server's template can show it, else dropped. Within the
turn that is running it always goes back.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, replace
from itertools import zip_longest

from llamachat.chat.ageing import aged, turns_to_age
from llamachat.chat.prompt import UNANSWERED, system_messages
from llamachat.core.errors import ServerCause
from llamachat.core.messages import JsonValue, Role, Status, StoredMessage, WireMessage

CONTEXT_FULL = (ServerCause.CONTEXT_FULL, ServerCause.CONTEXT_FULL_OF_RESULTS)

# Between what a model says before a tool call and what it says after it, as it is shown and stored.
BREAK = "\n\n"


@dataclass(frozen=True, slots=True)
class StoredAnswer:
    """An assistant row taken apart: its finished tool rounds, and the text after them (possibly none).

    asked: the question as it was sent for this answer, where its row does not say so.
    """

    rounds: tuple[WireMessage, ...]
    content: str
    reasoning: str
    asked: tuple[WireMessage, ...] = ()


def history_messages(
    stored: Sequence[StoredMessage],
    system_prompt: str,
    *,
    keep_reasoning: bool = False,
    search_keep_turns: int = 0,
    results_kept_from: int = 0,
) -> tuple[WireMessage, ...]:
    """The messages of all `stored` rows below the system prompt; they end where the last row ends.

    search_keep_turns: of older turns than so many, titles and addresses alone of what was found (see `ageing`); 0
    keeps all. results_kept_from: likewise of the rows before the one with this id.
    """
    messages = list(system_messages(system_prompt))
    readable = list(_as_sent(list(_readable(stored))))
    turns = sum(row.role is Role.USER for row in readable)
    to_age, turn = turns_to_age(turns, keep=search_keep_turns), 0
    for row in readable:
        turn += row.role is Role.USER
        new = _question(row, messages) if row.role is Role.USER else _answer_messages(row)
        ages = turn <= to_age or row.id < results_kept_from
        messages += map(aged, new) if row.wire and ages else new
    return tuple(messages if keep_reasoning else map(_without_reasoning, messages))


def take_apart(row: StoredMessage) -> StoredAnswer:
    """The rounds and the last text of an assistant row, whether its `wire` is complete or not."""
    asked = row.wire[: len(row.wire) - len(row.rounds)]
    wire = row.rounds
    if wire and _is_answer(wire[-1]):
        return StoredAnswer(wire[:-1], text_of(wire[-1], "content"), text_of(wire[-1], "reasoning_content"), asked)
    content, reasoning = _rest(row.content, wire, "content"), _rest(row.reasoning, wire, "reasoning_content")
    return StoredAnswer(wire, content, reasoning, asked)


def answer_message(content: str, reasoning: str) -> WireMessage:
    """An assistant message; thinking stands in a field of its own and never in the content."""
    message: dict[str, JsonValue] = {"role": "assistant", "content": content}
    if reasoning:
        message["reasoning_content"] = reasoning
    return message


def text_of(message: WireMessage, field: str) -> str:
    """A text field of a message; "" where it is missing, null or no text."""
    value = message.get(field)
    return value if isinstance(value, str) else ""


def shown_text(wire: Iterable[WireMessage], field: str) -> str:
    """The texts of several messages as they are shown one after the other."""
    said = (text_of(message, field) for message in wire if message.get("role") == "assistant")
    return BREAK.join(filter(None, said))


def _readable(stored: Sequence[StoredMessage]) -> Iterable[StoredMessage]:
    """All rows but the questions that were too long for the context: with them in, no later one would fit."""
    dropped = {row.parent_id for row in stored if _did_not_fit(row)}
    return (row for row in stored if row.id not in dropped and not _did_not_fit(row))


def _as_sent(rows: Sequence[StoredMessage]) -> Iterator[StoredMessage]:
    """Yield the rows, each question in the form in which it was sent for the answer below it."""
    for row, below in zip_longest(rows, rows[1:]):
        own = take_apart(below).asked if below and below.role is Role.ASSISTANT else ()
        yield replace(row, wire=own) if own and row.role is Role.USER else row


def _did_not_fit(row: StoredMessage) -> bool:
    return row.status is Status.FAILED and row.finish_reason in CONTEXT_FULL


def _question(row: StoredMessage, messages: Sequence[WireMessage]) -> list[WireMessage]:
    return _answered(messages) + list(row.wire or ({"role": "user", "content": row.content},))


def _answered(messages: Sequence[WireMessage]) -> list[WireMessage]:
    """What has to stand between `messages` and a question so that user and assistant alternate."""
    waiting = messages and messages[-1].get("role") == "user"
    return [answer_message(UNANSWERED, "")] if waiting else []


def _answer_messages(row: StoredMessage) -> list[WireMessage]:
    answer = take_apart(row)
    return [
        *answer.rounds,
        answer_message(answer.content if answer.content.strip() else UNANSWERED, answer.reasoning),
    ]


def _is_answer(message: WireMessage) -> bool:
    """Whether this is an assistant message that calls nothing."""
    return message.get("role") == "assistant" and not message.get("tool_calls")


def _rest(shown: str, wire: Sequence[WireMessage], field: str) -> str:
    """What of a shown text comes after the texts of the rounds in `wire`."""
    earlier = shown_text(wire, field)
    return shown.removeprefix(earlier).removeprefix(BREAK) if earlier else shown


def _without_reasoning(message: WireMessage) -> WireMessage:
    return {name: value for name, value in message.items() if name != "reasoning_content"}
