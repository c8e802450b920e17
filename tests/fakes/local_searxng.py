"""The user's own SearXNG in tests: the program's process in the environment of the tests, on a made-up web."""

from __future__ import annotations

import subprocess
import sys
from dataclasses import dataclass
from pathlib import Path

from llamachat.core.cancel import CancelToken
from llamachat.engines.local_searxng import SETTINGS, LocalSearxng
from llamachat.engines.searxng_package import SearxngPackage
from tests.fakes.searxng import install
from tests.fakes.searxng_inside import make_engines
from tests.fakes.searxng_world import serve_world


@dataclass(frozen=True)
class TestsPackage(SearxngPackage):
    """The environment of the tests in place of one that is installed first."""

    __test__ = False

    @property
    def python(self) -> Path:
        """The interpreter of the tests' SearXNG."""
        return install()

    def installed(self) -> bool:
        """It is."""
        return True


def own_searxng(folder: Path, world: str) -> LocalSearxng:
    """One whose engines ask the made-up web at `world`."""
    engines = {"use_default_settings": {"engines": {"keep_only": []}}, "engines": make_engines(world)}
    return LocalSearxng(folder, package=TestsPackage(folder), settings={**SETTINGS, **engines})


def main() -> None:
    """Start one and wait, for tests that kill its owner: `python -m tests.fakes.local_searxng FOLDER`."""
    searxng = own_searxng(Path(sys.argv[1]), serve_world())
    print(searxng.start(CancelToken()), searxng.pid, flush=True)
    subprocess.run(["cat"], check=True)  # until its input ends


if __name__ == "__main__":
    main()
