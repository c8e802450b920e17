"""Turns in memory: nothing of them is kept, neither here nor by a server that keeps answers for others."""

from __future__ import annotations

from contextlib import closing
from pathlib import Path

from llamachat.app import App, build_app
from llamachat.config.paths import resolve_paths
from llamachat.core.cancel import CancelToken
from llamachat.turn_rows import TurnRequest
from tests.fakes.scripted_llama import ScriptedLlama, says


def ask(app: App, *, memory: bool) -> None:
    """One turn."""
    with app.database(memory=memory) as db:
        list(app.start_turn(db, TurnRequest("send", text="When?"), CancelToken()).events())


def test_the_server_is_asked_to_keep_no_answer_of_them(tmp_path: Path) -> None:
    with ScriptedLlama(says("At noon.")) as llama:
        llama.keeps_streams = True
        config = tmp_path / "config.toml"
        config.write_text(f'base_url = "{llama.base_url}"\n', encoding="utf-8")
        with closing(build_app(resolve_paths(config, tmp_path / "data"))) as app:
            ask(app, memory=False)
            ask(app, memory=True)
        stored, in_memory = llama.names
    assert stored
    assert in_memory is None
