"""One search of a turn as it is stored in the `searches` column, shown and exported."""

from __future__ import annotations

import json
from collections.abc import Iterable
from dataclasses import asdict, dataclass, fields
from typing import cast


@dataclass(frozen=True, slots=True)
class SearchResult:
    """What a search found: the only three fields that survive. All of it is text from strangers."""

    title: str
    url: str
    content: str


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
    pages: tuple[str, ...] = ()
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


def record_to_json(record: SearchRecord) -> str:
    """The record as the JSON object that is stored and sent through `search_done`."""
    return json.dumps(asdict(record), ensure_ascii=False)


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


def _record(row: object) -> SearchRecord:
    known = {k: v for k, v in row.items() if k in _NAMES} if isinstance(row, dict) else {}
    results = tuple(_result(item) for item in _list(known.get("results")) if isinstance(item, dict))
    pairs = (item for item in _list(known.get("engines")) if isinstance(item, list) and len(item) == 2)
    age, first, seconds = known.get("cached_age_s"), known.get("first_number"), known.get("seconds")
    at = known.get("at")
    return SearchRecord(
        query=str(known.get("query") or ""),
        results=results,
        error=str(known.get("error") or ""),
        cause=str(known.get("cause") or ""),
        asked=str(known.get("asked") or ""),
        route=str(known.get("route") or "model"),
        provider=str(known.get("provider") or ""),
        cached_age_s=float(age) if isinstance(age, int | float) else None,
        engines=tuple((str(name), str(reason)) for name, reason in pairs),
        pages=tuple(str(page) for page in _list(known.get("pages"))),
        first_number=first if isinstance(first, int) else 1,
        seconds=float(seconds) if isinstance(seconds, int | float) else 0.0,
        note=str(known.get("note") or ""),
        at=float(at) if isinstance(at, int | float) else 0.0,
    )


def _list(value: object) -> list[object]:
    return cast("list[object]", value) if isinstance(value, list) else []


def _result(item: dict[str, object]) -> SearchResult:
    return SearchResult(*(str(item.get(name) or "") for name in ("title", "url", "content")))
