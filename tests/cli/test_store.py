"""Commands on a damaged history rescue it, as the window does at its start, and say so."""

from __future__ import annotations

from pathlib import Path

import pytest

from llamachat.cli.main import main
from llamachat.storage.database import Database
from tests.fakes.sse_server import DONE, SseServer, content, finish, http, stream_head
from tests.storage.stories import add_chat
from tests.storage.test_rescue import leaf_pages, overwrite


@pytest.fixture
def places(tmp_path: Path) -> list[str]:
    """The arguments for a history of 60 chats of which some pages are damaged."""
    (tmp_path / "data").mkdir()
    path = tmp_path / "data" / "llamachat.db"
    with Database.open(path) as db:
        for number in range(60):
            add_chat(db, f"bee {number} " * 50, f"wasp {number} " * 50, title=f"Chat {number}")
    overwrite(path, [*leaf_pages(path, "messages")[3:6], *leaf_pages(path, "conversations")[:1]])
    return ["--config", str(tmp_path / "config.toml"), "--data-dir", str(tmp_path / "data")]


@pytest.mark.parametrize(
    "words", [["list"], ["show", "1"], ["export", "1"], ["search", "bee", "--limit", "60"], ["delete", "1"]]
)
def test_a_command_rescues_what_it_meets(
    places: list[str], words: list[str], capsys: pytest.CaptureFixture[str]
) -> None:
    code = main([*places, "history", *words])
    said = capsys.readouterr()
    assert "messages of it were rescued" in said.err
    assert "The damaged file is kept as " in said.err
    assert said.err.count("rescued") == 1
    assert "Start the program again" not in said.err
    assert code == 0
    assert main([*places, "history", "list", "--limit", "3"]) == 0
    again = capsys.readouterr()
    assert (len(again.out.splitlines()), again.err) == (3, "")


def test_a_question_rescues_what_it_meets(
    places: list[str], tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    answer = [stream_head(), content("Noon."), finish(), DONE]
    with SseServer([http("{}")], answer) as server:
        (tmp_path / "config.toml").write_text(f'base_url = "{server.base_url}"\n', encoding="utf-8")
        assert main([*places, "ask", "--conversation", "1", "When?"]) == 0
    said = capsys.readouterr()
    assert said.out == "Noon.\n"
    assert "messages of it were rescued" in said.err


def test_what_opening_had_to_do_is_told(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    (tmp_path / "llamachat.db").touch()
    places = ["--config", str(tmp_path / "config.toml"), "--data-dir", str(tmp_path)]
    assert main([*places, "history", "list"]) == 0
    assert capsys.readouterr().err == "The history file was empty. A new history has been started.\n"
