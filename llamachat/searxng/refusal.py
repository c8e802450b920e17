"""Answers that are no results: which error each one is, and what to do about it."""

from __future__ import annotations

import re
from collections.abc import Callable

from llamachat.core.errors import SearchCause, SearchError
from llamachat.core.plain_text import cut_at_word, plain_line
from llamachat.core.text import tr
from llamachat.searxng.reply import Reply

_Words = tuple[SearchCause, str, str]

# Headers that SearXNG puts on all it sends, and the page of the web framework it is made with. A proxy's own
# pages have neither.
_OWN_HEADERS = ("server-timing", "x-robots-tag")
_FRAMEWORK_PAGE = re.compile(r"\s*<!doctype html>.{0,40}<title>", re.DOTALL)
_OWN_PAGE = re.compile(r"""<meta name="generator" content="searx""", re.IGNORECASE)


def refusal(reply: Reply, *, site: str) -> SearchError:
    """The error for a reply without results. Of a page nothing is quoted, of JSON the words in `error`."""
    said = reply.json_object()
    error = said.get("error") if said else None
    if isinstance(error, str) and (reply.status in (200, 400) or reply.status >= 500):
        cause, sentence, next_step = _told(reply.status, error)
    else:
        cause, sentence, next_step = _BY_STATUS.get(reply.status, _other)(reply)
    words = cut_at_word(plain_line(error), 200) if isinstance(error, str) else ""
    return SearchError(
        sentence.format(site=site, status=reply.status, words=words.rstrip(".")), next_step, cause=cause
    )


def _told(status: int, error: str) -> _Words:
    """SearXNG's own words: what is wrong with a parameter, or that it failed itself."""
    if status >= 500:
        return (
            SearchCause.SERVER_FAULT,
            tr("SearXNG at {site} failed ({status}: {words})."),
            tr("Look into its log."),
        )
    check_language = tr("Check search_language; codes are written like de or pt-BR.")
    return (
        SearchCause.BAD_QUERY,
        tr("SearXNG at {site} refuses the search ({words})."),
        check_language if "language" in error else "",
    )


def _unauthorized(reply: Reply) -> _Words:
    return (
        SearchCause.UNAUTHORIZED,
        tr("SearXNG at {site} asks for a user and a password, or does not take the ones in search_url."),
        tr("Write them into search_url, like http://user:password@host."),
    )


def _forbidden(reply: Reply) -> _Words:
    """SearXNG says 403 when JSON is off, as it is shipped; a proxy says it to those it does not know."""
    if any(name in reply.headers for name in _OWN_HEADERS) or _FRAMEWORK_PAGE.match(reply.text):
        return _json_off(reply)
    return (
        SearchCause.UNAUTHORIZED,
        tr("The server in front of SearXNG at {site} denies access (403)."),
        tr("Allow this computer in the settings of that server."),
    )


def _json_off(reply: Reply) -> _Words:
    return (
        SearchCause.JSON_OFF,
        tr("SearXNG at {site} does not allow JSON."),
        tr(
            "Add json to its settings.yml, search: formats: [html, json], and restart it;"
            " public instances usually forbid it."
        ),
    )


def _limited(reply: Reply) -> _Words:
    return (
        SearchCause.LIMITED,
        tr("SearXNG at {site} refuses further searches for now (429, its limiter)."),
        tr("Wait some minutes; for an instance of your own, set limiter: false in its settings.yml."),
    )


def _not_found(reply: Reply) -> _Words:
    return (
        SearchCause.NOT_FOUND,
        tr("There is no search at {site} (404)."),
        tr("Check the path in search_url."),
    )


def _too_long(reply: Reply) -> _Words:
    return (
        SearchCause.BAD_QUERY,
        tr("The server at {site} finds the search too long ({status})."),
        tr("Search for fewer words."),
    )


def _bad_request(reply: Reply) -> _Words:
    if "HTTPS port" in reply.text:
        return SearchCause.TLS, tr("The server at {site} expects https."), tr("Write https:// in search_url.")
    return _other(reply)


def _page(reply: Reply) -> _Words:
    """A page in the place of JSON: SearXNG's own where the wish for JSON got lost, or another program's."""
    return _json_off(reply) if _OWN_PAGE.search(reply.text) else _other(reply)


def _other(reply: Reply) -> _Words:
    if reply.status in (502, 503, 504):
        return (
            SearchCause.SERVER_FAULT,
            tr("The server in front of SearXNG at {site} cannot reach it ({status})."),
            tr("Start SearXNG, or look into its log."),
        )
    if reply.status >= 500:
        return SearchCause.SERVER_FAULT, tr("SearXNG at {site} failed ({status})."), tr("Look into its log.")
    return (
        SearchCause.NOT_SEARXNG,
        tr("What answers at {site} is not SearXNG's search (status {status}, no JSON with results)."),
        tr("Check search_url."),
    )


_BY_STATUS: dict[int, Callable[[Reply], _Words]] = {
    200: _page,
    400: _bad_request,
    401: _unauthorized,
    403: _forbidden,
    404: _not_found,
    413: _too_long,
    414: _too_long,
    429: _limited,
}
