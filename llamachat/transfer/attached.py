"""What was attached to a message in another program, as text of the message: no attachments are kept here."""

from __future__ import annotations

import re

from llamachat.core.text import tr


def fenced(text: str, language: str = "") -> str:
    """The text as a block of code, whatever backticks are in it."""
    longest = max((len(run) for run in re.findall(r"`+", text)), default=0)
    fence = "`" * max(3, longest + 1)
    return f"{fence}{language}\n{text}\n{fence}"


def text_attachment(name: str, text: str) -> str:
    """A text file, whole."""
    return f"{named_attachment(name)}\n\n{fenced(text)}"


def named_attachment(name: str) -> str:
    """A picture, a recording or another file, of which only the name is kept."""
    return "[" + tr("Attached: {name}").format(name=" ".join(name.split()) or tr("a file")) + "]"
