"""The user's own SearXNG as a process: what it listens on, what it writes, and that it never outlives the program."""

from __future__ import annotations

import json
import os
import signal
import socket
import stat
import subprocess
import sys
import threading
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from urllib.parse import urlsplit

import httpx
import pytest

from llamachat.core.cancel import CancelToken
from llamachat.core.errors import Cancelled, EngineError
from llamachat.engines.local_searxng import SETTINGS, LocalSearxng
from llamachat.engines.searxng_package import SearxngPackage
from llamachat.search import SearxngSettings, search_searxng
from tests.fakes.local_searxng import TestsPackage, own_searxng
from tests.fakes.searxng_world import serve_world
from tests.recorder_parts import wait_until

pytestmark = pytest.mark.slow
RARE = "quixotryphon"


@pytest.fixture(scope="module")
def world() -> str:
    """The made-up web."""
    return serve_world()


@pytest.fixture
def searxng(tmp_path: Path, world: str) -> Iterator[LocalSearxng]:
    """One that is not started yet."""
    made = own_searxng(tmp_path / "searxng", world)
    yield made
    made.stop()


def environment_of(pid: int) -> dict[str, str]:
    rows = Path(f"/proc/{pid}/environ").read_bytes().decode().split("\0")
    return dict(row.split("=", 1) for row in rows if "=" in row)


def alive(pid: int) -> bool:
    try:
        return Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()[0] != "Z"
    except OSError:
        return False


@pytest.mark.claim("OP-005", "OP-002")
def test_it_answers_in_json_on_loopback_and_writes_no_query_anywhere(searxng: LocalSearxng, tmp_path: Path) -> None:
    url = searxng.start(CancelToken())
    found = search_searxng(f"Brasswick Bridge {RARE}", SearxngSettings(url), cancel=CancelToken())
    assert found.results
    assert urlsplit(url).hostname == "127.0.0.1"
    own_address = socket.gethostbyname(socket.gethostname())
    if not own_address.startswith("127."):
        with socket.socket() as probe:
            assert probe.connect_ex((own_address, urlsplit(url).port or 0)) != 0
    with httpx.Client(trust_env=False) as client:
        assert client.get(f"{url}/search", params={"q": RARE, "categories": "broken", "format": "json"}).is_success
    assert not any(RARE in line for line in searxng.log())
    written = [path for path in tmp_path.rglob("*") if path.is_file()]
    assert len(written) > 1
    assert [path for path in written if RARE.encode() in path.read_bytes()] == []


@pytest.mark.claim("OP-003")
def test_the_settings_are_written_anew_for_the_owner_alone_and_hold_no_secret(searxng: LocalSearxng) -> None:
    file = searxng.package.folder / "settings.yml"
    file.parent.mkdir()
    file.write_text("edited", encoding="utf-8")
    file.chmod(0o644)
    searxng.start(CancelToken())
    assert stat.S_IMODE(file.stat().st_mode) == 0o600
    written = json.loads(file.read_text(encoding="utf-8"))
    assert {name: written[name] for name in ("search", "server", "general")} == {
        name: SETTINGS[name] for name in ("search", "server", "general")
    }
    assert "secret" not in file.read_text(encoding="utf-8")


@pytest.mark.claim("OP-004")
def test_each_start_has_a_secret_of_its_own_in_the_environment_alone(
    searxng: LocalSearxng, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("SEARXNG_SETTINGS_PATH", "/nowhere")  # another SearXNG's
    monkeypatch.setenv("BRAVE_API_KEY", "sk-1")
    secrets = []
    for _ in range(2):
        searxng.start(CancelToken())
        assert searxng.pid is not None
        environment = environment_of(searxng.pid)
        assert {name for name in environment if "SEARXNG" in name or "KEY" in name} == {"SEARXNG_SECRET"}
        secrets.append(environment["SEARXNG_SECRET"])
        assert len(secrets[-1]) == 64
        assert secrets[-1] not in Path(f"/proc/{searxng.pid}/cmdline").read_text()
        for path in searxng.package.folder.rglob("*"):
            assert not path.is_file() or secrets[-1].encode() not in path.read_bytes()
        searxng.stop()
    assert secrets[0] != secrets[1]


def test_of_several_that_need_it_at_once_one_starts_it_and_all_get_its_address(searxng: LocalSearxng) -> None:
    with ThreadPoolExecutor(2) as pool:
        first = pool.submit(searxng.start, CancelToken())
        wait_until(lambda: searxng.running)  # it does not answer yet
        second = pool.submit(searxng.start, CancelToken())
        assert first.result(30) == second.result(30) != ""
    found = search_searxng("Brasswick Bridge", SearxngSettings(second.result()), cancel=CancelToken())
    assert found.results


def test_it_is_started_once_started_again_when_it_died_and_leaves_nothing(searxng: LocalSearxng) -> None:
    first = searxng.start(CancelToken())
    pid = searxng.pid
    assert pid is not None
    assert searxng.start(CancelToken()) == first
    assert searxng.pid == pid
    os.kill(pid, signal.SIGKILL)
    wait_until(lambda: not searxng.running)
    searxng.start(CancelToken())
    assert searxng.pid != pid
    assert len(list(searxng.package.folder.glob("cache-*"))) == 1
    searxng.stop()
    assert not searxng.running
    assert [path.name for path in searxng.package.folder.iterdir()] == ["settings.yml"]


@pytest.mark.claim("OP-006")
def test_it_ends_with_a_program_that_is_killed_and_the_next_start_tidies_up(tmp_path: Path, world: str) -> None:
    folder = tmp_path / "searxng"
    command = [sys.executable, "-m", "tests.fakes.local_searxng", str(folder)]
    with subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE) as owner:
        assert owner.stdout is not None
        _, number = owner.stdout.readline().split()
        assert alive(int(number))
        owner.kill()
        owner.wait()
    wait_until(lambda: not alive(int(number)))
    left = list(folder.glob("cache-*"))
    assert len(left) == 1
    again = own_searxng(folder, world)
    again.start(CancelToken())
    assert left[0] not in list(folder.glob("cache-*"))
    again.stop()


def test_a_start_can_be_stopped(searxng: LocalSearxng) -> None:
    cancel = CancelToken()
    cancel.cancel()
    with pytest.raises(Cancelled):
        searxng.start(cancel)
    assert not searxng.running


def test_a_start_that_is_under_way_when_the_program_ends_is_given_up(searxng: LocalSearxng) -> None:
    ended: list[BaseException] = []

    def start() -> None:
        try:
            searxng.start(CancelToken())
        except Cancelled as cancelled:
            ended.append(cancelled)

    starting = threading.Thread(target=start)
    starting.start()
    wait_until(lambda: searxng.running)
    searxng.stop()
    starting.join()
    assert len(ended) == 1
    assert not searxng.running


def test_one_that_cannot_start_says_what_it_said(tmp_path: Path) -> None:
    broken = LocalSearxng(
        tmp_path, package=TestsPackage(tmp_path), settings={**SETTINGS, "use_default_settings": "no"}
    )
    with pytest.raises(EngineError, match=r"did not start\. It said: "):
        broken.start(CancelToken())
    assert not broken.running
    assert not list(tmp_path.glob("cache-*"))


def test_one_that_is_not_installed_says_how(tmp_path: Path) -> None:
    with pytest.raises(EngineError) as caught:
        LocalSearxng(tmp_path, package=SearxngPackage(tmp_path)).start(CancelToken())
    assert "--install-searxng" in caught.value.next_step


def test_its_own_settings_name_engines_that_there_are(tmp_path: Path) -> None:
    """With the settings it is shipped with it starts, and asks nobody before the first search."""
    shipped = LocalSearxng(tmp_path, package=TestsPackage(tmp_path))
    url = shipped.start(CancelToken())
    with httpx.Client(trust_env=False) as client:
        config = client.get(f"{url}/config").json()
    shipped.stop()
    wanted = SETTINGS["use_default_settings"]
    assert isinstance(wanted, dict)
    assert {engine["name"] for engine in config["engines"]} == set(wanted["engines"]["keep_only"])
    assert config["limiter"]["enabled"] is False
