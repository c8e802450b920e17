"""Perplexity's search: JSON with a bearer key; its snippets are long texts. The chat called Sonar has ended."""

from __future__ import annotations

from collections.abc import Iterable

from llamachat.core.errors import SearchCause
from llamachat.searxng.reply import Reply
from llamachat.web_request import WebRequest
from llamachat.websearch.adapter import Adapter, Found, Question, Refusal
from llamachat.websearch.json_fields import objects_at, text_at
from llamachat.websearch.refusals import refusal_by_status

_PAGE_TOKENS = 512  # of each page: the snippets are cut far below that
_MONEY = ("quota", "credit", "billing", "balance")


def _request(question: Question) -> WebRequest:
    return WebRequest(
        "POST",
        f"{question.address}/search",
        headers={"Authorization": f"Bearer {question.key}", "Accept": "application/json"},
        json={"query": question.words, "max_results": question.count, "max_tokens_per_page": _PAGE_TOKENS},
    )


def _refusal(reply: Reply) -> Refusal | None:
    """An error body is not documented; a wrong key is often answered with a page."""
    body = reply.json_object()
    words = text_at(body, "error", "message") or text_at(body, "detail", 0, "msg") or text_at(body, "error")
    if reply.status in (401, 402, 403, 429) and any(word in words.lower() for word in _MONEY):
        return Refusal(SearchCause.NO_CREDIT, words)
    if words and reply.status == 200:
        return Refusal(SearchCause.SERVER_FAULT, words)
    return refusal_by_status(reply, words)


def _results(reply: Reply) -> Iterable[Found] | None:
    """Gateways that still speak the old chat have their results in `search_results`."""
    body = reply.json_object()
    pages = objects_at(body, "results")
    pages = objects_at(body, "search_results") if pages is None else pages
    if pages is None:
        return None
    return [Found(page.get("title"), page.get("url"), page.get("snippet")) for page in pages]


PERPLEXITY = Adapter(
    id="perplexity",
    name="Perplexity",
    address="https://api.perplexity.ai",
    host="api.perplexity.ai",
    key_variable="PERPLEXITY_API_KEY",
    keys_at="perplexity.ai",
    request=_request,
    refusal=_refusal,
    results=_results,
)
