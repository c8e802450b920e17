"""SerpApi, which asks Google: GET with the key in the address; nothing found is told as an error with status 200."""

from __future__ import annotations

from collections.abc import Iterable
from urllib.parse import urlencode

from llamachat.core.errors import SearchCause
from llamachat.searxng.reply import Reply
from llamachat.web_request import WebRequest
from llamachat.websearch.adapter import Adapter, Found, Question, Refusal
from llamachat.websearch.json_fields import objects_at, text_at
from llamachat.websearch.refusals import refusal_by_status

_NOTHING_FOUND = "hasn't returned any results"


def _request(question: Question) -> WebRequest:
    fields = {"engine": "google", "q": question.words, "api_key": question.key}
    address = f"{question.address}/search.json?{urlencode(fields)}"
    return WebRequest("GET", address, headers={"Accept": "application/json"})


def _refusal(reply: Reply) -> Refusal | None:
    """429 stands for both limits: the words decide."""
    words = text_at(reply.json_object(), "error")
    if _NOTHING_FOUND in words:
        return None
    if "run out of searches" in words:
        return Refusal(SearchCause.NO_CREDIT, words)
    if words and reply.status == 200:
        return Refusal(SearchCause.SERVER_FAULT, words)
    return refusal_by_status(reply, words)


def _results(reply: Reply) -> Iterable[Found] | None:
    body = reply.json_object()
    pages = objects_at(body, "organic_results")
    if pages is None:
        ended = text_at(body, "search_metadata", "status") == "Success" or _NOTHING_FOUND in text_at(body, "error")
        return [] if ended else None
    return [Found(page.get("title"), page.get("link"), page.get("snippet")) for page in pages]


SERPAPI = Adapter(
    id="serpapi",
    name="SerpApi",
    address="https://serpapi.com",
    host="serpapi.com",
    key_variable="SERPAPI_API_KEY",
    keys_at="serpapi.com",
    request=_request,
    refusal=_refusal,
    results=_results,
)
