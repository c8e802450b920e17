"""A key is used for a whole turn that searches, and then looked for in everything that the turn left behind."""

from __future__ import annotations

import json
import logging
import traceback
from pathlib import Path
from urllib.parse import quote

import pytest

from llamachat.app import App, build_app
from llamachat.cli.main import main
from llamachat.config.paths import resolve_paths
from llamachat.core.cancel import CancelToken
from llamachat.core.errors import SearchError
from llamachat.key_store import KeyStore
from llamachat.recorder import start_turn
from llamachat.storage.messages import load_branch
from llamachat.transfer.json_export import conversation_json
from llamachat.transfer.markdown import conversation_markdown
from llamachat.turn_parts import TurnParts
from llamachat.turn_rows import TurnRequest
from llamachat.websearch.provider import Provider
from llamachat.websearch.registry import KEY_VARIABLES
from tests.fakes.replay import Behaviour, answer, raw, replay
from tests.fakes.scripted_completer import ScriptedCompleter, calls, says
from tests.fakes.searching import KeptEgress, search_through
from tests.websearch.provider_world import FixedKeys, provider_at

KEY = "kq-7+f/3=Zw8&9xYt2LmN4pR6"
FORMS = (KEY, quote(KEY), quote(KEY, safe=""))
JSON = {"Content-Type": "application/json"}
FOUND = {"url": f"https://a.example/?key={KEY}", "link": f"https://a.example/?key={KEY}", "title": f"Key {KEY}"}
ECHOED_ERROR = answer(401, JSON, json.dumps(dict.fromkeys(("error", "message", "detail"), f"no: {KEY}")).encode())
ECHOED_RESULTS = answer(
    200,
    {**JSON, "X-Echo": KEY},
    json.dumps(
        {**{name: [FOUND] for name in ("results", "organic", "organic_results", "data")}, "web": {"results": [FOUND]}}
    ).encode(),
)
BROKEN_OFF = raw(f"HTTP/1.1 200 OK\r\nX-Echo: {KEY}".encode())


def holds_the_key(text: str) -> bool:
    return any(form in text for form in FORMS)


@pytest.fixture
def app(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> App:
    for variable in KEY_VARIABLES.values():
        monkeypatch.delenv(variable, raising=False)
    return build_app(resolve_paths(tmp_path / "config.toml", tmp_path / "data"))


def exported_turn(app: App, provider: Provider) -> str:
    """The exports of a turn whose model searches three times, over this provider."""
    queries = [calls({"query": query}) for query in ("tides", "moon", "wind")]
    parts = TurnParts(ScriptedCompleter(*queries, says("Noon.")), search=search_through(provider), max_searches=3)
    with app.database() as db:
        turn = start_turn(db, TurnRequest("send", text="When?"), prepare=lambda: parts, cancel=CancelToken())
        list(turn.events())
        messages = load_branch(db, turn.conversation.id)
        assert [search.failed for search in messages[-1].searches] == [False, True, True]
        assert messages[-1].searches[0].results
        exports = conversation_markdown(turn.conversation, messages), conversation_json(turn.conversation, messages)
        return "".join(exports) + repr(messages)


@pytest.mark.claim("ST-044")
@pytest.mark.parametrize("name", KEY_VARIABLES)
def test_a_turn_leaves_no_key_behind(
    name: str, app: App, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
) -> None:
    caplog.set_level(logging.DEBUG)
    monkeypatch.setenv(KEY_VARIABLES[name], KEY)
    app.set_setting("search_provider", name)
    log = KeptEgress()
    with replay(ECHOED_RESULTS, BROKEN_OFF, ECHOED_ERROR) as server:
        provider = provider_at(name, server.url, keys=KeyStore(KEY_VARIABLES), log=log)
        exports = exported_turn(app, provider)
        assert len(server.received) == 3
        assert all(holds_the_key(request.decode()) for request in server.received)
    assert len(log.rows) == 3
    files = [path for path in tmp_path.rglob("*") if path.is_file()]
    assert {app.paths.config_file, app.paths.database} <= set(files)
    assert [path for path in files if holds_the_key(path.read_bytes().decode("latin-1"))] == []
    assert not holds_the_key(exports)
    assert not holds_the_key(caplog.text)
    assert not holds_the_key(repr(log.rows) + repr(provider) + repr(vars(provider)) + repr(vars(app.search)))


@pytest.mark.parametrize("name", KEY_VARIABLES)
@pytest.mark.parametrize("behaviour", [ECHOED_ERROR, BROKEN_OFF], ids=["refused", "broken off"])
def test_a_traceback_shows_no_key(name: str, behaviour: Behaviour) -> None:
    with replay(behaviour) as server, pytest.raises(SearchError) as failed:
        provider_at(name, server.url, keys=FixedKeys(KEY)).search("tides", CancelToken())
    text = "".join(traceback.format_exception(failed.value))
    assert "Traceback" in text
    assert not holds_the_key(text)


@pytest.mark.claim("AD-014")
def test_a_key_cannot_be_written_into_the_settings(
    app: App, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    where = ["--config", str(app.paths.config_file), "--data-dir", str(tmp_path / "data")]
    for name in ("brave_api_key", "BRAVE_API_KEY", "api_keys.brave"):
        assert main([*where, "config", "set", name, KEY]) == 1
    assert [path for path in tmp_path.rglob("*") if path.is_file() and KEY.encode() in path.read_bytes()] == []
    said = capsys.readouterr()
    assert KEY not in said.out + said.err
