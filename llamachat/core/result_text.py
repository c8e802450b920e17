"""Fields of a search result, as some service sent them, made into plain text and an address of bounded length."""

from __future__ import annotations

from llamachat.core.messages import JsonValue
from llamachat.core.plain_text import cut_at_word, plain_line, without_markup
from llamachat.core.search_record import SearchResult
from llamachat.core.web_address import host_of

_TITLE_CHARS = 200
_URL_CHARS = 2000


def plain_field(value: JsonValue) -> str:
    """The text on one line, without markup; "" for what is no text."""
    return plain_line(without_markup(value)) if isinstance(value, str) else ""


def title_field(value: JsonValue) -> str:
    """A title, of 200 characters at most."""
    return cut_at_word(plain_field(value), _TITLE_CHARS)


def address_field(value: JsonValue) -> str:
    """The address as text, whatever its scheme: whether it may be opened is decided where it is shown.

    Over 2,000 characters it goes without its query, or is cut.
    """
    url = plain_line(value).replace(" ", "%20") if isinstance(value, str) else ""
    return url if len(url) <= _URL_CHARS else url.partition("?")[0][:_URL_CHARS]


def found_page(title: JsonValue, url: JsonValue, content: JsonValue) -> SearchResult | None:
    """A result with an address, its text not cut yet; without a title its host stands there. None has no address."""
    address = address_field(url)
    name = title_field(title) or host_of(address) or cut_at_word(address, _TITLE_CHARS)
    return SearchResult(name, address, plain_field(content)) if address else None
