"""The hostile texts of tests/data/injection, and the way of a search that each of them goes."""

from __future__ import annotations

import json
from dataclasses import dataclass, field
from functools import cache
from html.parser import HTMLParser
from pathlib import Path

from llamachat.core.cancel import CancelToken
from llamachat.core.messages import JsonObject
from llamachat.core.search_record import SearchRecord
from tests.fakes.replay import answer, replay
from tests.fakes.searching import searxng_search
from tests.websearch.reading_world import HTML, reading

_DATA = Path(__file__).parents[1] / "data" / "injection"


@dataclass(frozen=True)
class Hostile:
    """One text. holds: the defences that keep it from doing what it tries, as docs/security.md names them."""

    name: str
    tries: str
    holds: tuple[str, ...]
    fields: JsonObject

    def text(self, key: str) -> str:
        """A field that is text."""
        return str(self.fields[key])


@cache
def hostile(kind: str) -> tuple[Hostile, ...]:
    """The texts of a file: results, pages, answers or queries."""
    lines = (_DATA / f"{kind}.jsonl").read_text(encoding="utf-8").splitlines()
    rows = [json.loads(line) for line in lines]
    return tuple(Hostile(row["name"], row["tries"], tuple(row["holds"]), row) for row in rows)


def name_of(one: Hostile) -> str:
    """For the names of tests."""
    return one.name


def page_of(title: str, url: str, content: str, **more: object) -> bytes:
    """What SearXNG answers with one result."""
    return json.dumps({"results": [{"title": title, "url": url, "content": content, **more}]}).encode()


@cache
def record_of(name: str) -> SearchRecord:
    """What a search makes of a hostile result, or of a plain one where there is no such name."""
    one = next((one for one in hostile("results") if one.name == name), None)
    body = page_of("Tide tables", "https://tides.example/", "High water at noon.")
    if one:
        extra = one.fields.get("extra")
        more = extra if isinstance(extra, dict) else {}
        body = page_of(one.text("title"), one.text("url"), one.text("content"), **more)
    with replay(answer(200, {"Content-Type": "application/json"}, body)) as server:
        return searxng_search(server.url).find("tides", CancelToken())


@cache
def read_page(name: str) -> SearchRecord:
    """What a search makes of a hostile page that it reads."""
    one = next(one for one in hostile("pages") if one.name == name)
    with reading({"/p": answer(200, HTML, one.text("html").encode())}) as world:
        return SearchRecord("tides", results=world.read("/p"), provider="SearXNG")


@dataclass
class Drawn(HTMLParser):
    """HTML for the transcript, taken apart: its tags, its links, its text."""

    html: str
    tags: set[str] = field(default_factory=set)
    links: list[str] = field(default_factory=list)
    attributes: set[str] = field(default_factory=set)
    said: list[str] = field(default_factory=list)

    def __post_init__(self) -> None:
        super().__init__()
        self.feed(self.html)
        self.close()

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        """Note it."""
        self.tags.add(tag)
        self.attributes |= {name for name, _ in attrs}
        self.links += [value or "" for name, value in attrs if name in ("href", "src")]

    def handle_data(self, data: str) -> None:
        """Note it."""
        self.said.append(data)

    @property
    def text(self) -> str:
        """All of it."""
        return "".join(self.said)
