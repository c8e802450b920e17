"""While web search is not permitted it adds nothing: not a byte to a request, not a connection."""

from __future__ import annotations

import json
from contextlib import closing
from pathlib import Path

import pytest

from llamachat.app import App, build_app
from llamachat.config.paths import resolve_paths
from llamachat.core.cancel import CancelToken
from llamachat.search import TOOL_SCHEMA
from llamachat.storage.conversations import list_conversations
from llamachat.storage.messages import load_branch
from llamachat.turn_rows import TurnRequest
from tests.fakes.replay import answer, replay
from tests.fakes.scripted_llama import ScriptedLlama, says, searches
from tests.integration.test_journal import counted_connects, port_of
from tests.storage.version_dumps import load_version

FOUND = {"results": [{"title": "Tides", "url": "https://tides.example/", "content": "Noon."}]}
FINDS = answer(200, {"Content-Type": "application/json"}, json.dumps(FOUND).encode())


def program(folder: Path, settings: str) -> App:
    folder.mkdir(exist_ok=True)
    (folder / "c.toml").write_text(settings, encoding="utf-8")
    return build_app(resolve_paths(folder / "c.toml", folder / "data"))


def ask(app: App, *, conversation_id: int | None = None, model: str = "") -> tuple[str, ...]:
    """One turn; the queries of its searches."""
    with closing(app), app.database() as db:
        request = TurnRequest("send", text="When?", conversation_id=conversation_id, model=model)
        turn = app.start_turn(db, request, CancelToken())
        for _ in turn.events():
            pass
        return tuple(record.query for record in turn.stored_answer().searches)


@pytest.mark.claim("ST-002", "LC-013", "LC-022")
def test_a_request_is_the_same_as_if_there_were_no_search(tmp_path: Path) -> None:
    ways = {
        "nothing said": "",
        "an address alone": 'search_url = "http://127.0.0.1:9"\n',
        "the permission alone": "search_enabled = true\n",
    }
    bodies = {}
    for number, (way, settings) in enumerate(ways.items()):
        with ScriptedLlama(says("Noon.")) as llama:
            app = program(
                tmp_path / str(number), f'base_url = "{llama.base_url}"\nsearch_provider = "searxng"\n{settings}'
            )
            assert ask(app) == ()
            bodies[way] = llama.asked
    assert all(body == bodies["nothing said"] for body in bodies.values())
    assert all("tools" not in request for requests in bodies.values() for request in requests)


@pytest.mark.claim("LC-013", "LC-022", "LC-003")
def test_permitted_the_tool_is_offered_and_a_router_is_asked_for_the_chosen_model(tmp_path: Path) -> None:
    models = [("tide-7b", "loaded"), ("moon-3b", "loaded")]
    with replay(FINDS) as searxng, ScriptedLlama(searches("tides"), says("Noon [1]."), models=models) as llama:
        settings = f'base_url = "{llama.base_url}"\nsearch_enabled = true\nsearch_url = "{searxng.url}/"\n'
        assert ask(program(tmp_path, settings), model="moon-3b") == ("tides",)
        requests = llama.asked
    assert [request["model"] for request in requests] == ["moon-3b", "moon-3b"]
    assert [request["tools"] for request in requests] == [[TOOL_SCHEMA]] * 2


@pytest.mark.claim("LC-023", "LC-026", "LC-028")
def test_files_from_before_search_open_and_only_the_model_server_is_connected_to(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.delenv("SEARXNG_URL", raising=False)
    with ScriptedLlama(searches("tides"), says("Noon.")) as llama:
        app = program(tmp_path, f'base_url = "{llama.base_url}"\n')
        app.paths.database.parent.mkdir(parents=True, exist_ok=True)
        load_version(3, app.paths.database)
        with counted_connects() as connects:
            assert ask(app, conversation_id=1) == ()
        assert list(connects) == [port_of(llama.base_url)]
        with app.database() as db:
            assert "Bees" in [one.title for one in list_conversations(db)]
            assert [message.searches for message in load_branch(db, 1)] == [()] * len(load_branch(db, 1))
