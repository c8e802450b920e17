"""`llamachat search --doctor` and `--status`, and a search that the guard refuses."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from llamachat.cli.main import main
from tests.fakes.replay import Replay, answer, replay

JSON = {"Content-Type": "application/json"}
FOUND = {"results": [{"title": "Tide tables", "url": "https://tides.example/", "content": "High water at noon."}]}
REFUSED = {"results": [], "unresponsive_engines": [["brave", "Suspended: too many requests"]]}
FINDS = answer(200, JSON, json.dumps(FOUND).encode())
REFUSES = answer(200, JSON, json.dumps(REFUSED).encode())


def search(folder: Path, *arguments: str, settings: str) -> int:
    (folder / "c.toml").write_text(settings, encoding="utf-8")
    return main(["--config", str(folder / "c.toml"), "--data-dir", str(folder / "data"), "search", *arguments])


def at(server: Replay, more: str = "") -> str:
    return f'search_enabled = true\nsearch_url = "{server.url}"\n{more}'


@pytest.mark.claim("OP-013")
def test_a_search_prints_what_it_found_and_over_the_pace_the_reason(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    with replay(FINDS) as server:
        settings = at(server, "search_burst = 1\n")
        assert search(tmp_path, "tides", settings=settings) == 0
        assert capsys.readouterr().out == "[1] Tide tables\n    https://tides.example/\n    High water at noon.\n"
        assert search(tmp_path, "ferries", settings=settings) == 1
    assert "the next one may go out in 20 s" in capsys.readouterr().err
    assert len(server.received) == 1


@pytest.mark.claim("OP-044", "OP-013")
def test_the_status_counts_and_names_the_pause(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    with replay(FINDS, REFUSES) as server:
        settings = at(server, "search_trip_after = 1\n")
        for query in ("tides", "ferries", "quays"):
            search(tmp_path, query, settings=settings)
        assert len(server.received) == 2
        capsys.readouterr()
        assert search(tmp_path, "--status", "--json", settings=settings) == 0
        row = json.loads(capsys.readouterr().out)
        assert (row["sent"], row["cached"], row["paced"], row["paused"]) == (2, 0, 0, 1)
        assert 290 < row["paused_s"] <= 300
        assert search(tmp_path, "--status", settings=settings) == 0
        lines = capsys.readouterr().out.splitlines()
    assert "sent: 2" in lines
    assert "refused while paused: 1" in lines
    assert lines[-1].startswith("paused until ")
    assert "for 5 min more: the search engines are refusing requests (brave: Suspended" in lines[-1]
    assert len(server.received) == 2


def test_the_status_of_a_fresh_profile(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert search(tmp_path, "--status", settings="") == 0
    lines = capsys.readouterr().out.splitlines()
    assert lines[0] == "sent: 0"
    assert lines[-1] == "not paused; 6 may go out at once"


def test_the_doctor_finds_nothing_wrong(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    with replay(FINDS) as server:
        assert search(tmp_path, "--doctor", settings=at(server)) == 0
    said = capsys.readouterr()
    assert said.out.splitlines()[-1] == "    1 result"
    assert "FAILED" not in said.out
    assert said.err == ""


def test_an_engine_that_fails_beside_others_is_a_note(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    some = {**FOUND, "unresponsive_engines": [["brave", "CAPTCHA"]]}
    with replay(answer(200, JSON, json.dumps(some).encode())) as server:
        assert search(tmp_path, "--doctor", settings=at(server)) == 0
    assert (
        "[note] The search engine brave answers\n    CAPTCHA. It takes SearXNG for a robot" in capsys.readouterr().out
    )


@pytest.mark.claim("LC-025")
def test_the_doctor_names_cause_and_cure_and_fails(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    page = b"<!doctype html><html lang=en><title>403 Forbidden</title>"
    with replay(answer(403, {"Content-Type": "text/html"}, page)) as server:
        assert search(tmp_path, "--doctor", settings=at(server)) == 1
        said = capsys.readouterr()
        assert search(tmp_path, "--doctor", "--json", settings=at(server)) == 1
        steps = [json.loads(line) for line in capsys.readouterr().out.splitlines()]
    assert "[FAILED] SearXNG at 127.0.0.1 answers\n    SearXNG at" in said.out
    assert "formats: [html, json]" in said.out
    assert [step["ok"] for step in steps] == [True, True, True, False]


def test_the_doctor_looks_at_the_service_that_is_named(
    tmp_path: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.delenv("BRAVE_API_KEY", raising=False)
    with replay(FINDS) as server:
        assert search(tmp_path, "--doctor", "--provider", "brave", settings=at(server)) == 1
    assert "[FAILED] Brave has what it needs" in capsys.readouterr().out
    assert server.received == []


def test_no_password_is_shown(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    with replay(answer(401, {}, b"<h1>401</h1>")) as server:
        settings = at(server).replace("http://", "http://me:s3cret@")
        assert search(tmp_path, "--doctor", settings=settings) == 1
    said = capsys.readouterr()
    assert "s3cret" not in said.out + said.err
    assert "search_url" in said.out
