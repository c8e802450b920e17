"""DuckDuckGo, unofficially: its page for old browsers is read, since there is no interface for programs.

The program names itself and poses as no browser. What it is shut out with is a page of its own, which is never taken
for "nothing found", nor the reverse.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from html.parser import HTMLParser
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
_FIELD_CHARS = 4000
_TITLES = {"result__a", "result-link"}  # of the two forms of the page: html and lite
_SNIPPETS = {"result__snippet", "result-snippet"}


class _Page(HTMLParser):
    """What a page of results holds, whichever of the two forms it has."""

    def __init__(self) -> None:
        super().__init__(convert_charrefs=True)
        self.found: list[list[str]] = []  # title, address, snippet
        self.has_form = self.is_challenge = False
        self._ends_at = ""
        self._field = 0

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        """Note forms, and begin a title or a snippet."""
        attributes = {name: value or "" for name, value in attrs}
        classes = set(attributes.get("class", "").split())
        if tag == "form":
            action = attributes.get("action", "")
            self.is_challenge |= attributes.get("id") == "challenge-form" or "/anomaly.js" in action
            self.has_form |= action.rstrip("/").endswith(("/html", "/lite"))
        elif tag == "a" and classes & _TITLES:
            self.found.append(["", attributes.get("href", ""), ""])
            self._ends_at, self._field = tag, 0
        elif classes & _SNIPPETS and self.found:
            self._ends_at, self._field = tag, 2

    def handle_endtag(self, tag: str) -> None:
        """End what was begun."""
        if tag == self._ends_at:
            self._ends_at = ""

    def handle_data(self, data: str) -> None:
        """Take up text inside a title or a snippet."""
        if self._ends_at and len(self.found[-1][self._field]) < _FIELD_CHARS:
            self.found[-1][self._field] += data


def _request(question: Question) -> WebRequest:
    form = {"q": question.words, "b": "", "kl": "wt-wt", "df": ""}
    return WebRequest("POST", f"{question.address}/lite/", headers={"Accept": "text/html"}, form=form)


def _page(reply: Reply) -> _Page:
    page = _Page()
    page.feed(reply.text[:_MAX_CHARS])
    page.close()
    return page


def _refusal(reply: Reply) -> Refusal | None:
    if reply.status in _SHUT_OUT or _page(reply).is_challenge:
        return Refusal(SearchCause.BOT_PAGE)
    return refusal_by_status(reply)


def _results(reply: Reply) -> Iterable[Found] | None:
    page = _page(reply)
    if not page.has_form:
        return None
    addressed = ((title, _target(href), snippet) for title, href, snippet in page.found)
    return [Found(title, url, snippet) for title, url, snippet in addressed if url]


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
            tr("DuckDuckGo takes this program for a robot and gives no results ({said})."),
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
