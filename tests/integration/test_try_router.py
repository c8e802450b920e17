"""`llamachat search --try-router` before a real llama-server whose model says what the messages tell it to."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from llamachat.cli.main import main
from tests.integration.llama_server import ParrotServer, script

DECIDES = "@system:You decide whether\n"


def trial(folder: Path, base_url: str, *more: str) -> int:
    rows = [("Who won last night?", True, "yes"), ("Good morning!", False, "no"), ("What is new?", True, "no")]
    lines = [json.dumps({"message": script(said, DECIDES + word), "search": search}) for said, search, word in rows]
    (folder / "labelled.jsonl").write_text("\n".join(lines), encoding="utf-8")
    (folder / "c.toml").write_text(f'base_url = "{base_url}"\n', encoding="utf-8")
    places = ["--config", str(folder / "c.toml"), "--data-dir", str(folder / "data")]
    return main([*places, "search", "--try-router", str(folder / "labelled.jsonl"), *more])


@pytest.mark.slow
@pytest.mark.claim("OP-018")
def test_right_and_wrong_are_printed_and_the_share(
    tmp_path: Path, parrot_server: ParrotServer, capsys: pytest.CaptureFixture[str]
) -> None:
    assert trial(tmp_path, parrot_server.base_url) == 0
    lines = capsys.readouterr().out.splitlines()
    assert [line.split(":")[0] for line in lines[:-1]] == ["[right] search", "[right] no search", "[WRONG] no search"]
    assert "Who won last night?" in lines[0]
    assert lines[-1] == "2 of 3 right (67%)"
    assert trial(tmp_path, parrot_server.base_url, "--json") == 0
    rows = [json.loads(line) for line in capsys.readouterr().out.splitlines()]
    assert [row.get("said") for row in rows] == [True, False, False, None]
    assert rows[-1] == {"right": 2, "of": 3}


def test_without_a_server_or_a_file_the_reason_is_told(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert trial(tmp_path, "http://127.0.0.1:9") == 1
    said = capsys.readouterr()
    assert said.out == ""
    assert "127.0.0.1:9" in said.err
    assert main(["search", "--try-router", str(tmp_path / "none.jsonl")]) == 1
    assert "none.jsonl cannot be read" in capsys.readouterr().err
