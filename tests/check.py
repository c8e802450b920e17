"""Every check of the project, in order: `python -m tests.check [--quick] [--no-qt]`.

--quick leaves out the slow tests. --no-qt is for an environment without PySide6: tests of the window are left out,
and so is what looks at the whole tree (it was looked at before).
"""

from __future__ import annotations

import argparse
import os
import subprocess
import sys
import time
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
PYTHON = sys.executable
TREE_CHECKS: tuple[tuple[str, list[str]], ...] = (
    ("lint", [PYTHON, "-m", "ruff", "check", "."]),
    ("format", [PYTHON, "-m", "ruff", "format", "--check", "."]),
    ("types", [PYTHON, "-m", "mypy"]),
    ("imports", [PYTHON, "-c", "from importlinter.cli import lint_imports_command as run; run()"]),
)


def pytest_command(*, quick: bool, qt: bool) -> list[str]:
    """The pytest call of a run."""
    command = [PYTHON, "-m", "pytest", "-q"]
    if quick:
        command += ["-m", "not slow", "--ignore=tests/end2end"]
    if not qt:
        command += ["-p", "no:pytest-qt", "--ignore=tests/ui", "--ignore=tests/end2end"]
    return command


def run(name: str, command: list[str]) -> bool:
    """Run one check with the window kept off any screen; True when it passed."""
    print(f"== {name}", flush=True)
    started = time.monotonic()
    environment = {**os.environ, "QT_QPA_PLATFORM": "offscreen"}
    passed = subprocess.run(command, cwd=ROOT, env=environment, check=False).returncode == 0
    print(f"== {name}: {'passed' if passed else 'FAILED'} in {time.monotonic() - started:.0f} s", flush=True)
    return passed


def main() -> int:
    """Run all checks, also after one failed; 1 if any did."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0] if __doc__ else None)
    parser.add_argument("--quick", action="store_true", help="a subset in under 90 seconds")
    parser.add_argument("--no-qt", action="store_true", help="without PySide6: no tests of the window")
    options = parser.parse_args()
    checks = [] if options.no_qt else list(TREE_CHECKS)
    checks.append(("tests", pytest_command(quick=options.quick, qt=not options.no_qt)))
    if not options.no_qt:
        checks.append(("documents", [PYTHON, "-m", "tests.generate_documents", "--check"]))
    failed = [name for name, command in checks if not run(name, command)]
    print(f"failed: {', '.join(failed)}" if failed else "all checks passed", flush=True)
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main())
