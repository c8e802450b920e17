"""The title of a new chat: the first words of its first message, or what a model makes of it where that is set."""

from __future__ import annotations

import re

from llamachat.chat.aside import Aside
from llamachat.core.cancel import CancelToken
from llamachat.core.plain_text import cut_at_word
from llamachat.core.text import clean

_MAX_CHARS = 60
_READ_CHARS = 2000  # of the message, and of the answer
_TITLE_TOKENS = 32
_ONE_LINE = r"root ::= [^\n\r]+"
_NAME_IT = """\
You give a conversation its title. Answer with the title alone: two to six words, in the language of the message, on \
one line, without quotes. Do not answer the message.

Message: hi! could you tell me how i get red wine out of a white shirt?
Answer: Blot it, do not rub. Then pour sparkling water on the stain and let salt draw it out.
Title: Red wine on a white shirt
Message: def f(x): return x if x < 2 else f(x-1) + f(x-2)   warum ist das so langsam?
Answer: Weil dieselben Werte immer wieder berechnet werden. Ein Zwischenspeicher hilft.
Title: Langsame rekursive Fibonacci-Funktion"""
_BEFORE = re.compile(r"(?:title|titel)\s*:[\s*_]*", re.IGNORECASE)
_QUOTES = "\"'“”„‘’‚«»‹›「」『』"


def title_from(text: str) -> str:
    """The first line that has words, in one line of at most 60 characters, cut between words where it can be."""
    words = next((line for line in (_plain(line) for line in clean(text).split("\n")) if line), "")
    return cut_at_word(words, _MAX_CHARS)


def title_by_model(aside: Aside, question: str, answer: str, cancel: CancelToken) -> str:
    """What the model calls a conversation after its first answer; "" where that is of no use. Raises Cancelled."""
    asked = f"Message: {_read(question)}\nAnswer: {_read(answer)}\nTitle:"
    return usable_title(aside.ask(_NAME_IT, asked, max_tokens=_TITLE_TOKENS, cancel=cancel, grammar=_ONE_LINE))


def usable_title(said: str) -> str:
    """The title in what a model said, cleaned and as short as any; "" where there is none."""
    line = title_from(said)
    if before := _BEFORE.match(line):
        line = line[before.end() :]
    title = line.strip(_QUOTES + " ").rstrip(".")
    return title if any(character.isalnum() for character in title) else ""


def _read(text: str) -> str:
    return " ".join(clean(text[: 2 * _READ_CHARS]).split())[:_READ_CHARS]


def _plain(line: str) -> str:
    printable = "".join(char if char.isprintable() else " " for char in line)
    return " ".join(printable.strip("#>*-`~_ \t").split())
