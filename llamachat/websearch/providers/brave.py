"""Brave Search: GET with the key in a header; a wrong key is a 422, both limits are a 429."""

from __future__ import annotations

import re
from collections.abc import Iterable
from urllib.parse import urlencode

from llamachat.core.errors import SearchCause
from llamachat.core.messages import JsonValue
from llamachat.searxng.reply import Reply
from llamachat.web_request import WebRequest
from llamachat.websearch.adapter import Adapter, Found, Question, Refusal
from llamachat.websearch.json_fields import inside, objects_at, text_at
from llamachat.websearch.refusals import refusal_by_status

_MAX_WORDS = 50


def _request(question: Question) -> WebRequest:
    fields = {
        "q": " ".join(question.words.split()[:_MAX_WORDS]),
        "count": str(question.count),
        "result_filter": "web",
        "text_decorations": "false",
    }
    return WebRequest(
        "GET",
        f"{question.address}/res/v1/web/search?{urlencode(fields)}",
        headers={"X-Subscription-Token": question.key, "Accept": "application/json"},
    )


def _refusal(reply: Reply) -> Refusal | None:
    body = reply.json_object()
    error = inside(body, "error") or inside(body, "errors", 0)  # one object; a list in the documentation
    code, words = text_at(error, "code"), text_at(error, "detail")
    if code == "SUBSCRIPTION_TOKEN_INVALID" or (code == "VALIDATION" and _names_the_key(error)):
        return Refusal(SearchCause.KEY_REJECTED, words)
    if code == "QUOTA_LIMITED" or (code == "RATE_LIMITED" and _used_up(error)):
        return Refusal(SearchCause.NO_CREDIT, words)
    if code == "RATE_LIMITED":
        return Refusal(SearchCause.LIMITED, words, wait_s=_wait(reply))
    if code == "SUBSCRIPTION_NOT_FOUND":
        return Refusal(SearchCause.FORBIDDEN, words)
    if code and reply.status == 200:
        return Refusal(SearchCause.SERVER_FAULT, words or code)
    return refusal_by_status(reply, words)


def _names_the_key(error: JsonValue) -> bool:
    """A missing key is told like a wrong parameter."""
    wrong = objects_at(error, "meta", "errors") or []
    return any("x-subscription-token" in str(inside(item, "loc")).lower() for item in wrong)


def _used_up(error: JsonValue) -> bool:
    """Whether the month is over; a limit of 0 is none."""
    limit, current = inside(error, "meta", "quota_limit"), inside(error, "meta", "quota_current")
    return isinstance(limit, int | float) and isinstance(current, int | float) and 0 < limit <= current


def _wait(reply: Reply) -> float | None:
    """The seconds until the first of the windows, that of a second, begins anew."""
    first = re.match(r"\s*(\d{1,6})\b", reply.headers.get("x-ratelimit-reset", ""))
    return float(first[1]) if first else None


def _results(reply: Reply) -> Iterable[Found] | None:
    body = reply.json_object()
    pages = objects_at(body, "web", "results")
    if pages is None:
        return [] if text_at(body, "type") == "search" else None
    return [Found(page.get("title"), page.get("url"), page.get("description")) for page in pages]


BRAVE = Adapter(
    id="brave",
    name="Brave",
    address="https://api.search.brave.com",
    host="api.search.brave.com",
    key_variable="BRAVE_API_KEY",
    keys_at="brave.com/search/api",
    request=_request,
    refusal=_refusal,
    results=_results,
)
