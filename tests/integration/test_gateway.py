"""`llamachat gateway` as a process, before a real SearXNG whose engines count, and before one that refuses."""

from __future__ import annotations

import json
import signal
import socket
import subprocess
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import httpx
import pytest

from llamachat.storage.database import Database
from llamachat.storage.journal import list_journal
from tests.fakes.replay import answer, replay
from tests.integration.cli_process import Cli
from tests.integration.searxng_server import Searxng

REFUSED = {"results": [], "unresponsive_engines": [["brave", "Suspended: too many requests"]]}


@contextmanager
def running(cli: Cli, *, end: signal.Signals = signal.SIGTERM) -> Iterator[str]:
    """The gateway as a process; its address. At the end it is told to go, and must do so in good order."""
    command = cli.command("gateway", "--port", "0")
    with subprocess.Popen(
        command, stdout=subprocess.PIPE, stderr=subprocess.PIPE, env=cli.whole_environment(), encoding="utf-8"
    ) as process:
        assert process.stdout is not None
        try:
            address = process.stdout.readline().strip()
            assert address.endswith("/v1/search"), process.communicate(timeout=10)
            yield address
        finally:
            process.send_signal(end)
            printed, errors = process.communicate(timeout=20)
        assert (process.returncode, printed) == (0, "")
        assert "Traceback" not in errors


def search(address: str, query: str, **fields: object) -> httpx.Response:
    with httpx.Client(trust_env=False, timeout=20) as client:
        return client.post(address, json={"query": query, **fields})


def status(address: str) -> Any:
    with httpx.Client(trust_env=False) as client:
        return client.get(address.replace("/v1/search", "/status")).json()


def cli_for(folder: Path, url: str, more: str = "") -> Cli:
    """A command line that may search there."""
    cli = Cli(folder)
    cli.config.write_text(f'search_enabled = true\nsearch_url = "{url}"\n{more}', encoding="utf-8")
    return cli


@pytest.mark.slow
@pytest.mark.claim("OP-010", "OP-049", "OP-028", "ST-044")
def test_two_equal_requests_reach_the_engine_once_and_one_burst_is_shared_with_the_command_line(
    tmp_path: Path, searxng: Searxng
) -> None:
    cli = cli_for(tmp_path, searxng.url, "search_burst = 3\n")
    query = "Brasswick Bridge toll gate"  # no other test asks for it
    with running(cli) as address:
        first = search(address, query, max_results=2)
        assert first.status_code == 200
        assert [sorted(result) for result in first.json()["results"]] == [["snippet", "title", "url"]] * 2
        assert search(address, query, max_results=2).json() == first.json()
        assert searxng.searches(query) == 1
        assert (status(address)["sent"], status(address)["from_cache"]) == (1, 1)
        assert cli.run("search", "lighthouse keepers").returncode == 0
        assert search(address, "harbour dredging").status_code == 200
        refused = search(address, "ferry timetable")
        assert refused.status_code == 503
        assert 1 <= int(refused.headers["Retry-After"]) <= 20
        assert searxng.searches("ferry timetable") == 0
        assert cli.run("search", "ferry timetable").returncode == 1
        assert searxng.searches("ferry timetable") == 0
    with Database.open(cli.data / "llamachat.db") as db:
        rows = [entry.egress for entry in reversed(list_journal(db))]
    assert [(row.query, row.message_id) for row in rows] == [
        (query, 0),
        ("lighthouse keepers", 0),
        ("harbour dredging", 0),
    ]
    others = [path for path in tmp_path.rglob("*") if path.is_file() and path.suffix != ".db"]
    assert [path for path in others if b"Brasswick" in path.read_bytes()] == []


@pytest.mark.slow
@pytest.mark.claim("OP-049")
def test_two_refusals_pause_so_that_four_requests_make_two_and_search_comes_back(tmp_path: Path) -> None:
    refuses = answer(200, {"Content-Type": "application/json"}, json.dumps(REFUSED).encode())
    found = {"results": [{"title": "Locks", "url": "https://a.example/", "content": "c"}]}
    finds = answer(200, {"Content-Type": "application/json"}, json.dumps(found).encode())
    with replay(refuses, refuses, finds) as server:
        cli = cli_for(tmp_path, server.url, "search_pause_s = 1\n")
        with running(cli, end=signal.SIGINT) as address:
            answers = [search(address, query) for query in ("tides", "canals", "ferries", "quays")]
            assert [reply.status_code for reply in answers] == [503] * 4
            assert len(server.received) == 2
            assert "too many requests" in answers[-1].json()["error"]
            assert status(address)["paused"] is True
            while (reply := search(address, "quays")).status_code == 503:
                assert int(reply.headers["Retry-After"]) == 1
            assert [one["title"] for one in reply.json()["results"]] == ["Locks"]
            assert len(server.received) == 3


def test_what_is_not_configured_is_told_and_nothing_listens_but_on_loopback(tmp_path: Path) -> None:
    cli = Cli(tmp_path, {"SEARXNG_URL": ""})
    with running(cli) as address:
        reply = search(address, "tides")
        assert reply.status_code == 503
        assert "SearXNG" in reply.json()["error"]
        assert "search_url" in reply.json()["error"]
        port = httpx.URL(address).port or 0
        others = {entry[4][0] for entry in socket.getaddrinfo(socket.gethostname(), port, socket.AF_INET)}
        for host in {str(host) for host in others if not str(host).startswith("127.")}:
            with socket.socket() as probe:
                assert probe.connect_ex((host, port)) != 0
