"""Firecrawl: JSON with a bearer key; version 2 sorts results by source, version 1 has one list."""

from __future__ import annotations

from collections.abc import Iterable

from llamachat.core.errors import SearchCause
from llamachat.searxng.reply import Reply
from llamachat.web_request import WebRequest
from llamachat.websearch.adapter import Adapter, Found, Question, Refusal
from llamachat.websearch.json_fields import inside, objects_at, text_at
from llamachat.websearch.refusals import refusal_by_status


def _request(question: Question) -> WebRequest:
    return WebRequest(
        "POST",
        f"{question.address}/v2/search",
        headers={"Authorization": f"Bearer {question.key}", "Accept": "application/json"},
        json={"query": question.words, "limit": question.count, "sources": ["web"]},
    )


def _refusal(reply: Reply) -> Refusal | None:
    body = reply.json_object()
    words = text_at(body, "error")
    if "insufficient credits" in words.lower():
        return Refusal(SearchCause.NO_CREDIT, words)
    if inside(body, "success") is False and reply.status == 200:
        return Refusal(SearchCause.SERVER_FAULT, words)
    return refusal_by_status(reply, words)


def _results(reply: Reply) -> Iterable[Found] | None:
    data = inside(reply.json_object(), "data")
    if isinstance(data, dict):
        pages = [*(objects_at(data, "web") or []), *(objects_at(data, "news") or [])]
    elif isinstance(data, list):
        pages = objects_at(data) or []
    else:
        return None
    return [Found(p.get("title"), p.get("url"), p.get("description") or p.get("snippet")) for p in pages]


FIRECRAWL = Adapter(
    id="firecrawl",
    name="Firecrawl",
    address="https://api.firecrawl.dev",
    host="api.firecrawl.dev",
    key_variable="FIRECRAWL_API_KEY",
    keys_at="firecrawl.dev",
    request=_request,
    refusal=_refusal,
    results=_results,
)
