"""Who decides in Auto is settled by what the server says of the model's template."""

from __future__ import annotations

import json
from contextlib import closing
from pathlib import Path

import pytest

from llamachat.app import build_app
from llamachat.config.paths import resolve_paths
from llamachat.core.cancel import CancelToken
from llamachat.turn_rows import TurnRequest
from tests.fakes.replay import answer, replay
from tests.fakes.scripted_llama import Answer, JsonObject, ScriptedLlama, says, searches

FOUND = {"results": [{"title": "Tides", "url": "https://tides.example/", "content": "Noon."}]}
FINDS = answer(200, {"Content-Type": "application/json"}, json.dumps(FOUND).encode())


class WithCaps(ScriptedLlama):
    """Says whether the template of its model knows tools; None: says nothing. Does not lay out prompts."""

    supports_tools: bool | None = None

    def next_answer(self, body: JsonObject) -> Answer:
        """The answer to a chat; a prompt that is to be laid out is refused."""
        return super().next_answer(body) if body.get("stream") else [(404, "not found")]

    def props(self, query: str) -> JsonObject | None:
        """What `/props` says."""
        caps = {} if self.supports_tools is None else {"chat_template_caps": {"supports_tools": self.supports_tools}}
        return {**(super().props(query) or {}), **caps}


@pytest.mark.claim("OP-027", "LC-002")
@pytest.mark.parametrize("supports_tools", [True, None, False])
def test_a_model_without_tools_gets_the_router_and_the_turn_searches_all_the_same(
    supports_tools: bool | None, tmp_path: Path
) -> None:
    own = [searches("tides"), says("Noon [1].")]
    routed = [says("yes"), says('{"query": "tides"}'), says("Noon [1].")]
    llama = WithCaps(*(routed if supports_tools is False else own))
    llama.supports_tools = supports_tools
    with replay(FINDS) as searxng, llama:
        settings = f'base_url = "{llama.base_url}"\nsearch_enabled = true\nsearch_url = "{searxng.url}"\n'
        (tmp_path / "c.toml").write_text(settings, encoding="utf-8")
        with closing(build_app(resolve_paths(tmp_path / "c.toml", tmp_path / "data"))) as app, app.database() as db:
            turn = app.start_turn(db, TurnRequest("send", text="When is high tide?"), CancelToken())
            for _ in turn.events():
                pass
            stored = turn.stored_answer()
        offered = ["tools" in body for body in llama.asked]
    assert stored.content == "Noon [1]."
    route = "router" if supports_tools is False else "model"
    assert [(record.query, record.route, len(record.results)) for record in stored.searches] == [("tides", route, 1)]
    assert offered == ([False] * 3 if supports_tools is False else [True] * 2)
