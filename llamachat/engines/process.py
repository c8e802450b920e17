"""A child process that dies with this one, says when it is ready, and leaves the last lines of its log."""

from __future__ import annotations

import contextlib
import os
import re
import signal
import subprocess
import sys
import threading
from collections import deque
from collections.abc import Callable, Iterator, Mapping, Sequence
from pathlib import Path
from typing import IO

from llamachat.core.cancel import CancelToken
from llamachat.core.errors import EngineError
from llamachat.core.text import clean, tr
from llamachat.engines import leash

READY = "READY "
_LOG_LINES = 200
_MAX_LINE_BYTES = 2_000
_GRACE_S = 5.0
_PLAIN = re.compile(r"PATH|HOME|USER|TZ|LANG|LANGUAGE|LC_\w+|SSL_CERT_\w+|\w+_proxy|\w+_PROXY")


class ChildProcess:
    """A Python module that runs in a process, and a process group, of its own.

    It ends with this process in every case, also when this one is killed (`leash` has the how). What it prints goes
    to a log of the last 200 lines. A line `READY words` on its standard output says that it can be used.
    `environment` holds variables that it gets besides those of this process. `python`: the interpreter of another
    environment; `module` is the path of a file then, and it gets no variable that may hold a secret of ours.
    """

    def __init__(
        self,
        module: str,
        arguments: Sequence[str] = (),
        *,
        environment: Mapping[str, str] | None = None,
        python: Path | None = None,
    ) -> None:
        self._log: deque[str] = deque(maxlen=_LOG_LINES)
        self._log_lock = threading.Lock()
        self._ready_words: str | None = None
        self._news = threading.Event()  # ready, or at its end, or given up
        start = [str(python), "-I", "-u", leash.__file__] if python else [sys.executable, "-P", "-m", leash.__name__]
        base = plain_environment() if python else python_environment()
        self._process = _spawn([*start, module, *arguments], {**base, **(environment or {})})
        self._readers = [
            _start_thread(self._read_output, self._process.stdout),
            _start_thread(self._read_errors, self._process.stderr),
        ]

    @property
    def pid(self) -> int:
        """The number of the process, which is also that of its group."""
        return self._process.pid

    @property
    def exit_code(self) -> int | None:
        """None while it runs; minus the number of the signal that ended it."""
        return self._process.poll()

    def log(self) -> tuple[str, ...]:
        """The last lines of what it printed, oldest first."""
        with self._log_lock:
            return tuple(self._log)

    def wait_ready(self, *, timeout_s: float, cancel: CancelToken) -> str | None:
        """Wait for the READY line and return its words; None if it ended, time ran out or `cancel` was set first."""
        with cancel.on_cancel(self._news.set):
            news = self._news.wait(timeout_s)
        if news and self._ready_words is None and not cancel.cancelled:
            self.wait(_GRACE_S)  # it has closed its output and ends
        return self._ready_words

    def wait(self, timeout_s: float) -> int | None:
        """Wait for its end; the exit code, or None when it still runs."""
        try:
            return self._process.wait(timeout_s)
        except subprocess.TimeoutExpired:
            return None

    def stop(self, *, grace_s: float = _GRACE_S) -> None:
        """End it and all it started: it is asked to, and killed after `grace_s`. May be called again."""
        for sign in (signal.SIGTERM, signal.SIGKILL):
            if self.exit_code is None:
                with contextlib.suppress(ProcessLookupError):  # it ended just now
                    os.killpg(self.pid, sign)
                self.wait(grace_s)
        if self._process.stdin:
            self._process.stdin.close()  # has what is left of the group killed, by `leash`
        for reader in self._readers:
            reader.join(grace_s)

    def _read_output(self, stream: IO[bytes]) -> None:
        for line in _lines(stream):
            self._keep(line)
            if line.startswith(READY) and self._ready_words is None:
                self._ready_words = line.removeprefix(READY)
                self._news.set()
        self._news.set()

    def _read_errors(self, stream: IO[bytes]) -> None:
        for line in _lines(stream):
            self._keep(line)

    def _keep(self, line: str) -> None:
        with self._log_lock:
            self._log.append(line)


def python_environment() -> dict[str, str]:
    """The variables with which a child finds the modules that this process finds, in the same order."""
    paths = os.pathsep.join(path or str(Path.cwd()) for path in sys.path)
    return {**os.environ, "PYTHONPATH": paths, "PYTHONUNBUFFERED": "1"}


def plain_environment() -> dict[str, str]:
    """The variables that say where and in which language this process runs, and how the network is reached."""
    return {name: value for name, value in os.environ.items() if _PLAIN.fullmatch(name)}


def _spawn(command: list[str], environment: Mapping[str, str]) -> subprocess.Popen[bytes]:
    pipe = subprocess.PIPE
    try:
        return subprocess.Popen(command, stdin=pipe, stdout=pipe, stderr=pipe, env=environment, process_group=0)
    except OSError as error:
        raise EngineError(tr("A helper process cannot be started: {error}.").format(error=error)) from error


def _start_thread(read: Callable[[IO[bytes]], None], stream: IO[bytes] | None) -> threading.Thread:
    thread = threading.Thread(target=read, args=[stream], name="child log", daemon=True)
    thread.start()
    return thread


def _lines(stream: IO[bytes]) -> Iterator[str]:
    with stream:
        while line := stream.readline(_MAX_LINE_BYTES):
            yield clean(line.decode(errors="replace")).rstrip()
