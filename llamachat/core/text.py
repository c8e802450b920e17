"""The one door for sentences that people read: gettext, with English as the source language."""

from __future__ import annotations

import gettext
from pathlib import Path

_LOCALES = Path(__file__).resolve().parent.parent / "locales"
_catalogue: gettext.NullTranslations = gettext.translation("llamachat", str(_LOCALES), fallback=True)


def tr(sentence: str) -> str:
    """The sentence in the user's language, or as it stands where no catalogue has it."""
    return _catalogue.gettext(sentence)


def trn(one: str, many: str, count: int) -> str:
    """The form that fits a count; `{count}` in it is filled in."""
    return _catalogue.ngettext(one, many, count).format(count=count)


def clean(text: str) -> str:
    """Text that every part of the program can carry: surrogate pairs joined, lone ones U+FFFD, no NUL.

    JSON may hold half a pair (`\\ud83d`), which neither UTF-8 nor SQLite nor Qt takes.
    """
    if text.isascii():
        return text.replace("\0", "")
    joined = text.encode("utf-16-le", "surrogatepass").decode("utf-16-le", "replace")
    return joined.replace("\0", "")
