"""The package as others install it: the wheel and the source archive build, hold what they should, and run."""

from __future__ import annotations

import subprocess
import sys
import tarfile
import zipfile
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parent.parent.parent


def run(*command: str | Path, cwd: Path = ROOT) -> str:
    """Run a command and return what it prints; its errors fail the test."""
    done = subprocess.run([*map(str, command)], cwd=cwd, capture_output=True, encoding="utf-8", check=False)
    assert done.returncode == 0, done.stderr + done.stdout
    return done.stdout


@pytest.fixture(scope="module")
def archives(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A folder with the wheel and the source archive; the wheel is built out of the latter."""
    folder = tmp_path_factory.mktemp("archives")
    run(sys.executable, "-m", "build", "--no-isolation", "--outdir", folder, ROOT)
    return folder


@pytest.mark.slow
def test_the_wheel_holds_the_program_and_nothing_else(archives: Path) -> None:
    (wheel,) = archives.glob("*.whl")
    names = zipfile.ZipFile(wheel).namelist()
    assert "llamachat/ui/application.py" in names
    assert {name.split("/")[0].split("-")[0] for name in names} == {"llamachat"}


@pytest.mark.slow
def test_the_source_archive_holds_the_tests_too(archives: Path) -> None:
    (archive,) = archives.glob("*.tar.gz")
    with tarfile.open(archive) as files:
        names = {name.partition("/")[2] for name in files.getnames()}
    assert {"pyproject.toml", "README.md", "LICENSE", "config.example.toml", "tests/check.py"} <= names


@pytest.mark.slow
def test_the_installed_wheel_runs(archives: Path, tmp_path: Path) -> None:
    (wheel,) = archives.glob("*.whl")
    run(sys.executable, "-m", "pip", "install", "--quiet", "--no-deps", "--target", tmp_path / "site", wheel)
    code = "import sys; sys.path.insert(0, sys.argv[1]); from llamachat.cli.main import main; main(['--version'])"
    assert run(sys.executable, "-c", code, tmp_path / "site", cwd=tmp_path).startswith("llamachat ")
