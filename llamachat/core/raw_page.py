"""A web page as it came, and the text in it."""

from __future__ import annotations

from dataclasses import dataclass

MAX_PAGE_CHARS = 400_000  # of text that anything goes on working with; a quarter of the largest contexts


@dataclass(frozen=True, slots=True)
class RawPage:
    """What a server sent, unpacked. media_type: as it says, lower case, "" if it does not; charset likewise.

    note: what is to be known of how it came, "" if nothing.
    """

    body: bytes
    media_type: str = ""
    charset: str = ""
    note: str = ""


@dataclass(frozen=True, slots=True)
class PageText:
    """The main text. note: what a reader should know of it, such as that it was cut; "" if nothing."""

    text: str
    note: str = ""
