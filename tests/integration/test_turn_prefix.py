"""Prompts only grow: over eleven turns of every kind each prompt begins with the bytes of the one before.

Shown with a real llama-server's `/apply-template` on several chat templates. A template that drops the thinking of
older turns by itself rewrites the last turn, which no client can help.
"""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from functools import partial
from itertools import pairwise
from pathlib import Path

import httpx
import pytest

from llamachat.core.cancel import CancelToken
from llamachat.core.completion import CompletionRequest, ContentDelta
from llamachat.core.conversation import SearchMode
from llamachat.core.errors import ServerCause
from llamachat.llm.request import prompt_body
from llamachat.llm.server import ServerProbe
from llamachat.recorder import start_turn
from llamachat.storage.database import Database
from llamachat.turn_parts import TurnParts
from llamachat.turn_rows import TurnRequest
from tests.fakes.parrot import write_parrot
from tests.fakes.scripted_completer import ScriptedCompleter, Step, calls, refusal, says
from tests.fakes.scripted_search import ScriptedSearch
from tests.integration.llama_server import ParrotServer, running_parrot

TEMPLATES = Path(__file__).resolve().parent.parent / "data" / "templates"
AUTO, OFF = SearchMode.AUTO, SearchMode.OFF
LEAKED = '<tool_call>\n{"name": "web_search", "arguments": {"query": "spring tide"}}\n</tool_call>'


def thinks(thought: str, answer: list[Step]) -> list[Step]:
    """An answer with thinking before it."""
    return [*says("", thinking=thought)[:-1], *answer]


# What the model does in each turn: one script a request.
TURNS: tuple[tuple[str, SearchMode, list[list[Step]]], ...] = (
    ("A plain question", AUTO, [says("A plain answer.", thinking="Nothing to look up.")]),
    ("One search", AUTO, [thinks("I should look.", calls({"query": "tide"})), says("Noon [1].", thinking="Found.")]),
    (
        "Two searches, and the cap",
        AUTO,
        [
            [ContentDelta("One moment."), *calls({"query": "ebb"})],
            thinks("More.", calls({"query": "Größe & <Höhe>"})),
            says("Six [3]."),
        ],
    ),
    ("A search that fails", AUTO, [calls({"query": "broken"}), says("From memory: noon.")]),
    ("The server is away", AUTO, [[refusal(ServerCause.UNREACHABLE)]]),
    ("A call as text", AUTO, [says(f"Let me look.\n{LEAKED}"), says("It is [1].")]),
    ("A call that is cut off", AUTO, [calls('{"query": "ti', finish="length"), says("Noon then.")]),
    ("A stream that breaks off", AUTO, [[*says("Half an ans")[:-1], refusal(ServerCause.CUT_OFF)]]),
    ("Without search", OFF, [says("No need.", thinking="Hm.")]),
    ("A call without words", AUTO, [calls("{}"), says("Well then.")]),
    ("The last question", AUTO, [says("  The last answer.\n")]),
)


def requests_of_a_chat(db_path: Path, *, keeps_reasoning: bool) -> list[CompletionRequest]:
    """All requests of the turns, in their order."""
    requests: list[CompletionRequest] = []
    conversation_id = None
    with Database.open(db_path) as db:
        for question, mode, scripts in TURNS:
            completer = ScriptedCompleter(*scripts)
            prepare = partial(TurnParts, completer, search=ScriptedSearch(), keeps_reasoning=keeps_reasoning)
            request = TurnRequest("send", conversation_id, question, search_mode=mode, prompt="Be brief.")
            turn = start_turn(db, request, prepare=prepare, cancel=CancelToken())
            list(turn.events())
            assert len(completer.requests) == len(scripts)
            conversation_id = turn.conversation.id
            requests += completer.requests
    return requests


def prompts(server: ParrotServer, requests: list[CompletionRequest]) -> list[str]:
    """What the server makes of the requests, without what the parrot's template puts there for itself."""
    found = []
    with httpx.Client(base_url=server.base_url, trust_env=False) as client:
        for request in requests:
            body = {**prompt_body(request), "chat_template_kwargs": {"padding": False}}
            answer = client.post("/apply-template", json=body)
            assert answer.status_code == 200, answer.text
            found.append(str(answer.json()["prompt"]))
    return found


@contextmanager
def server_with(template: str, folder: Path) -> Iterator[ParrotServer]:
    """A llama-server with another chat template."""
    model = folder / f"{template}.gguf"
    write_parrot(model, template=(TEMPLATES / f"{template}.jinja").read_text(encoding="utf-8"))
    with running_parrot(model) as server:
        yield server


def keeps_reasoning(server: ParrotServer) -> bool:
    """What the server says of its template, as the program asks it."""
    probe = ServerProbe(server.endpoint)
    props = probe.props()
    probe.close()
    return bool(props.supports_preserve_reasoning)


def assert_only_grow(grown: list[str]) -> None:
    for earlier, later in pairwise(grown):
        assert later[: len(earlier)] == earlier


@pytest.mark.parametrize("name", ["parrot_server", "parrot_xml_server"])
def test_prompts_only_grow_on_the_parrots(name: str, request: pytest.FixtureRequest, tmp_path: Path) -> None:
    server: ParrotServer = request.getfixturevalue(name)
    assert keeps_reasoning(server)
    grown = prompts(server, requests_of_a_chat(tmp_path / "a.db", keeps_reasoning=True))
    assert len(grown) == 18
    assert "I should look." in grown[-1]
    assert_only_grow(grown)


@pytest.mark.parametrize("template", ["qwen2.5", "llama-3.2", "smollm2"])
def test_prompts_only_grow_on_templates_of_models(template: str, tmp_path: Path) -> None:
    with server_with(template, tmp_path) as server:
        keeps = keeps_reasoning(server)
        grown = prompts(server, requests_of_a_chat(tmp_path / "a.db", keeps_reasoning=keeps))
    assert "Two searches, and the cap" in grown[-1]
    assert_only_grow(grown)


def test_a_template_that_drops_old_thinking_rewrites_only_the_last_turn(tmp_path: Path) -> None:
    requests = requests_of_a_chat(tmp_path / "a.db", keeps_reasoning=False)
    with server_with("qwen3", tmp_path) as server:
        assert not keeps_reasoning(server)
        grown = prompts(server, requests)
    for (before, now), (earlier, later) in zip(pairwise(requests), pairwise(grown), strict=True):
        question = next(str(m["content"]) for m in reversed(before.messages) if m["role"] == "user")
        same_turn = now.messages[: len(before.messages)] == before.messages
        kept = len(earlier) if same_turn else earlier.index(question)
        assert later[:kept] == earlier[:kept]
