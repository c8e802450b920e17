"""One search of a turn as it is stored in the `searches` column, shown and exported."""

from __future__ import annotations

import json
import math
from collections.abc import Iterable
from dataclasses import asdict, dataclass, fields
from typing import cast

STORED_PAGE_CHARS = 10_000


@dataclass(frozen=True, slots=True)
class SearchResult:
    """What a search found. Only title, url and content reach a model. All of it is text from strangers.

    content: the snippet, or the text of the page where that was read. read_via: "direct" or "jina" where it was, ""
    otherwise. read_error: why it could not be read, "" where nobody tried. read_note: what is to be known of the
    text. read_chars: its length, also where less of it is stored. snippet: what the search engine had said, where
    `content` is the page's text.
    """

    title: str
    url: str
    content: str
    read_via: str = ""
    read_error: str = ""
    read_note: str = ""
    read_chars: int = 0
    snippet: str = ""

    @property
    def excerpt(self) -> str:
        """What the search engine said of the page, also where its text was read."""
        return self.snippet if self.read_via else self.content

    @property
    def told(self) -> str:
        """The content for a model, which also learns that a page could not be read."""
        if not self.read_error:
            return self.content
        return f"{self.content} [The page could not be read: {self.read_error}]".lstrip()


@dataclass(frozen=True, slots=True)
class SearchRecord:
    """A search and how it went. `error` is empty when it worked, also with no results.

    query: what the model asked for. asked: what was sent, where that differs ("" otherwise).
    cause: a SearchCause value, "" when it worked. route: model, router or user. engines: (name, reason) of
    engines that did not answer. first_number: the `[n]` of the first result in this turn. seconds: wall time.
    note: what the model was told beside the results. at: when the results were retrieved, in seconds since 1970.
    """

    query: str
    results: tuple[SearchResult, ...] = ()
    error: str = ""
    cause: str = ""
    asked: str = ""
    route: str = "model"
    provider: str = ""
    cached_age_s: float | None = None
    engines: tuple[tuple[str, str], ...] = ()
    first_number: int = 1
    seconds: float = 0.0
    note: str = ""
    at: float = 0.0

    @property
    def failed(self) -> bool:
        """True when there is an error; no results alone is no failure."""
        return bool(self.error)


def numbered_results(records: Iterable[SearchRecord]) -> dict[int, SearchResult]:
    """Every result of a turn by its `[n]`. A search that the model repeated gave the same numbers again."""
    return {number: result for record in records for number, result in enumerate(record.results, record.first_number)}


def record_row(record: SearchRecord) -> dict[str, object]:
    """The record as the object that is stored.

    Page text is cut to STORED_PAGE_CHARS: what a model saw stands in `wire`.
    """
    return asdict(record) | {"results": [_result_row(result) for result in record.results]}


def record_to_json(record: SearchRecord) -> str:
    """The same as JSON, as it is sent through `search_done`."""
    return json.dumps(record_row(record), ensure_ascii=False)


def record_from_json(text: str) -> SearchRecord:
    """The record in `text`; fields that are missing or of the wrong kind get their defaults."""
    return _record(json.loads(text))


def records_from_json(text: str | None) -> tuple[SearchRecord, ...]:
    """All records of a `searches` column; NULL, text that is no JSON and other shapes give none."""
    if not text:
        return ()
    try:
        rows = json.loads(text)
    except ValueError:
        return ()
    return tuple(_record(row) for row in rows if isinstance(row, dict)) if isinstance(rows, list) else ()


_NAMES = {f.name for f in fields(SearchRecord)}
_ALWAYS = ("title", "url", "content")
_RESULT_TEXTS = (*_ALWAYS, "read_via", "read_error", "read_note", "snippet")


def _record(row: object) -> SearchRecord:
    known = {k: v for k, v in row.items() if k in _NAMES} if isinstance(row, dict) else {}
    results = tuple(_result(item) for item in _list(known.get("results")) if isinstance(item, dict))
    pairs = (item for item in _list(known.get("engines")) if isinstance(item, list) and len(item) == 2)
    age, first = known.get("cached_age_s"), known.get("first_number")
    return SearchRecord(
        query=str(known.get("query") or ""),
        results=results,
        error=str(known.get("error") or ""),
        cause=str(known.get("cause") or ""),
        asked=str(known.get("asked") or ""),
        route=str(known.get("route") or "model"),
        provider=str(known.get("provider") or ""),
        cached_age_s=_number(age) if isinstance(age, int | float) else None,
        engines=tuple((str(name), str(reason)) for name, reason in pairs),
        first_number=first if isinstance(first, int) else 1,
        seconds=_number(known.get("seconds")),
        note=str(known.get("note") or ""),
        at=_number(known.get("at")),
    )


def _number(value: object) -> float:
    """A number that can be reckoned with; 0 for what is none, such as an infinity."""
    try:
        number = float(value) if isinstance(value, int | float) else 0.0
    except OverflowError:
        return 0.0
    return number if math.isfinite(number) else 0.0


def _list(value: object) -> list[object]:
    return cast("list[object]", value) if isinstance(value, list) else []


def _result_row(result: SearchResult) -> dict[str, object]:
    """The three fields that every result has, and what is known of its page."""
    row = {name: value for name, value in asdict(result).items() if value or name in _ALWAYS}
    return row | {"content": result.content[:STORED_PAGE_CHARS]} if result.read_via else row


def _result(item: dict[str, object]) -> SearchResult:
    texts = {name: str(item.get(name) or "") for name in _RESULT_TEXTS}
    chars = item.get("read_chars")
    return SearchResult(**texts, read_chars=chars if isinstance(chars, int) else 0)
