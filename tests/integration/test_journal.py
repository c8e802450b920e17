"""No connection without a row: over several turns each socket that is not the model server's is in the journal."""

from __future__ import annotations

import json
import sys
from collections import Counter
from collections.abc import Iterator
from contextlib import closing, contextmanager
from pathlib import Path
from urllib.parse import urlsplit

import pytest

from llamachat.app import App, build_app
from llamachat.config.paths import resolve_paths
from llamachat.core.cancel import CancelToken
from llamachat.core.clock import SystemClock
from llamachat.core.egress import Egress, EgressOf
from llamachat.core.messages import StoredMessage
from llamachat.recorder import start_turn
from llamachat.search import SearxngSettings
from llamachat.storage.database import Database
from llamachat.storage.journal import Journal, list_journal
from llamachat.turn_parts import TurnParts
from llamachat.turn_rows import TurnRequest
from llamachat.websearch.guard import Guard, GuardLimits
from llamachat.websearch.providers.searxng import SearxngProvider
from llamachat.websearch.reader import PageReader, PageSettings
from llamachat.websearch.service import PageReading, SearchManners, WebSearch
from tests.fakes.replay import answer, replay
from tests.fakes.scripted_completer import ScriptedCompleter, calls, says
from tests.fakes.searching import NO_FILE
from tests.integration.llama_server import ParrotServer, script
from tests.integration.searxng_server import Searxng
from tests.websearch.reading_world import InThisProcess, article, reading

_connects: Counter[int] | None = None  # by port, while a test counts


def _hear(event: str, arguments: tuple[object, ...]) -> None:
    if event == "socket.connect" and _connects is not None and isinstance(arguments[1], tuple):
        _connects[arguments[1][1]] += 1


@contextmanager
def counted_connects() -> Iterator[Counter[int]]:
    """How often each port is connected to inside the block. An audit hook stays for good, so there is only one."""
    global _connects  # noqa: PLW0603 - what the hook sees
    if not hasattr(sys, "_llamachat_hears_connects"):
        sys.addaudithook(_hear)
        sys._llamachat_hears_connects = True  # type: ignore[attr-defined]  # a mark that outlives this module
    _connects = counted = Counter[int]()
    try:
        yield counted
    finally:
        _connects = None


def port_of(url: str) -> int:
    return urlsplit(url).port or 80


def run_turn(app: App, db: Database, text: str) -> StoredMessage:
    """One turn of the whole program; the answer as it is stored."""
    turn = app.start_turn(db, TurnRequest("send", text=text), CancelToken())
    with closing(turn.events()) as events:
        for _ in events:
            pass
    return turn.stored_answer()


def journal_of(path: Path) -> list[Egress]:
    """Every row, oldest first."""
    with Database.open(path) as db:
        return [entry.egress for entry in reversed(list_journal(db))]


def app_with(folder: Path, server: ParrotServer, url: str, more: str = "") -> App:
    """The program, permitted to search there."""
    lines = f'base_url = "{server.base_url}"\nsearch_enabled = true\nsearch_url = "{url}"\nsearch_burst = 100\n{more}'
    (folder / "config.toml").write_text(lines, encoding="utf-8")
    return build_app(resolve_paths(folder / "config.toml", folder / "data"))


@pytest.mark.claim("LC-002")
@pytest.mark.slow
def test_every_search_of_several_turns_has_its_row_with_the_answer_it_was_made_for(
    tmp_path: Path, parrot_server: ParrotServer, searxng: Searxng
) -> None:
    app = app_with(tmp_path, parrot_server, searxng.url)
    expected = []
    with counted_connects() as connects, closing(app), app.database() as db:
        for query in ("Brasswick Bridge", "lighthouse keepers"):
            stored = run_turn(app, db, script(parrot_server.call("web_search", query=query), "Found [1]."))
            expected.append((stored.id, query))
        run_turn(app, db, "Nothing to look up.")
    rows = journal_of(app.paths.database)
    assert [(row.message_id, row.query) for row in rows] == expected
    assert {(row.host, row.what, row.outcome) for row in rows} == {("127.0.0.1", "search", "ok")}
    assert all(row.bytes_out > 0 and row.bytes_in > 0 for row in rows)
    del connects[port_of(parrot_server.base_url)]
    assert connects == {port_of(searxng.url): len(rows)}


def test_a_search_that_fails_has_its_row_too(tmp_path: Path, parrot_server: ParrotServer) -> None:
    app = app_with(tmp_path, parrot_server, "http://127.0.0.1:1")
    with counted_connects() as connects, closing(app), app.database() as db:
        run_turn(app, db, script(parrot_server.call("web_search", query="tides"), "From memory."))
    (row,) = journal_of(app.paths.database)
    assert (row.query, row.outcome, row.bytes_in) == ("tides", "unreachable", 0)
    assert connects[1] == 1


@pytest.mark.slow
def test_no_row_holds_a_password(tmp_path: Path, parrot_server: ParrotServer) -> None:
    with replay(answer(200, {"Content-Type": "application/json"}, b'{"results": []}')) as server:
        address = server.url.replace("http://", "http://me:sesame@")
        app = app_with(tmp_path, parrot_server, address)
        with closing(app), app.database() as db:
            run_turn(app, db, script(parrot_server.call("web_search", query="tides"), "Nothing."))
    assert b"Basic" in server.received[0]
    (row,) = journal_of(app.paths.database)
    assert (row.host, row.outcome) == ("127.0.0.1", "ok")
    assert "sesame" not in repr(row)


@pytest.mark.slow
@pytest.mark.claim("ST-001", "LC-023")
def test_until_search_is_switched_on_only_the_model_server_is_connected_to(
    tmp_path: Path, parrot_server: ParrotServer, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("SEARXNG_URL", "http://127.0.0.1:1")
    (tmp_path / "config.toml").write_text(f'base_url = "{parrot_server.base_url}"\n', encoding="utf-8")
    app = build_app(resolve_paths(tmp_path / "config.toml", tmp_path / "data"))
    with counted_connects() as connects, closing(app), app.database() as db:
        for number in range(10):
            called = parrot_server.call("web_search", query=f"tides {number}")
            assert run_turn(app, db, script(called, "From memory.")).searches == ()
    assert list(connects) == [port_of(parrot_server.base_url)]
    assert journal_of(app.paths.database) == []


@pytest.mark.slow
@pytest.mark.parametrize("kept_out", ["journal = false", "memory"])
def test_nothing_is_kept_where_the_user_said_so(
    tmp_path: Path, parrot_server: ParrotServer, searxng: Searxng, kept_out: str
) -> None:
    memory = kept_out == "memory"
    app = app_with(tmp_path, parrot_server, searxng.url, "" if memory else f"{kept_out}\n")
    with closing(app), app.database(memory=memory) as db:
        stored = run_turn(app, db, script(parrot_server.call("web_search", query="quays"), "Found [1]."))
    assert [record.query for record in stored.searches] == ["quays"]
    assert journal_of(app.paths.database) == []


def test_pages_and_jina_have_their_rows(tmp_path: Path) -> None:
    path = tmp_path / "llamachat.db"
    journal = Journal(lambda: Database.open(path), wanted=lambda: True)
    found = [{"title": name, "url": f"http://pages.example/{name}", "content": "c"} for name in ("good", "empty")]
    results = answer(200, {"Content-Type": "application/json"}, json.dumps({"results": found}).encode())
    pages = {"/good": article("High water is at noon today."), "/empty": answer(200, {}, b"")}
    with (
        reading(pages) as world,
        replay(results) as searxng,
        Database.open(path) as db,
        counted_connects() as connects,
    ):
        log = EgressOf(2, journal.record)
        reader = PageReader(
            PageSettings("jina_fallback", jina_url=world.jina.url),
            extractor=InThisProcess(),
            log=log,
            clock=SystemClock(),
            network=world.world.network(),
        )
        guard = Guard(GuardLimits(), NO_FILE, clock=SystemClock())
        manners = SearchManners(guard, pages=PageReading(reader, 2, limit_chars=10_000, page_limit=5000))
        provider = SearxngProvider(SearxngSettings(searxng.url), log=log, clock=SystemClock())
        search = WebSearch(provider, manners, clock=SystemClock())
        completer = ScriptedCompleter(calls({"query": "tides"}), says("At noon [1]."))
        turn = start_turn(
            db,
            TurnRequest("send", text="When?"),
            prepare=lambda: TurnParts(completer, search=search),
            cancel=CancelToken(),
        )
        with closing(turn.events()) as events:
            assert [event.kind for event in events][-1] == "finish"
        assert turn.answer.id == 2
    journal.flush()
    rows = journal_of(path)
    assert Counter(row.what for row in rows) == {"search": 1, "page": 2, "jina": 1}
    assert {row.message_id for row in rows} == {2}
    assert {row.query for row in rows if row.what != "search"} == {found[0]["url"], found[1]["url"]}
    assert (connects.pop(port_of(searxng.url)), connects.pop(port_of(world.jina.url))) == (1, 1)
    assert list(connects.values()) == [2]  # the pages, which all come from one server
