"""A child process for tests: `python -m tests.fakes.child MODE [WORD]` behaves as MODE says."""

from __future__ import annotations

import ctypes
import os
import signal
import subprocess
import sys
import threading


def chatty() -> None:
    """Prints more than is kept, lines that are too long among it, and is ready after that."""
    for number in range(500):
        print(f"line {number}")
    print("x" * 5_000)
    print("READY yes", flush=True)
    wait()


def crash() -> None:
    """Says why, and ends."""
    print("no such thing", file=sys.stderr)
    sys.exit(3)


def deaf() -> None:
    """Does not end when asked to."""
    signal.signal(signal.SIGTERM, signal.SIG_IGN)
    ready()


def locked() -> None:
    """Holds the interpreter's lock in native code, so that no thread of Python runs."""
    print("READY", os.getpid(), flush=True)
    ctypes.PyDLL(None).sleep(600)


def parent() -> None:
    """Has a child of its own."""
    grandchild = subprocess.Popen([sys.executable, "-c", "import time; time.sleep(600)"])
    print("READY", grandchild.pid, flush=True)
    wait()


def ready() -> None:
    """Says so, with its number."""
    print("READY", os.getpid(), flush=True)
    wait()


def unloadable() -> None:
    """Ends as the built-in engine does on a machine that lacks a library."""
    print("libgomp.so.1: cannot open shared object file: No such file or directory", file=sys.stderr)
    sys.exit(4)


def wait() -> None:
    """Never gets anywhere."""
    threading.Event().wait()


MODES = {mode.__name__: mode for mode in (chatty, crash, deaf, locked, parent, ready, unloadable, wait)}

if __name__ == "__main__":
    MODES[sys.argv[1]]()
