"""The router on a real llama-server and a real SearXNG: yes, no, always, and the answer that began at once."""

from __future__ import annotations

import json
from contextlib import closing
from pathlib import Path

import pytest

from llamachat.app import App, build_app
from llamachat.config.paths import resolve_paths
from llamachat.core.cancel import CancelToken
from llamachat.core.conversation import SearchMode
from llamachat.core.events import Event, Kind
from llamachat.core.messages import StoredMessage
from llamachat.llm.server import ServerProbe
from llamachat.storage.messages import load_branch
from llamachat.turn_rows import TurnRequest
from tests.integration.llama_server import ParrotServer, script
from tests.integration.searxng_server import Searxng
from tests.recorder_parts import shown

QUERY = "Copper Heron weight"
# What the parrot says when it is asked aside; these pieces stand last, since results are put behind them.
YES, NO = "@system:You decide whether\nyes", "@system:You decide whether\nno"
WRITES = f"@system:You write the query\n{json.dumps({'query': QUERY})}"
WORDS = f"@system:You turn a message\n{QUERY}"
ENDLESS = "on and on " * 230  # longer than the parrot's period: it never ends by itself


def program(folder: Path, parrot: ParrotServer, searxng: Searxng, settings: str = 'search_route = "router"\n') -> App:
    """The program with these settings."""
    config = folder / "config.toml"
    config.write_text(
        f'base_url = "{parrot.base_url}"\nsearch_enabled = true\nsearch_url = "{searxng.url}"\n{settings}',
        encoding="utf-8",
    )
    return build_app(resolve_paths(config, folder / "data"))


def ask(app: App, text: str, mode: SearchMode = SearchMode.AUTO) -> tuple[list[Event], list[StoredMessage]]:
    """Ask; the events, and the rows of the chat."""
    with app.database() as db:
        turn = app.start_turn(db, TurnRequest("send", text=text, search_mode=mode), CancelToken())
        events = list(turn.events())
        return events, load_branch(db, turn.conversation.id)


@pytest.mark.claim("OP-027")
@pytest.mark.parametrize("speculates", [True, False])
def test_a_yes_searches_before_the_answer(
    tmp_path: Path, parrot_server: ParrotServer, searxng: Searxng, speculates: bool
) -> None:
    settings = f'search_route = "router"\nsearch_speculate = {str(speculates).lower()}\n'
    app = program(tmp_path, parrot_server, searxng, settings)
    events, (question, answer) = ask(app, script("About 900 grams [1].", YES, WRITES))
    assert shown(events, Kind.CONTENT) == answer.content == "About 900 grams [1]."
    assert [(record.query, record.route) for record in answer.searches] == [(QUERY, "router")]
    assert "<web_search_results>" in str(question.wire[0]["content"])
    assert "900 grams" in str(question.wire[0]["content"])
    assert "<web_search_results>" not in question.content


@pytest.mark.slow
def test_a_no_reads_the_answer_that_began_at_once(
    tmp_path: Path, parrot_server: ParrotServer, searxng: Searxng
) -> None:
    events, (question, answer) = ask(program(tmp_path, parrot_server, searxng), script("Good morning!", NO, WRITES))
    assert shown(events, Kind.CONTENT) == answer.content == "Good morning!"
    assert (answer.searches, question.wire) == ((), ())


@pytest.mark.claim("ST-007")
@pytest.mark.slow
def test_always_searches_in_the_words_of_a_query(
    tmp_path: Path, parrot_server: ParrotServer, searxng: Searxng
) -> None:
    app = program(tmp_path, parrot_server, searxng, "")
    events, (_, answer) = ask(app, script("About 900 grams [1].", NO, WORDS), SearchMode.ALWAYS)
    assert shown(events, Kind.CONTENT) == "About 900 grams [1]."
    assert [(record.query, record.route) for record in answer.searches] == [(QUERY, "user")]


@pytest.mark.claim("OP-025")
@pytest.mark.slow
def test_the_server_stops_working_on_an_answer_that_is_not_read(
    tmp_path: Path, parrot_server: ParrotServer, searxng: Searxng
) -> None:
    app = program(tmp_path, parrot_server, searxng)
    seen: list[list[bool]] = []
    with app.database() as db, closing(ServerProbe(parrot_server.endpoint)) as probe:
        request = TurnRequest("send", text=script(ENDLESS, YES, WRITES))
        turn = app.start_turn(db, request, CancelToken())
        for event in turn.events():
            if event.kind is Kind.MESSAGE:  # the question with its results: the first request was hung up
                for _ in range(100):
                    busy = [slot.busy for slot in probe.slots()]
                    seen.append(busy)
                    if not any(busy):
                        break
            if event.kind is Kind.CONTENT:
                break
    assert seen
    assert not any(seen[-1])
