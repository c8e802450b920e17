"""DuckDuckGo, unofficially: its page for old browsers is read, since there is no interface for programs.

The program names itself and poses as no browser. What it is shut out with is a page of its own, which is never taken
for "nothing found", nor the reverse.
"""

from __future__ import annotations

import html
import re
from collections.abc import Iterable, Mapping
from urllib.parse import parse_qs, urlsplit

from llamachat.core.errors import SearchCause
from llamachat.core.text import tr
from llamachat.searxng.reply import Reply
from llamachat.web_request import WebRequest
from llamachat.websearch.adapter import Adapter, Found, Question, Refusal
from llamachat.websearch.refusals import refusal_by_status

_HOST = "duckduckgo.com"
_SHUT_OUT = (202, 400, 403, 418, 429)
_MAX_CHARS = 300_000  # a page of results has 30,000
_TITLES = {"result__a", "result-link"}  # of the two forms of the page: html and lite
_SNIPPETS = {"result__snippet", "result-snippet"}

# Bounded, so that no page takes long: html.parser needs half a minute for 300,000 characters of "<!--".
_TAG = re.compile(r"<(/?)([a-z][a-z0-9]{0,9})((?:\s[^<>]{0,3000})?)>", re.IGNORECASE)
_ATTRIBUTE = re.compile(r"""([a-z-]{1,20})\s?=\s?("[^"]*"|'[^']*'|[^\s"']+)""", re.IGNORECASE)


class _Page:
    """What a page of results holds, whichever of the two forms it has."""

    def __init__(self, text: str) -> None:
        self.has_form = self.is_challenge = False
        self._found: list[list[str]] = []  # title, address, snippet, as they stand in the page
        opened: tuple[str, int, int] | None = None  # the element, which of the three, where it begins
        for tag in _TAG.finditer(text):
            name = tag[2].lower()
            if not tag[1]:
                field = self._begun(name, _attributes(tag[3]))
                opened = opened if field is None else (name, field, tag.end())
            elif opened and name == opened[0]:
                self._found[-1][opened[1]] = text[opened[2] : tag.start()]
                opened = None

    @property
    def results(self) -> list[Found]:
        """The results without advertisements, in the page's order."""
        targets = ((title, _target(address), snippet) for title, address, snippet in self._found)
        return [Found(title, address, snippet) for title, address, snippet in targets if address]

    def _begun(self, name: str, attributes: Mapping[str, str]) -> int | None:
        """Take note of a form or a result; which of the fields of the last result begins here, if one does."""
        classes = set(attributes.get("class", "").split())
        if name == "form":
            action = attributes.get("action", "")
            self.is_challenge |= attributes.get("id") == "challenge-form" or "/anomaly.js" in action
            self.has_form |= action.rstrip("/").endswith(("/html", "/lite"))
        elif name == "a" and classes & _TITLES:
            self._found.append(["", attributes.get("href", ""), ""])
            return 0
        elif classes & _SNIPPETS and self._found:
            return 2
        return None


def _attributes(text: str) -> dict[str, str]:
    return {found[1].lower(): html.unescape(found[2].strip("\"'")) for found in _ATTRIBUTE.finditer(text)}


def _request(question: Question) -> WebRequest:
    form = {"q": question.words, "b": "", "kl": "wt-wt", "df": ""}
    return WebRequest("POST", f"{question.address}/lite/", headers={"Accept": "text/html"}, form=form)


def _page(reply: Reply) -> _Page:
    return _Page(reply.text[:_MAX_CHARS])


def _refusal(reply: Reply) -> Refusal | None:
    if reply.status in _SHUT_OUT or _page(reply).is_challenge:
        return Refusal(SearchCause.BOT_PAGE)
    return refusal_by_status(reply)


def _results(reply: Reply) -> Iterable[Found] | None:
    page = _page(reply)
    return page.results if page.has_form else None


def _target(href: str) -> str:
    """Where a result leads: the address behind DuckDuckGo's own, "" for an advertisement."""
    try:
        parts = urlsplit(href)
        ours = parts.hostname in (_HOST, f"www.{_HOST}", f"lite.{_HOST}", f"html.{_HOST}")
    except ValueError:
        return href
    if ours and parts.path.rstrip("/") == "/l":
        return parse_qs(parts.query, errors="replace").get("uddg", [""])[0]
    return "" if ours and parts.path == "/y.js" else href


def _sentences() -> Mapping[SearchCause, tuple[str, str]]:
    return {
        SearchCause.BOT_PAGE: (
            tr("DuckDuckGo takes this program for a robot and shows a page with a puzzle in place of results."),
            tr("Search there once in a browser on this computer, wait an hour, or use SearXNG instead."),
        )
    }


DUCKDUCKGO = Adapter(
    id="duckduckgo",
    name="DuckDuckGo",
    address=f"https://lite.{_HOST}",
    host=f"lite.{_HOST}",
    most=10,
    max_chars=499,
    request=_request,
    refusal=_refusal,
    results=_results,
    sentences=_sentences,
)
