"""A real router, which wants to hear the name of a model in each request."""

from __future__ import annotations

from pathlib import Path

import pytest

from llamachat.app import build_app
from llamachat.config.paths import resolve_paths
from llamachat.core.cancel import CancelToken
from llamachat.core.messages import Status
from llamachat.storage.messages import get_message
from llamachat.turn_rows import TurnRequest
from tests.integration.llama_router import Router

pytestmark = pytest.mark.slow


def test_the_only_model_of_a_router_need_not_be_chosen(llama_router: Router, tmp_path: Path) -> None:
    paths = resolve_paths(tmp_path / "config.toml", tmp_path / "data")
    paths.config_file.write_text(f'base_url = "{llama_router.base_url}"', encoding="utf-8")
    app = build_app(paths)
    with app.database() as db:
        turn = app.start_turn(db, TurnRequest("send", text="Good morning."), CancelToken())
        list(turn.events())
        answer = get_message(db, turn.answer.id)
    app.close()
    assert answer is not None
    assert (answer.status, answer.content) == (Status.COMPLETE, "Good morning.")
    assert answer.model == llama_router.model
