"""`llamachat ask --search`: through the router, in a fresh chat, and not at all."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from llamachat.cli.main import main
from tests.integration.llama_server import ParrotServer, script
from tests.integration.searxng_server import Searxng

QUERY = "Copper Heron weight"
YES = "@system:You decide whether\nyes"
WRITES = f"@system:You write the query\n{json.dumps({'query': QUERY})}"


@pytest.mark.slow
@pytest.mark.claim("OP-011", "OP-012")
@pytest.mark.parametrize(("mode", "routes"), [("auto", ["router"]), ("", ["router"]), ("off", [])])
def test_a_question_goes_through_the_router_unless_search_is_off(
    mode: str,
    routes: list[str],
    *,
    tmp_path: Path,
    parrot_server: ParrotServer,
    searxng: Searxng,
    capsys: pytest.CaptureFixture[str],
) -> None:
    config = tmp_path / "c.toml"
    config.write_text(
        f'base_url = "{parrot_server.base_url}"\nsearch_enabled = true\nsearch_url = "{searxng.url}"\n'
        'search_route = "router"\n',
        encoding="utf-8",
    )
    before = searxng.searches(QUERY)
    places = ["--config", str(config), "--data-dir", str(tmp_path / "data")]
    asked = ["ask", "--json", *(["--search", mode] if mode else []), script("About 900 grams [1].", YES, WRITES)]
    assert main([*places, *asked]) == 0
    events = [json.loads(line) for line in capsys.readouterr().out.splitlines()]
    records = [event["data"] for event in events if event["kind"] == "search_done"]
    assert [(record["query"], record["route"]) for record in records] == [(QUERY, route) for route in routes]
    assert searxng.searches(QUERY) - before == len(routes)
