"""What it costs to have a model read a whole chat again, from what the server has told of its answers."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from llamachat.core.messages import StoredMessage, Usage

_TELLING = 64  # tokens; the time that fewer take says little of the speed


@dataclass(frozen=True, slots=True)
class ReadingCost:
    """tokens, seconds: about; None where nothing is known."""

    tokens: int | None = None
    seconds: float | None = None


def reading_cost(messages: Sequence[StoredMessage]) -> ReadingCost:
    """The cost of the chat that ends with these messages: the prompt of its last answer, and that answer."""
    usages = [message.usage for message in messages]
    last = next((usage for usage in reversed(usages) if usage.prompt_tokens), None)
    if last is None or last.prompt_tokens is None:
        return ReadingCost()
    tokens = last.prompt_tokens + (last.completion_tokens or 0)
    speed = _tokens_per_ms(usages)
    return ReadingCost(tokens, tokens / speed / 1000 if speed else None)


def _tokens_per_ms(usages: Sequence[Usage]) -> float | None:
    """The speed of the longest reading."""
    readings = [
        (usage.prompt_n, usage.prompt_ms)
        for usage in usages
        if usage.prompt_n and usage.prompt_ms and usage.prompt_n >= _TELLING
    ]
    if not readings:
        return None
    count, milliseconds = max(readings)
    return count / milliseconds
