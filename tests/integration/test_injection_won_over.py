"""What a model that was won over can do: write answers and searches. And docs/security.md names every case."""

from __future__ import annotations

import re
from pathlib import Path
from urllib.parse import parse_qs

import pytest

from llamachat.chat.web_search_tool import WebSearchTool
from llamachat.core.cancel import CancelToken
from llamachat.core.clock import SystemClock
from llamachat.core.seams import Consent
from llamachat.core.search_record import record_from_json
from llamachat.render.html import HtmlWriter, MessageContext
from llamachat.render.incremental import draw_pieces
from llamachat.render.parse import MarkdownParser
from llamachat.search import SearxngSettings
from llamachat.websearch.guard import Guard, GuardLimits
from llamachat.websearch.provider import Provider
from llamachat.websearch.providers.searxng import SearxngProvider
from llamachat.websearch.service import SearchManners, WebSearch
from tests.fakes.replay import answer, replay
from tests.fakes.searching import NO_FILE, KeptEgress
from tests.integration.injection_corpus import Drawn, Hostile, hostile, name_of, page_of
from tests.websearch.provider_world import provider_at, success_of

SOURCE = "https://tides.example/today"
SECURITY = Path(__file__).parents[2] / "docs" / "security.md"
FINDS = answer(200, {"Content-Type": "application/json"}, page_of("Tides", SOURCE, "Noon."))
KINDS = ("results", "pages", "answers", "queries", "failures")


def drawn(text: str) -> Drawn:
    """An answer with one source, as the transcript gets it."""
    parser = MarkdownParser()
    writer = HtmlWriter(parser, MessageContext(7, {1: SOURCE}))
    return Drawn("".join(piece.html for piece in draw_pieces(parser, writer, text)))


def search_through(provider: Provider, consent: Consent | None = None) -> WebSearch:
    guard = Guard(GuardLimits(), NO_FILE, clock=SystemClock())
    return WebSearch(provider, SearchManners(guard, consent=consent), clock=SystemClock())


class Refuses:
    """The Consent seam: nothing may go out."""

    def __init__(self) -> None:
        self.asked: list[tuple[str, str]] = []

    def ask(
        self, query: str, *, provider: str, host: str, cancel: CancelToken, chat_id: int | None = None
    ) -> str | None:
        """No."""
        self.asked.append((query, host))
        return None


@pytest.mark.claim("LC-039", "LC-035", "LC-037")
@pytest.mark.parametrize("one", hostile("answers"), ids=name_of)
def test_an_answer_loads_nothing_and_has_no_anchor_of_the_program(one: Hostile) -> None:
    page = drawn(one.text("answer"))
    assert page.tags & {"img", "script", "iframe", "object", "link", "style"} == set()
    assert "src" not in page.attributes
    assert [link for link in page.links if not re.match(r"https?://[^/]", link)] == []


@pytest.mark.claim("LC-057")
def test_numbers_lead_to_the_sources_of_the_search_alone() -> None:
    texts = {one.name: one.text("answer") for one in hostile("answers")}
    assert drawn(texts["answer-number-redirected"]).links == [SOURCE]
    assert drawn(texts["answer-number-made-up"]).links == []


@pytest.mark.parametrize("one", hostile("queries"), ids=name_of)
def test_what_a_model_searches_for_is_short_plain_shown_and_written_down(one: Hostile) -> None:
    log = KeptEgress()
    with replay(FINDS) as server:
        provider = SearxngProvider(SearxngSettings(server.url), log=log, clock=SystemClock())
        tool = WebSearchTool(search_through(provider), clock=SystemClock())
        events = list(tool.run([{"query": one.text("query")}], CancelToken()))
    (request,) = server.received
    head, _, body = request.decode().partition("\r\n\r\n")
    sent = parse_qs(body)["q"][0]
    assert "hunter2" not in head
    assert len(sent) <= 500
    assert "!!" not in sent
    record = record_from_json(str(events[-1].data))
    assert sent == (record.asked or record.query)
    assert [row.query for row in log.rows] == [sent]


@pytest.mark.claim("LC-042")
def test_an_address_of_the_models_own_is_searched_for_and_never_fetched() -> None:
    with replay(FINDS) as server, replay(FINDS) as elsewhere:
        provider = SearxngProvider(SearxngSettings(server.url), log=KeptEgress(), clock=SystemClock())
        search_through(provider).find(f"{elsewhere.url}/?chat=hunter2", CancelToken())
    assert len(server.received) == 1
    assert elsewhere.received == []


@pytest.mark.parametrize("one", hostile("queries"), ids=name_of)
def test_a_third_party_gets_it_only_once_the_user_has_read_it(one: Hostile) -> None:
    consent = Refuses()
    with replay(success_of("brave").behaviour) as server:
        search = search_through(provider_at("brave", server.url), consent)
        record = search.find(one.text("query"), CancelToken())
    assert consent.asked == [(one.text("query"), "api.search.brave.com")]
    assert record.cause == "declined"
    assert server.received == []


@pytest.mark.claim("LC-046")
def test_the_page_on_security_names_every_case_and_what_holds() -> None:
    text = SECURITY.read_text(encoding="utf-8")
    assert "A model can believe a false snippet" in text
    assert "the sources stay visible" in text
    rows = dict(re.findall(r"^\| ([a-z0-9]+-[a-z0-9-]+) \| .+ \| ([a-z, ]+) \|$", text, re.MULTILINE))
    every = [one for kind in KINDS for one in hostile(kind)]
    assert rows == {one.name: ", ".join(one.holds) for one in every}
    explained = set(re.findall(r"^- \*\*([a-z]+)\*\*: ", text, re.MULTILINE))
    assert explained == {held for one in every for held in one.holds}
