"""What is asked of SearXNG: the words as they are sent, and the form around them."""

from __future__ import annotations

from llamachat.core.plain_text import cut_at_word, plain_line

MAX_QUERY_CHARS = 500  # beyond that engines answer with errors, which look like broken engines

# A word that begins with one of these is a command: `!engine`, `!!site`, `:language`, `<seconds`, in searx `?engine`.
_COMMANDS = "!?:<"


def plain_query(text: str) -> str:
    """The words of a query, with no command of SearXNG among them, on one line and not too long; may be ""."""
    words = (word.lstrip(_COMMANDS) for word in plain_line(text).split())
    return cut_at_word(" ".join(word for word in words if word), MAX_QUERY_CHARS + 1).removesuffix("…")


def search_form(asked: str, *, timeout_s: float, language: str, categories: str) -> dict[str, str]:
    """The fields of one search. `locale` keeps the reasons of failed engines English.

    timeout_limit has SearXNG answer with what it has before the deadline, where a slow engine would cost the
    whole search. Without a language none is sent: the instance then searches in all, or in its own default.
    """
    form = {"q": asked, "format": "json", "locale": "en", "timeout_limit": f"{max(timeout_s - 1, timeout_s / 2):g}"}
    if language:
        form["language"] = language
    if categories:
        form["categories"] = categories
    return form
