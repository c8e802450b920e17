"""Tavily: JSON with a bearer key; its own statuses 432 and 433 mean that the quota is used up."""

from __future__ import annotations

from collections.abc import Iterable

from llamachat.core.errors import SearchCause
from llamachat.searxng.reply import Reply
from llamachat.web_request import WebRequest
from llamachat.websearch.adapter import Adapter, Found, Question, Refusal
from llamachat.websearch.json_fields import inside, objects_at, text_at
from llamachat.websearch.refusals import refusal_by_status

_STATUSES = {432: SearchCause.NO_CREDIT, 433: SearchCause.NO_CREDIT}


def _request(question: Question) -> WebRequest:
    return WebRequest(
        "POST",
        f"{question.address}/search",
        headers={"Authorization": f"Bearer {question.key}", "Accept": "application/json"},
        json={"query": question.words, "max_results": question.count},
    )


def _refusal(reply: Reply) -> Refusal | None:
    """`detail` is an object, a list or a text."""
    detail = inside(reply.json_object(), "detail")
    words = text_at(detail, "error") or text_at(detail, 0, "msg") or (detail if isinstance(detail, str) else "")
    if words and reply.status == 200:
        return Refusal(SearchCause.SERVER_FAULT, words)
    return refusal_by_status(reply, words, causes=_STATUSES)


def _results(reply: Reply) -> Iterable[Found] | None:
    pages = objects_at(reply.json_object(), "results")
    if pages is None:
        return None
    return [Found(page.get("title"), page.get("url"), page.get("content")) for page in pages]


TAVILY = Adapter(
    id="tavily",
    name="Tavily",
    address="https://api.tavily.com",
    host="api.tavily.com",
    key_variable="TAVILY_API_KEY",
    keys_at="app.tavily.com",
    request=_request,
    refusal=_refusal,
    results=_results,
)
