"""Pages of an answer that comes from memory come from memory too."""

from __future__ import annotations

from collections.abc import Hashable
from typing import Protocol

from llamachat.core.cancel import CancelToken
from llamachat.core.seams import Clock
from llamachat.websearch.read_page import ReadPage
from llamachat.websearch.search_memory import SearchMemory


class ReadsPages(Protocol):
    """Reads one page."""

    def read(self, url: str, cancel: CancelToken) -> ReadPage:
        """What came of the page at `url`; raises Cancelled only, at once on Stop."""
        ...


class RememberedPages:
    """A reader that remembers what it has read. scope: what a text depends on beside the address.

    after: pages that were read after this time are not read again; None reads all. What could not be read is tried
    again in any case.
    """

    def __init__(
        self, reader: ReadsPages, memory: SearchMemory, *, scope: Hashable, after: float | None, clock: Clock
    ) -> None:
        self._reader, self._memory, self._scope = reader, memory, scope
        self._after, self._clock = after, clock

    def read(self, url: str, cancel: CancelToken) -> ReadPage:
        """As the reader does."""
        key = (self._scope, url)
        known = None if self._after is None else self._memory.page(key, after=self._after)
        if known is not None:
            cancel.raise_if_cancelled()
            return known
        page = self._reader.read(url, cancel)
        if not page.error:
            self._memory.keep_page(key, page, at=self._clock.now())
        return page
