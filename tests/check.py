"""Every check of the project: `python -m tests.check [--quick] [--no-qt]`.

--quick leaves out the slow tests, and runs two checks at a time, the tests in two halves. --no-qt is for an
environment without PySide6: tests of the window are left out, and so is what looks at the whole tree (it was before).
"""

from __future__ import annotations

import argparse
import os
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterator, Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor, as_completed
from functools import partial
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
PYTHON = sys.executable
AT_A_TIME = 2
TREE_CHECKS: tuple[tuple[str, list[str]], ...] = (
    ("lint", [PYTHON, "-m", "ruff", "check", "."]),
    ("format", [PYTHON, "-m", "ruff", "format", "--check", "."]),
    ("types", [PYTHON, "-m", "mypy"]),
    ("imports", [PYTHON, "-c", "from importlinter.cli import lint_imports_command as run; run()"]),
)
DOCUMENTS = ("documents", [PYTHON, "-m", "tests.generate_documents", "--check"])
# About half of the time that tests take.
FIRST_HALF = tuple(
    f"tests/{folder}"
    for folder in ("architecture", "ui", "bench", "gallery", "render", "config", "engines", "cli", "chat", "core")
)
PYTEST = [PYTHON, "-m", "pytest", "-q"]
NO_WINDOW = ["-p", "no:pytest-qt", "--ignore=tests/ui", "--ignore=tests/end2end"]


def checks(*, quick: bool, qt: bool) -> list[tuple[str, list[str]]]:
    """What is run, by name and in this order; in the quick check what takes longest comes first."""
    if not qt:
        return [("tests", [*PYTEST, *(["-m", "not slow"] if quick else []), *NO_WINDOW])]
    if not quick:
        return [*TREE_CHECKS, ("tests", PYTEST), DOCUMENTS]
    fast = [*PYTEST, "-m", "not slow", "-p", "no:cacheprovider"]
    others = [f"--ignore={folder}" for folder in (*FIRST_HALF, "tests/end2end")]
    return [
        ("tests, first half", [*fast, *FIRST_HALF]),
        ("tests, second half", [*fast, *others]),
        *TREE_CHECKS,
        DOCUMENTS,
    ]


def run(name: str, command: Sequence[str], *, environment: Mapping[str, str], aside: bool) -> bool:
    """Run one check; True when it passed. aside: tell all of it at its end."""
    print(f"== {name}", flush=True)
    started = time.monotonic()
    told = subprocess.PIPE if aside else None
    done = subprocess.run(
        command, cwd=ROOT, env=environment, check=False, stdout=told, stderr=subprocess.STDOUT if aside else None
    )
    if aside:
        sys.stdout.write(done.stdout.decode(errors="replace"))
    passed = done.returncode == 0
    print(f"== {name}: {'passed' if passed else 'FAILED'} in {time.monotonic() - started:.0f} s", flush=True)
    return passed


def environment_with(folder: str) -> dict[str, str]:
    """No screen; and modules are compiled once, into this folder, also where they must not be beside their source."""
    found = {**os.environ, "QT_QPA_PLATFORM": "offscreen", "PYTHONPYCACHEPREFIX": folder}
    found.pop("PYTHONDONTWRITEBYTECODE", None)
    return found


def failures(chosen: Sequence[tuple[str, list[str]]], *, at_a_time: int) -> Iterator[str]:
    """Run all checks, also after one failed; yields the names of those that do."""
    with tempfile.TemporaryDirectory() as folder, ThreadPoolExecutor(at_a_time) as pool:
        how = partial(run, environment=environment_with(folder), aside=at_a_time > 1)
        running = {pool.submit(how, name, command): name for name, command in chosen}
        yield from (running[done] for done in as_completed(running) if not done.result())


def main() -> int:
    """Run all checks; 1 if any failed."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0] if __doc__ else None)
    parser.add_argument("--quick", action="store_true", help="a subset in under 90 seconds")
    parser.add_argument("--no-qt", action="store_true", help="without PySide6: no tests of the window")
    options = parser.parse_args()
    chosen = checks(quick=options.quick, qt=not options.no_qt)
    failed = sorted(failures(chosen, at_a_time=AT_A_TIME if options.quick else 1))
    print(f"failed: {', '.join(failed)}" if failed else "all checks passed", flush=True)
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main())
