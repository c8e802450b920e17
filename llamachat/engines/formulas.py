"""Formulas are drawn by a child process: one that hangs or grows is ended by the system, and another is started."""

from __future__ import annotations

import contextlib
import json
import logging
import math
import subprocess
import sys
import threading
from importlib.util import find_spec
from typing import IO

from llamachat.core.formula import Formula, FormulaShapes
from llamachat.engines.process import python_environment

log = logging.getLogger(__name__)

_LONGEST_TEX = 5_000  # characters
_LONGEST_ANSWER = 300_000
_MOST_DEATHS = 20  # a chat that is out to cost time gets no more than so many processes
_MODULE = "llamachat.engines.formula_child"


def can_draw_formulas() -> bool:
    """Whether the optional library is there; it is not imported for that."""
    return find_spec("ziamath") is not None


class FormulaProcess:
    """Draws one formula after the other, in one thread; `stop` may come from another. The first starts the child."""

    def __init__(self, most_deaths: int = _MOST_DEATHS) -> None:
        self._deaths_left = most_deaths
        self._lock = threading.Lock()
        self._child: subprocess.Popen[bytes] | None = None
        self._stopped = False

    def draw(self, formula: Formula) -> FormulaShapes | None:
        """The shapes of a formula; None when it cannot be drawn."""
        if not formula.tex.strip() or len(formula.tex) > _LONGEST_TEX:
            return None
        child = self._running_child()
        if child is None:
            return None
        line = _exchange(child, json.dumps({"tex": formula.tex, "display": formula.display}))
        if not line.endswith(b"\n"):
            self._deaths_left -= 1
            self._drop(child)
            return None
        return _shapes(json.loads(line))

    def stop(self) -> None:
        """End the child, also while it draws; nothing is drawn from now on."""
        with self._lock:
            self._stopped = True
            if self._child:
                self._child.kill()

    def close(self) -> None:
        """Stop and wait for the end."""
        self.stop()
        if self._child:
            self._drop(self._child)

    def _running_child(self) -> subprocess.Popen[bytes] | None:
        with self._lock:
            if self._stopped or self._deaths_left <= 0:
                return None
            if self._child and self._child.poll() is not None:  # it ends by itself when it has nothing to do
                self._drop(self._child)
            if self._child is None:
                self._child = self._start()
            return self._child

    def _start(self) -> subprocess.Popen[bytes] | None:
        command, pipe = [sys.executable, "-P", "-m", _MODULE], subprocess.PIPE
        try:
            return subprocess.Popen(
                command, stdin=pipe, stdout=pipe, stderr=subprocess.DEVNULL, env=python_environment(), process_group=0
            )
        except OSError as error:
            log.info("formulas cannot be drawn: %s", error)
            self._deaths_left = 0
            return None

    def _drop(self, child: subprocess.Popen[bytes]) -> None:
        self._child = None
        child.kill()
        for stream in (child.stdin, child.stdout):
            if stream:
                with contextlib.suppress(BrokenPipeError):
                    stream.close()
        child.wait()


def _exchange(child: subprocess.Popen[bytes], line: str) -> bytes:
    """The child's answer, without a line end when it has ended or says too much."""
    to_child, from_child = _pipes(child)
    try:
        to_child.write(line.encode() + b"\n")
        to_child.flush()
    except (BrokenPipeError, ValueError):
        return b""
    return from_child.readline(_LONGEST_ANSWER)


def _pipes(child: subprocess.Popen[bytes]) -> tuple[IO[bytes], IO[bytes]]:
    assert child.stdin is not None
    assert child.stdout is not None
    return child.stdin, child.stdout


def _shapes(answer: dict[str, object]) -> FormulaShapes | None:
    svg = answer.get("svg")
    measures = [answer.get(name) for name in ("left", "width", "ascent", "descent")]
    numbers = [float(value) for value in measures if isinstance(value, int | float) and math.isfinite(value)]
    if not isinstance(svg, str) or len(numbers) != len(measures):
        return None
    return FormulaShapes(svg, *numbers)
