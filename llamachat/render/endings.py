"""How a turn ended, where it did not end well: the sentences for people, and the bar with the acts that help."""

from __future__ import annotations

from html import escape
from typing import TypeAlias

from llamachat.core.errors import ServerCause
from llamachat.core.events import FinishReason
from llamachat.core.messages import Status, StoredMessage
from llamachat.core.text import tr
from llamachat.render.block_html import open_block
from llamachat.render.block_kinds import BlockKind
from llamachat.render.links import Anchor, AnchorKind

Help: TypeAlias = tuple[AnchorKind, str]
"""An act that helps, and what its button says."""

_UNBROKEN = "\u00a0"


def ending_sentences(message: StoredMessage) -> list[str]:
    """How a turn ended and what to do next; nothing for one that ended well."""
    if message.error:
        return [line for line in message.error.splitlines() if line.strip()]
    if message.status is Status.STOPPED:
        return [tr("Stopped.")]
    if message.status is Status.INTERRUPTED:
        return [tr("The answer was cut off here.")]
    if message.status is Status.FAILED:
        return [tr("No answer came.")]
    if message.finish_reason == FinishReason.THINKING:
        return [tr("The model thought until the token limit was reached, and gave no answer.")]
    if message.finish_reason == FinishReason.LENGTH:
        return [tr("The answer reached the token limit and ends here.")]
    return []


def acts_that_help(message: StoredMessage) -> list[Help]:
    """What can be done about the end of the last answer of a chat, the likeliest first."""
    if not ending_sentences(message):
        return []
    again, retry = (AnchorKind.RETRY, tr("Answer again")), (AnchorKind.RETRY, tr("Retry"))
    reason, cut_in_thought = message.finish_reason, not message.content.strip() and bool(message.reasoning.strip())
    if reason in (ServerCause.CONTEXT_FULL, ServerCause.CONTEXT_FULL_OF_RESULTS):
        return _room(droppable=reason == ServerCause.CONTEXT_FULL_OF_RESULTS)
    if reason == FinishReason.THINKING or (reason == FinishReason.LENGTH and cut_in_thought):
        return [*_out_of_thought(), again]
    if message.status is Status.STOPPED:
        return [*(_out_of_thought() if cut_in_thought else _going_on(message)), again]
    if reason == FinishReason.EMPTY:
        return [retry, *(_going_on(message) if message.rounds else [])]
    return _going_on(message) if reason == FinishReason.LENGTH else [*_going_on(message), retry]


def _going_on(message: StoredMessage) -> list[Help]:
    begun = message.content or message.reasoning or message.rounds
    return [(AnchorKind.CONTINUE, tr("Continue"))] if begun else []


def _out_of_thought() -> list[Help]:
    return [
        (AnchorKind.SKIP_THINKING, tr("Continue without thinking")),
        (AnchorKind.CONTINUE, tr("Continue thinking")),
    ]


def _room(*, droppable: bool) -> list[Help]:
    return [
        *([(AnchorKind.DROP_RESULTS, tr("Drop old search results"))] if droppable else []),
        (AnchorKind.SUMMARY, tr("New chat with a summary")),
        (AnchorKind.NEW_CHAT, tr("New empty chat")),
    ]


def draw_ending(message: StoredMessage, *, is_last: bool) -> str:
    """The bar of the last answer, with its buttons; of an earlier one a line that says how it ended."""
    sentences = [escape(sentence) for sentence in ending_sentences(message)]
    if not sentences:
        return ""
    failed = message.status in (Status.FAILED, Status.INTERRUPTED)
    if not is_last:
        return _line(BlockKind.NOTICE, "notice", sentences[0])
    kind, name = (BlockKind.ERROR, "error") if failed else (BlockKind.ENDING, "ending")
    first, *more = sentences
    buttons = f"{_UNBROKEN} ".join(_button(kind, message.id, label) for kind, label in acts_that_help(message))
    lines = [_line(kind, f"{name} first", first), *(_line(kind, f"{name} lesser", line) for line in more)]
    return "".join([*lines, _line(BlockKind.BUTTONS, "buttons", buttons)])


def draw_unanswered(message_id: int) -> str:
    """What is offered below a question that nothing follows, on its card."""
    said = _line(BlockKind.NOTICE, "notice", escape(tr("There is no answer to this.")))
    return said + _line(BlockKind.BUTTONS, "buttons alone", _button(AnchorKind.RETRY, message_id, tr("Answer it")))


def _line(kind: BlockKind, css_class: str, html: str) -> str:
    return f"{open_block(css_class, kind)}{html}</p>"


def _button(kind: AnchorKind, message_id: int, label: str) -> str:
    """A link that is painted as a button: it does not break, and its room is part of it."""
    room = f'<span class="room">{2 * _UNBROKEN}</span>'
    return f'<a href="{Anchor(kind, message_id)}">{room}{escape(label).replace(" ", _UNBROKEN)}{room}</a>'
