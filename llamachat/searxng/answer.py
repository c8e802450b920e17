"""SearXNG's JSON as results: only title, address and snippet survive, as plain text.

Shapes: every release from searx 1.1 to SearXNG 2026.8 (recorded answers in tests/data/searxng).
"""

from __future__ import annotations

from dataclasses import dataclass, replace

from llamachat.core.errors import SearchCause, SearchError
from llamachat.core.messages import JsonObject, JsonValue
from llamachat.core.plain_text import cut_at_word
from llamachat.core.result_text import address_field, found_page, plain_field, title_field
from llamachat.core.search_record import SearchResult
from llamachat.core.text import tr
from llamachat.core.web_address import host_of, page_key
from llamachat.searxng.refusal import refusal
from llamachat.searxng.reply import Reply

MAX_COUNT = 20
_ENGINES = 30
_ENGINES_NAMED = 5


@dataclass(frozen=True, slots=True)
class SearchAnswer:
    """What SearXNG found. No results and no error means that its engines answered and found nothing.

    engines: (name, reason) of those that did not answer. asked: the words that were sent.
    """

    results: tuple[SearchResult, ...]
    engines: tuple[tuple[str, str], ...] = ()
    asked: str = ""


def read_answer(reply: Reply, *, site: str, count: int, snippet_chars: int) -> SearchAnswer:
    """The answer in a reply; raises SearchError, also where every engine that was asked refused."""
    payload = reply.json_object() if reply.status == 200 else None
    if payload is None or not isinstance(payload.get("results"), list):
        raise refusal(reply, site=site)
    results = _results(payload, count=count, snippet_chars=snippet_chars)
    engines = _engines(payload)
    if engines and not results and not _some_engine_answered(reply):
        raise _engines_refused(site, engines)
    return SearchAnswer(results, engines)


def _results(payload: JsonObject, *, count: int, snippet_chars: int) -> tuple[SearchResult, ...]:
    """Direct answers, then infoboxes, then pages in the server's order; a page that comes twice counts once.

    What answers the question itself stands first, but takes at most half of the places.
    """
    count = min(max(count, 1), MAX_COUNT)
    answers = [answer for item in _items(payload, "answers") if (answer := _direct_answer(item))]
    boxes = [box for item in _items(payload, "infoboxes") if (box := _infobox(item))]
    pages = [page for item in _items(payload, "results") if (page := _page(item))]
    # An answer often has the address of the infobox beside it and says something else: it is known by its text.
    direct = [(answer.content, answer) for answer in answers] + [_keyed(box) for box in boxes]
    found: dict[str, SearchResult] = {}
    for key, result in direct[: max(count // 2, 1)] + [_keyed(page) for page in pages]:
        found.setdefault(key, result)
    return tuple(replace(r, content=cut_at_word(r.content, snippet_chars)) for r in list(found.values())[:count])


def _keyed(result: SearchResult) -> tuple[str, SearchResult]:
    return page_key(result.url) or result.content, result


def _page(item: JsonValue) -> SearchResult | None:
    """A result of SearXNG, which writes "None" for no snippet."""
    if not isinstance(item, dict):
        return None
    page = found_page(item.get("title"), item.get("url"), item.get("content"))
    return replace(page, content="") if page and page.content == "None" else page


def _direct_answer(item: JsonValue) -> SearchResult | None:
    """An answer: an object, before 2025 a string. Its address is often missing."""
    fields: JsonObject = item if isinstance(item, dict) else {"answer": item}
    text = plain_field(fields.get("answer"))
    return SearchResult(tr("Answer"), address_field(fields.get("url")), text) if text else None


def _infobox(item: JsonValue) -> SearchResult | None:
    """An infobox: its text and its attributes, under the first address it gives."""
    if not isinstance(item, dict):
        return None
    links = [link for link in _items(item, "urls") if isinstance(link, dict)]
    rows = [row for row in _items(item, "attributes") if isinstance(row, dict) and isinstance(row.get("value"), str)]
    facts = "; ".join(f"{plain_field(row.get('label'))}: {plain_field(row['value'])}" for row in rows)
    text = " ".join(part for part in (plain_field(item.get("content")), facts) if part)
    urls = [
        address_field(item.get("url")),
        address_field(item.get("id")),
        *(address_field(link.get("url")) for link in links),
    ]
    url = next((url for url in urls if host_of(url)), "")
    title = title_field(item.get("infobox")) or host_of(url)
    return SearchResult(title, url, text) if text else None


def _items(payload: JsonObject, name: str) -> list[JsonValue]:
    value = payload.get(name)
    return value if isinstance(value, list) else []


def _engines(payload: JsonObject) -> tuple[tuple[str, str], ...]:
    """The engines that did not answer, each once: a slow one may be named twice."""
    reasons: dict[str, str] = {}
    for pair in _items(payload, "unresponsive_engines"):
        if isinstance(pair, list) and len(pair) > 1:
            reasons[cut_at_word(plain_field(pair[0]), 60)] = cut_at_word(plain_field(pair[1]), 100)
    return tuple(reasons.items())[:_ENGINES]


def _some_engine_answered(reply: Reply) -> bool:
    """Server-Timing has an entry `total_N_name` for each engine that answered, also with nothing.

    Not in searx, which lists the failed ones too and has no entry `render`.
    """
    timing = reply.headers.get("server-timing", "")
    return "render;" in timing and "total_" in timing


def _engines_refused(site: str, engines: tuple[tuple[str, str], ...]) -> SearchError:
    named = "; ".join(f"{name}: {reason}" for name, reason in engines[:_ENGINES_NAMED])
    more = "; …" if len(engines) > _ENGINES_NAMED else ""
    return SearchError(
        tr("The search engines behind SearXNG at {site} did not answer ({reasons}).").format(
            site=site, reasons=named + more
        ),
        tr("Try again in some minutes, or switch other engines on in SearXNG."),
        cause=SearchCause.ENGINES_REFUSED,
        engines=engines,
    )
