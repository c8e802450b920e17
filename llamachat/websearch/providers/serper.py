"""Serper, which asks Google: a wrong key is a 403, no credit a 400."""

from __future__ import annotations

from collections.abc import Iterable

from llamachat.core.errors import SearchCause
from llamachat.searxng.reply import Reply
from llamachat.web_request import WebRequest
from llamachat.websearch.adapter import Adapter, Found, Question, Refusal
from llamachat.websearch.json_fields import inside, objects_at, text_at
from llamachat.websearch.refusals import refusal_by_status

_STATUSES = {403: SearchCause.KEY_REJECTED}


def _request(question: Question) -> WebRequest:
    return WebRequest(
        "POST",
        f"{question.address}/search",
        headers={"X-API-KEY": question.key, "Accept": "application/json"},
        json={"q": question.words, "num": 10},  # other numbers may cost more and bring no more
    )


def _refusal(reply: Reply) -> Refusal | None:
    body = reply.json_object()
    words = text_at(body, "message")
    if "not enough credits" in words.lower():
        return Refusal(SearchCause.NO_CREDIT, words)
    if words and reply.status == 200:
        return Refusal(SearchCause.SERVER_FAULT, words)
    return refusal_by_status(reply, words, causes=_STATUSES)


def _results(reply: Reply) -> Iterable[Found] | None:
    body = reply.json_object()
    pages = objects_at(body, "organic")
    if pages is None:
        return [] if isinstance(inside(body, "searchParameters"), dict) else None
    return [Found(page.get("title"), page.get("link"), page.get("snippet")) for page in pages]


SERPER = Adapter(
    id="serper",
    name="Serper",
    address="https://google.serper.dev",
    host="google.serper.dev",
    key_variable="SERPER_API_KEY",
    keys_at="serper.dev",
    request=_request,
    refusal=_refusal,
    results=_results,
)
