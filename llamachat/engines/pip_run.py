"""pip as a child process that can be stopped. What it fetched goes into the journal, its last error is for people.

pip knows the user's index, proxy and certificates, tries again when a connection breaks, and checks hashes.
"""

from __future__ import annotations

import importlib.util
import re
import sys
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from pathlib import Path

from llamachat.core.cancel import CancelToken
from llamachat.core.clock import SystemClock
from llamachat.core.egress import Egress, NoEgressLog
from llamachat.core.errors import EngineError
from llamachat.core.seams import EgressLog
from llamachat.core.text import tr
from llamachat.core.web_address import host_of
from llamachat.engines.process import ChildProcess

_TICK_S = 0.2
_OPTIONS = ("--no-deps", "--no-cache-dir", "--only-binary=:all:", "--require-hashes", "--no-input")
_DEFAULT_INDEX = "Python Package Index"  # pip names no host where it asks the usual one
_ADDRESS = re.compile(r"https?://[^\s,)]+")
_SIZE = re.compile(r"\((\d+(?:\.\d+)?) (kB|MB|bytes)\)$")
_UNITS = {"bytes": 1, "kB": 1_000, "MB": 1_000_000}


@dataclass(frozen=True, slots=True)
class PipRun:
    """How pip ended. error: the last line that it marked as an error, or its last line."""

    code: int
    error: str


def check_pip(next_step: str) -> None:
    """Raise EngineError where there is no pip."""
    if importlib.util.find_spec("pip") is None:
        sentence = tr("pip, which fetches packages, is not installed for {python}.")
        raise EngineError(sentence.format(python=sys.executable), next_step)


def run_pip(
    command: str,
    arguments: Sequence[str],
    *,
    work: Path,
    package: str,
    cancel: CancelToken,
    heard: Callable[[tuple[str, ...]], object] = lambda _: None,
    log: EgressLog | None = None,
) -> PipRun:
    """Run it; its own temporary files go to `work`. Raises EngineError where it cannot start, and Cancelled.

    package: what is fetched, for the journal. heard: called several times a second with pip's last lines.
    """
    clock = SystemClock()
    at, started, outcome = clock.now(), clock.monotonic(), "stopped"
    said: dict[str, None] = {}
    pip = ChildProcess(
        "pip",
        [command, *_OPTIONS, "--disable-pip-version-check", *arguments],
        environment={"TMPDIR": str(work)},
    )
    try:
        while (code := pip.wait(_TICK_S)) is None:
            cancel.raise_if_cancelled()
            said |= dict.fromkeys(_telling(pip.log()))
            heard(pip.log())
        cancel.raise_if_cancelled()
        outcome = "failed" if code else "ok"
    finally:
        pip.stop()
        said |= dict.fromkeys(_telling(pip.log()))
        seconds = clock.monotonic() - started
        received = bytes_done(pip.log()) or _received(said)
        row = Egress(at, _hosts(said), "package", package, 0, received, seconds, outcome)
        (log or NoEgressLog()).record(row)
    return PipRun(code, _last_error(pip.log()))


def bytes_done(log: tuple[str, ...]) -> int:
    """What pip's last line `Progress DONE of ALL` says (`--progress-bar=raw`)."""
    matches = (re.fullmatch(r"Progress (\d+) of \d+", line) for line in reversed(log))
    return next((int(match[1]) for match in matches if match), 0)


def _telling(log: tuple[str, ...]) -> list[str]:
    """The lines that say where pip looks and what it fetches."""
    return [line.strip() for line in log if line.lstrip().startswith(("Looking in ", "Downloading "))]


def _hosts(said: dict[str, None]) -> str:
    found = dict.fromkeys(host_of(address) for line in said for address in _ADDRESS.findall(line))
    return ", ".join(filter(None, found)) or _DEFAULT_INDEX


def _received(said: dict[str, None]) -> int:
    sizes = (_SIZE.search(line) for line in said if line.startswith("Downloading "))
    return sum(round(float(size[1]) * _UNITS[size[2]]) for size in sizes if size)


def _last_error(log: tuple[str, ...]) -> str:
    errors = [line.removeprefix("ERROR: ") for line in log if line.startswith("ERROR: ")]
    return (errors or list(log) or [""])[-1]
