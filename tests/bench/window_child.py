"""The real window in a process of its own, driven and measured from inside: `python -m tests.bench.window_child`.

Takes one JSON with a `Job`, prints one JSON with what the scene measured. Nothing polls while something is measured:
the scenes wait for signals.
"""

from __future__ import annotations

import gc
import json
import resource
import sys
import time
from collections import Counter
from collections.abc import Callable
from dataclasses import asdict
from pathlib import Path

from PySide6.QtCore import QEventLoop, Qt, QTimer, SignalInstance

from tests.bench.chats import FIRST_WORDS
from tests.bench.jobs import AnswerCost, Job, Memory, Opening
from tests.end2end.stage import Stage

# Tools of developers that httpx loads where it finds them: nobody else has them.
sys.modules.update(dict.fromkeys(("click", "rich")))  # type: ignore[arg-type]  # None keeps a module from being found

SIZE = (1280, 900)
BEAT_MS = 5
REST_S = 1.0  # what an answer leaves to be done is done by then
WARM_S = 4.0  # and by then what the program gets ready behind its first picture


class Driver:
    """A window that is open, and what is done with it."""

    def __init__(self, job: Job) -> None:
        self._job = job
        self.stage = Stage(Path(job.folder), "")
        self.stage.begin()
        gc.freeze()  # as the program does once its window is open
        self.stage.window.resize(*SIZE)
        self.stage.rest(REST_S)

    def answer(self) -> AnswerCost:
        """Ask a question in the chat, or in a new one, and wait until the answer is drawn whole."""
        for chat in self._job.chats:
            self.open(chat)
        if self._job.load_all:
            self.load_all()
        self.stage.rest(WARM_S)
        control = self.stage.window.chat.turns
        beat = Beat() if self._job.beat else None
        cpu, began = _cpu_s(), time.perf_counter()
        self.stage.window.page.composer.set_text("Tell me everything.")
        self._wait(control.ended, self.stage.window.page.composer.send.click)
        wall = time.perf_counter() - began
        if beat:
            beat.stop()
        self.stage.rest(REST_S)
        spent = _cpu_s() - cpu
        characters = len(self.stage.window.page.view.toPlainText())
        return AnswerCost(spent, wall, characters, *(beat.late_ms, beat.own_ms) if beat else ())

    def opening(self) -> list[Opening]:
        """From the choice of a chat until its end is painted; the chats by turns."""
        times = []
        for number in range(self._job.runs):
            chat = self._job.chats[number % len(self._job.chats)]
            cpu, began = time.process_time(), time.perf_counter()
            self.open(chat)
            wall_s, own_s = time.perf_counter() - began, time.process_time() - cpu
            times.append(Opening(1000 * wall_s, 1000 * own_s))
            self.stage.rest(REST_S / 2)
        return times

    def memory(self) -> list[Memory]:
        """With nothing open, with the chat open, with all of its messages loaded."""
        self.stage.rest(WARM_S)
        idle = self._rested_memory()
        self.open(self._job.chats[0])
        opened = self._rested_memory()
        self.load_all()
        return [idle, opened, self._rested_memory()]

    def open(self, chat: int) -> None:
        """Open a chat and paint its end."""
        window = self.stage.window
        self._wait(window.chat.shown, lambda: window.chat.open(chat))
        window.page.view.viewport().repaint()

    def load_all(self) -> None:
        """Go up to the first message."""
        view = self.stage.window.page.view
        bar = view.verticalScrollBar()
        document = view.document()
        while not any(document.findBlockByNumber(n).text().startswith(FIRST_WORDS) for n in range(5)):
            bar.setValue(0)
            self.stage.rest(0.01)
        bar.setValue(bar.maximum())

    def _rested_memory(self) -> Memory:
        self.stage.rest(2 * REST_S)
        return _memory()

    def _wait(self, signal: SignalInstance, act: Callable[[], object]) -> None:
        """Do something and run the window until a signal comes."""
        loop = QEventLoop()
        signal.connect(loop.quit)
        act()
        loop.exec()
        signal.disconnect(loop.quit)


class Beat:
    """A timer that writes down how late it is, and how long its thread has worked."""

    def __init__(self) -> None:
        self.late_ms: list[float] = []
        self.own_ms: list[float] = []
        self._last, self._worked = time.perf_counter(), time.thread_time()
        self._timer = QTimer(timerType=Qt.TimerType.PreciseTimer, interval=BEAT_MS)
        self._timer.timeout.connect(self._beat)
        self._timer.start()

    def stop(self) -> None:
        """End."""
        self._timer.stop()

    def _beat(self) -> None:
        now, worked = time.perf_counter(), time.thread_time()
        self.late_ms.append(max(1000 * (now - self._last) - BEAT_MS, 0.0))
        self.own_ms.append(1000 * (worked - self._worked))
        self._last, self._worked = now, worked


def _cpu_s() -> float:
    used = resource.getrusage(resource.RUSAGE_SELF)
    return used.ru_utime + used.ru_stime


def _memory() -> Memory:
    kilobytes: Counter[str] = Counter()
    for line in Path("/proc/self/smaps_rollup").read_text(encoding="ascii").splitlines()[1:]:
        name, value, *_ = line.split()
        kilobytes[name.rstrip(":")] += int(value)
    alone = kilobytes["Private_Clean"] + kilobytes["Private_Dirty"]
    return Memory(kilobytes["Pss"] / 1024, alone / 1024)


def _run(job: Job) -> object:
    driver = Driver(job)
    try:
        if job.scene == "answer":
            return asdict(driver.answer())
        if job.scene == "opening":
            return [asdict(opening) for opening in driver.opening()]
        return [asdict(memory) for memory in driver.memory()]
    finally:
        driver.stage.close()


def main() -> None:
    """Run the scene of the job."""
    print(json.dumps(_run(Job(**json.loads(sys.argv[1])))), flush=True)


if __name__ == "__main__":
    main()
