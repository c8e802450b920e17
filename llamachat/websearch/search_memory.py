"""What searches brought a short time ago: answers, and texts of pages. In this process alone, and on no disk."""

from __future__ import annotations

import threading
from collections import OrderedDict
from collections.abc import Hashable
from dataclasses import dataclass

from llamachat.searxng.answer import SearchAnswer
from llamachat.websearch.query_words import Words, same_question
from llamachat.websearch.read_page import ReadPage

MOST_QUERIES = 256
MOST_PAGE_CHARS = 4_000_000  # of all pages together


@dataclass(frozen=True, slots=True)
class Remembered:
    """An answer, what was asked for it, and when (seconds since 1970). scope: what else it depends on."""

    query: str
    words: Words
    scope: Hashable
    answer: SearchAnswer
    at: float


class SearchMemory:
    """For all threads. The oldest goes first where there is too much."""

    def __init__(self) -> None:
        self._lock = threading.Lock()
        self._answers: OrderedDict[tuple[Hashable, Words], Remembered] = OrderedDict()
        self._pages: OrderedDict[Hashable, tuple[ReadPage, float]] = OrderedDict()
        self._page_chars = 0

    def answer(self, words: Words, scope: Hashable, *, after: float) -> Remembered | None:
        """The answer to these words or to nearly the same, if it came after a time."""
        with self._lock:
            exact = self._answers.get((scope, words))
            if exact is not None and exact.at > after:
                return exact
            alike = (
                one
                for one in reversed(self._answers.values())
                if one.at > after and one.scope == scope and same_question(words, one.words)
            )
            return next(alike, None)

    def keep(self, one: Remembered) -> None:
        """Remember an answer."""
        with self._lock:
            self._answers.pop((one.scope, one.words), None)
            self._answers[one.scope, one.words] = one
            while len(self._answers) > MOST_QUERIES:
                self._answers.popitem(last=False)

    def page(self, key: Hashable, *, after: float) -> ReadPage | None:
        """What came of a page, if it was read after a time."""
        with self._lock:
            page, at = self._pages.get(key, (None, after))
            return page if at > after else None

    def keep_page(self, key: Hashable, page: ReadPage, *, at: float) -> None:
        """Remember what came of a page at a time."""
        with self._lock:
            before, _ = self._pages.pop(key, (ReadPage(), at))
            self._pages[key] = page, at
            self._page_chars += len(page.text) - len(before.text)
            while self._page_chars > MOST_PAGE_CHARS:
                _, (oldest, _) = self._pages.popitem(last=False)
                self._page_chars -= len(oldest.text)
