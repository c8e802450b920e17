"""What an answer of ChatGPT was founded on, and the marks in its text that point there.

`citations` hold places in the text with a title and an address, `content_references` the text of a mark with the
pages it stands for, `search_result_groups` all that was found. Marks are characters of Unicode's private use around
words like `cite`, in older files numbers in 【】. Sources: see `chatgpt`.
"""

from __future__ import annotations

import re
from collections.abc import Iterator

from llamachat.core.messages import JsonObject
from llamachat.core.search_record import SearchRecord, SearchResult
from llamachat.core.text import clean
from llamachat.transfer.json_fields import loose_objects, loose_text

_MARK = re.compile("\ue200[^\ue200\ue201]*\ue201|【[^【】†\n]*†[^【】\n]*】")

_LONGEST_MARK = 200


def found_searches(metadata: JsonObject) -> tuple[SearchRecord, ...]:
    """One record with all pages that are named, each once, those that the text points at first."""
    results = tuple(_numbered(metadata).values())
    return (SearchRecord(query=asked_queries(metadata), results=results, provider="ChatGPT"),) if results else ()


def asked_queries(metadata: JsonObject) -> str:
    """What was searched for, as one text."""
    queries = loose_objects(metadata.get("search_queries"))
    model = metadata.get("search_model_queries")
    texts = [loose_text(query, "q") for query in queries]
    asked = model.get("queries") if isinstance(model, dict) else None
    texts += [clean(query) for query in asked if isinstance(query, str)] if isinstance(asked, list) else []
    return ", ".join(dict.fromkeys(filter(None, texts)))


def cited_text(text: str, metadata: JsonObject) -> str:
    """The text with `[1]` where a mark pointed at the first source, and without marks that point nowhere."""
    if not _MARK.search(text):
        return text
    numbers = {url: number for number, url in enumerate(_numbered(metadata), 1)}
    meant = dict(_meant(metadata, text))

    def numbered(mark: re.Match[str]) -> str:
        cited = {numbers[url] for url in meant.get(mark[0], ()) if url in numbers}
        return "".join(f"[{number}]" for number in sorted(cited))

    return _MARK.sub(numbered, text)


def _meant(metadata: JsonObject, text: str) -> Iterator[tuple[str, list[str]]]:
    """Yield the marks, and the addresses that each stands for."""
    for citation in loose_objects(metadata.get("citations")):
        start, end, page = citation.get("start_ix"), citation.get("end_ix"), citation.get("metadata")
        if isinstance(start, int) and isinstance(end, int) and isinstance(page, dict) and start >= 0:
            yield text[start : min(end, start + _LONGEST_MARK)], [loose_text(page, "url")]
    for reference in loose_objects(metadata.get("content_references")):
        yield loose_text(reference, "matched_text"), [page.url for page in _pages(reference)]


def _numbered(metadata: JsonObject) -> dict[str, SearchResult]:
    """The pages by their addresses, in the order of their numbers."""
    found: dict[str, SearchResult] = {}
    for page in _all_pages(metadata):
        if page.url:
            found.setdefault(page.url, page)
    return found


def _all_pages(metadata: JsonObject) -> Iterator[SearchResult]:
    for citation in loose_objects(metadata.get("citations")):
        yield from map(_page, loose_objects([citation.get("metadata")]))
    for reference in loose_objects(metadata.get("content_references")):
        yield from _pages(reference)
    for group in loose_objects(metadata.get("search_result_groups")):
        yield from map(_page, loose_objects(group.get("entries")))


def _pages(reference: JsonObject) -> Iterator[SearchResult]:
    for name in ("items", "sources"):
        yield from map(_page, loose_objects(reference.get(name)))


def _page(row: JsonObject) -> SearchResult:
    return SearchResult(
        loose_text(row, "title"), loose_text(row, "url"), loose_text(row, "snippet") or loose_text(row, "text")
    )
