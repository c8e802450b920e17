"""Ollama's web search: asked of the Ollama on one's own machine, which sends the query on to ollama.com."""

from __future__ import annotations

from collections.abc import Iterable, Mapping

from llamachat.core.errors import SearchCause
from llamachat.core.plain_text import plain_line
from llamachat.core.text import tr
from llamachat.searxng.reply import Reply
from llamachat.web_request import WebRequest
from llamachat.websearch.adapter import Adapter, Found, Question, Refusal
from llamachat.websearch.json_fields import objects_at, text_at
from llamachat.websearch.refusals import refusal_by_status

_STATUSES = {403: SearchCause.SWITCHED_OFF, 404: SearchCause.TOO_OLD}
_LINK_CHARS = 300


def _request(question: Question) -> WebRequest:
    return WebRequest(
        "POST",
        f"{question.address}/api/experimental/web_search",
        headers={"Accept": "application/json"},
        json={"query": question.words, "max_results": question.count},
    )


def _refusal(reply: Reply) -> Refusal | None:
    body = reply.json_object()
    words = text_at(body, "error")
    if "usage limit" in words:
        return Refusal(SearchCause.NO_CREDIT, words)
    link = plain_line(text_at(body, "signin_url"))
    if link:
        return Refusal(SearchCause.KEY_REJECTED, words, link=_safe(link))
    if words and reply.status == 200:
        return Refusal(SearchCause.SERVER_FAULT, words)
    return refusal_by_status(reply, words, causes=_STATUSES)


def _safe(link: str) -> str:
    """An address to sign in at, or what stands in its place where it is none."""
    usable = link.startswith("https://") and " " not in link and len(link) <= _LINK_CHARS
    return link if usable else "https://ollama.com"


def _results(reply: Reply) -> Iterable[Found] | None:
    pages = objects_at(reply.json_object(), "results")
    if pages is None:
        return None
    return [Found(page.get("title"), page.get("url"), page.get("content")) for page in pages]


def _sentences() -> Mapping[SearchCause, tuple[str, str]]:
    sign_in = tr("Run `ollama signin`, or open {link}, then search again.")
    return {
        SearchCause.KEY_REJECTED: (tr("Ollama at {site} is not signed in, so it may not search."), sign_in),
        SearchCause.SWITCHED_OFF: (
            tr("Ollama at {site} is told to stay off ollama.com, so it cannot search."),
            tr("Take OLLAMA_NO_CLOUD out of its environment, or choose another search_provider."),
        ),
        SearchCause.TOO_OLD: (tr("Ollama at {site} is too old to search (404)."), tr("Update Ollama.")),
        SearchCause.UNREACHABLE: (
            tr("Ollama at {site} is not reachable ({reason})."),
            tr("Start it, check ollama_url, or choose another search_provider."),
        ),
        SearchCause.BAD_ADDRESS: (tr("ollama_url is not an address that can be used."), tr("Check ollama_url.")),
    }


OLLAMA = Adapter(
    id="ollama",
    name="Ollama",
    address="http://127.0.0.1:11434",
    host="ollama.com",
    most=10,
    request=_request,
    refusal=_refusal,
    results=_results,
    sentences=_sentences,
)
