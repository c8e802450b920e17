"""Exa: JSON with a bearer key; snippets come only where highlights are asked for."""

from __future__ import annotations

from collections.abc import Iterable

from llamachat.core.errors import SearchCause
from llamachat.core.messages import JsonObject, JsonValue
from llamachat.searxng.reply import Reply
from llamachat.web_request import WebRequest
from llamachat.websearch.adapter import Adapter, Found, Question, Refusal
from llamachat.websearch.json_fields import inside, objects_at, text_at
from llamachat.websearch.refusals import refusal_by_status

_TAGS = {
    "INVALID_API_KEY": SearchCause.KEY_REJECTED,
    "NO_MORE_CREDITS": SearchCause.NO_CREDIT,
    "API_KEY_BUDGET_EXCEEDED": SearchCause.NO_CREDIT,
    "TEAM_BUDGET_EXCEEDED": SearchCause.NO_CREDIT,
}


def _request(question: Question) -> WebRequest:
    return WebRequest(
        "POST",
        f"{question.address}/search",
        headers={"Authorization": f"Bearer {question.key}", "Accept": "application/json"},
        json={"query": question.words, "numResults": question.count, "contents": {"highlights": True}},
    )


def _refusal(reply: Reply) -> Refusal | None:
    body = reply.json_object()
    words = text_at(body, "error")
    if cause := _TAGS.get(text_at(body, "tag")):
        return Refusal(cause, words)
    if words and reply.status == 200:
        return Refusal(SearchCause.SERVER_FAULT, words)
    return refusal_by_status(reply, words)


def _results(reply: Reply) -> Iterable[Found] | None:
    pages = objects_at(reply.json_object(), "results")
    if pages is None:
        return None
    return [Found(page.get("title"), page.get("url"), _snippet(page)) for page in pages]


def _snippet(page: JsonObject) -> JsonValue:
    highlights = inside(page, "highlights")
    parts = [part for part in highlights if isinstance(part, str)] if isinstance(highlights, list) else []
    return " … ".join(parts) or page.get("text")


EXA = Adapter(
    id="exa",
    name="Exa",
    address="https://api.exa.ai",
    host="api.exa.ai",
    key_variable="EXA_API_KEY",
    keys_at="dashboard.exa.ai",
    request=_request,
    refusal=_refusal,
    results=_results,
)
