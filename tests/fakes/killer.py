"""Kills a program with SIGKILL at a chosen instant and tells what it had printed by then, and when."""

from __future__ import annotations

import os
import selectors
import subprocess
import time
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from pathlib import Path

_LONGEST_S = 60.0


@dataclass(frozen=True, slots=True)
class Line:
    """A whole line the program printed, and when it was read (`time.monotonic`)."""

    at: float
    text: str


@dataclass(frozen=True, slots=True)
class Killing:
    """The lines of the program, also those that were still in the pipe, and when it was killed."""

    lines: tuple[Line, ...]
    at: float

    def since(self, is_mark: Callable[[str], bool]) -> float:
        """Seconds between the last such line read before the kill and the kill; infinite where there was none."""
        times = [line.at for line in self.lines if line.at <= self.at and is_mark(line.text)]
        return self.at - max(times, default=float("-inf"))


def kill_at(
    command: Sequence[str], *, is_mark: Callable[[str], bool], delay_s: float = 0.0, cwd: Path | None = None
) -> Killing:
    """Run a program and kill it `delay_s` seconds after it printed a line that `is_mark` takes.

    Raises AssertionError where the program ends before, or prints no such line within a minute.
    """
    with subprocess.Popen(command, stdout=subprocess.PIPE, cwd=cwd) as process:
        assert process.stdout is not None
        reader = _LineReader(process.stdout.fileno())
        try:
            started = time.monotonic()
            while not any(is_mark(line.text) for line in reader.new_lines()):
                assert reader.read(started + _LONGEST_S - time.monotonic()), "no mark came"
            deadline = time.monotonic() + delay_s
            while (left := deadline - time.monotonic()) > 0:
                reader.read(left)
            assert process.poll() is None, "the program ended by itself"
        finally:
            process.kill()
            killed = time.monotonic()
        process.wait()
        while reader.read(_LONGEST_S):
            pass
        reader.close()
        return Killing(tuple(reader.lines), killed)


class _LineReader:
    """Collects whole lines from a pipe, with the time of each."""

    def __init__(self, descriptor: int) -> None:
        self.lines: list[Line] = []
        self._descriptor = descriptor
        self._seen = 0
        self._rest = b""
        self._selector = selectors.DefaultSelector()
        self._selector.register(descriptor, selectors.EVENT_READ)

    def close(self) -> None:
        """Let go of the selector; the pipe is the process's."""
        self._selector.close()

    def read(self, timeout_s: float) -> bool:
        """Take what comes within that time; False where nothing came or the pipe is closed."""
        if not self._selector.select(max(0.0, timeout_s)):
            return False
        data = os.read(self._descriptor, 65536)
        *whole, self._rest = (self._rest + data).split(b"\n")
        now = time.monotonic()
        self.lines += [Line(now, line.decode("utf-8", "replace")) for line in whole]
        return bool(data)

    def new_lines(self) -> list[Line]:
        """The lines that came since this was asked last."""
        new = self.lines[self._seen :]
        self._seen = len(self.lines)
        return new
