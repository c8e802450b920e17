"""The whole program as a process: profiles to run it on, and the calls of the children that measure themselves."""

from __future__ import annotations

import atexit
import json
import os
import shutil
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import asdict, dataclass
from functools import cache
from pathlib import Path
from typing import Any

from llamachat.config.paths import resolve_paths
from tests.bench.chats import store_chat
from tests.bench.figures import Detail
from tests.bench.jobs import AnswerCost, Job, Memory, Opening, Size

_ROOT = Path(__file__).resolve().parent.parent.parent
_PATIENCE_S = 1_500  # the longest answer takes 1,000


@dataclass(frozen=True, slots=True)
class Start:
    """A start of the program: seconds until its window was painted, of them the work of its threads, and the modules
    it had imported by then.
    """

    seconds: float
    cpu_s: float
    modules: list[str]


class Profile:
    """A folder with settings and chats, to be copied for every run. Use it in a `with` block."""

    def __init__(self, *chats: int) -> None:
        """`chats` are numbers of messages; the numbers of the chats are in `chats` afterwards."""
        self._folder = tempfile.TemporaryDirectory()
        self._made = Path(self._folder.name) / "made"
        database = resolve_paths(None, self._made / "data").database
        database.parent.mkdir(parents=True)
        self.chats = tuple(store_chat(database, count, seed=seed) for seed, count in enumerate(chats))

    def __enter__(self) -> Profile:
        return self

    def __exit__(self, *_: object) -> None:
        self._folder.cleanup()

    @contextmanager
    def copied(self, base_url: str) -> Iterator[Path]:
        """A copy for one run with a model server at this address."""
        copy = Path(self._folder.name) / "copy"
        shutil.copytree(self._made, copy)
        try:
            settings = f'base_url = "{base_url}"\nsearch_url = "http://127.0.0.1:9"\ntheme = "light"\n'
            (copy / "config.toml").write_text(settings, encoding="utf-8")
            yield copy
        finally:
            shutil.rmtree(copy)


def run_answer(job: Job) -> AnswerCost:
    """Have a question answered."""
    return AnswerCost(**_run("window_child", json.dumps(asdict(job))))


def run_opening(job: Job) -> list[Opening]:
    """Have chats opened."""
    return [Opening(**found) for found in _run("window_child", json.dumps(asdict(job)))]


def run_memory(job: Job) -> list[Memory]:
    """Have the memory measured: idle, with a chat, with all of it."""
    return [Memory(**found) for found in _run("window_child", json.dumps(asdict(job)))]


def run_start(folder: Path) -> Start:
    """Start the program and close it when it is painted."""
    began = time.monotonic()
    told = _run("start_child", str(folder))
    return Start(told["painted"] - began, told["cpu_s"], told["modules"])


def run_view(name: str, size: Size) -> dict[str, Detail]:
    """Have a figure of the transcript alone measured; as its own process says it."""
    told: dict[str, Detail] = _run("view_child", name, *["--quick"] * (size is Size.QUICK))
    return told


def _run(module: str, *arguments: str) -> Any:
    """Run a child on no screen (unless one is named) and read the JSON it prints last.

    As in an installed program, its modules are compiled once and not anew by every process.
    """
    environment = {"QT_QPA_PLATFORM": "offscreen"} | os.environ | {"PYTHONPYCACHEPREFIX": _bytecode_folder()}
    environment.pop("PYTHONDONTWRITEBYTECODE", None)
    command = [sys.executable, "-m", f"tests.bench.{module}", *arguments]
    done = subprocess.run(
        command, cwd=_ROOT, env=environment, stdout=subprocess.PIPE, encoding="utf-8", check=True, timeout=_PATIENCE_S
    )
    return json.loads(done.stdout.splitlines()[-1])


@cache
def _bytecode_folder() -> str:
    folder = tempfile.mkdtemp(prefix="llamachat-bench-")
    atexit.register(shutil.rmtree, folder, ignore_errors=True)
    return folder
