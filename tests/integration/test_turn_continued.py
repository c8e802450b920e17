"""An answer that was cut goes on without a seam on a real llama-server, in its text and within its thinking."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import closing
from pathlib import Path

import pytest

from llamachat.app import build_app
from llamachat.config.paths import resolve_paths
from llamachat.core.cancel import CancelToken
from llamachat.core.clock import SystemClock
from llamachat.core.completion import Sampling
from llamachat.core.events import FinishReason
from llamachat.core.messages import StoredMessage
from llamachat.llm.client import ChatClient
from llamachat.llm.known_servers import KnownServers
from llamachat.recorder import start_turn
from llamachat.storage.database import Database
from llamachat.storage.messages import load_branch
from llamachat.turn_parts import TurnParts
from llamachat.turn_rows import TurnRequest
from tests.integration.llama_server import ParrotServer, thinking

THOUGHT = "Größe: 3 m.\nAlso 蜜蜂 `a`"
ANSWER = "Die Höhe ist 3 m;\n\n- naïve 蜜蜂"
LINE = thinking(THOUGHT) + ANSWER
OPENED = len("<think>\n")


@pytest.fixture
def db(tmp_path: Path) -> Iterator[Database]:
    """An empty database."""
    with Database.open(tmp_path / "history.db") as database:
        yield database


def answered(db: Database, server: ParrotServer, request: TurnRequest, *, most: int | None = None) -> StoredMessage:
    """The answer as it is stored after a turn of at most so many tokens, which are bytes."""
    client, servers, cancel = ChatClient(server.endpoint, clock=SystemClock()), KnownServers(), CancelToken()
    props = servers.props(server.endpoint, "", cancel)
    parts = TurnParts(
        client,
        sampling=Sampling(max_tokens=most),
        keeps_reasoning=True,
        thinks_on=lambda cancel: servers.thinks_on(server.endpoint, props, "", cancel=cancel),
        on_end=client.close,
    )
    turn = start_turn(db, request, prepare=lambda: parts, cancel=cancel)
    list(turn.events())
    return load_branch(db, turn.conversation.id)[-1]


@pytest.mark.slow
@pytest.mark.parametrize("most", [OPENED + 1, OPENED + 7, OPENED + 20, OPENED + len(THOUGHT.encode())])
def test_a_thought_that_was_cut_goes_on_to_the_same_answer(
    db: Database, parrot_server: ParrotServer, most: int
) -> None:
    whole = answered(db, parrot_server, TurnRequest("send", text=LINE))
    assert (whole.reasoning.strip(), whole.content) == (THOUGHT.strip(), ANSWER)
    cut = answered(db, parrot_server, TurnRequest("send", text=LINE), most=most)
    assert (cut.finish_reason, cut.content) == (FinishReason.THINKING, "")
    assert whole.reasoning.startswith(cut.reasoning)
    on = answered(db, parrot_server, TurnRequest("continue", cut.conversation_id))
    assert (on.id, on.reasoning, on.content) == (cut.id, whole.reasoning, whole.content)
    assert on.wire == whole.wire


@pytest.mark.slow
@pytest.mark.parametrize("behind", [1, 5, 13, 24])
def test_a_text_that_was_cut_goes_on_to_the_same_answer(
    db: Database, parrot_server: ParrotServer, behind: int
) -> None:
    whole = answered(db, parrot_server, TurnRequest("send", text=LINE))
    most = len(thinking(THOUGHT).encode()) + behind
    cut = answered(db, parrot_server, TurnRequest("send", text=LINE), most=most)
    assert cut.finish_reason == FinishReason.LENGTH
    assert cut.content
    assert whole.content.startswith(cut.content)
    on = answered(db, parrot_server, TurnRequest("continue", cut.conversation_id))
    assert (on.id, on.reasoning, on.content) == (cut.id, whole.reasoning, whole.content)
    assert on.wire == whole.wire


@pytest.mark.slow
def test_an_answer_that_is_cut_again_and_again_comes_to_its_end(db: Database, parrot_server: ParrotServer) -> None:
    whole = answered(db, parrot_server, TurnRequest("send", text=LINE))
    on = answered(db, parrot_server, TurnRequest("send", text=LINE), most=24)
    for _ in range(len(LINE.encode()) // 10):
        if on.finish_reason == FinishReason.STOP:
            break
        on = answered(db, parrot_server, TurnRequest("continue", on.conversation_id), most=24)
    assert (on.reasoning, on.content, on.wire) == (whole.reasoning, whole.content, whole.wire)


@pytest.mark.slow
def test_an_answer_that_is_whole_is_not_changed(db: Database, parrot_server: ParrotServer) -> None:
    whole = answered(db, parrot_server, TurnRequest("send", text=LINE))
    on = answered(db, parrot_server, TurnRequest("continue", whole.conversation_id))
    assert (on.content, on.reasoning, on.wire, on.status) == (
        whole.content,
        whole.reasoning,
        whole.wire,
        whole.status,
    )


@pytest.mark.slow
def test_the_program_goes_on_within_a_thought(parrot_server: ParrotServer, tmp_path: Path) -> None:
    config = tmp_path / "config.toml"
    config.write_text(f'base_url = "{parrot_server.base_url}"\nmax_tokens = {OPENED + 9}\n', encoding="utf-8")
    with closing(build_app(resolve_paths(config, tmp_path))) as app, app.database() as db:
        list(app.start_turn(db, TurnRequest("send", text=LINE), CancelToken()).events())
        (_, cut) = load_branch(db, 1)
        assert (cut.finish_reason, cut.content) == (FinishReason.THINKING, "")
        config.write_text(f'base_url = "{parrot_server.base_url}"\n', encoding="utf-8")
        app.reload()
        list(app.start_turn(db, TurnRequest("continue", 1), CancelToken()).events())
        (_, on) = load_branch(db, 1)
    assert (on.id, on.reasoning.strip(), on.content) == (cut.id, THOUGHT, ANSWER)
