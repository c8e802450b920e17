"""The fixed texts that a model reads: never translated and without dates or counters, so that prompts only grow."""

from __future__ import annotations

from llamachat.core.messages import WireMessage
from llamachat.core.text import clean

# Stands where an answer is missing: keeps user and assistant alternating, and the prompt a prefix of the next one.
UNANSWERED = "(This message was not answered.)"

# Asks a server that does not continue a partial answer for the rest of it.
GO_ON = "Go on exactly where your last message broke off. Do not repeat any of it and do not comment on this request."


def system_messages(prompt: str) -> tuple[WireMessage, ...]:
    """The system message with the user's own prompt; none when it is blank (the template may bring its own)."""
    text = clean(prompt).strip()
    return ({"role": "system", "content": text},) if text else ()
