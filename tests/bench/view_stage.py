"""A transcript on a page of 900 by 900 pixels, and clocks on what is done with it."""

from __future__ import annotations

import gc
import time
from collections.abc import Callable, Sequence
from dataclasses import dataclass

from PySide6.QtWidgets import QApplication

from llamachat.core.events import Event, Kind
from llamachat.core.messages import Role, StoredMessage
from llamachat.ui.appearance import Appearance
from llamachat.ui.application import make_application
from llamachat.ui.transcript.view import TranscriptView
from tests.bench.figures import Bar, Detail, percentile, spread

SIZE_PX = 900
QUIET_ROUNDS = 20
QUIET_S = 0.002


@dataclass(frozen=True, slots=True)
class Cost:
    """Milliseconds of one change: to change the document, until it is painted, and of that the thread's own work.

    after_ms: what the event loop did then, before it would have taken the next key. Where `cpu_ms` is well below
    `painted_ms`, the machine did something else meanwhile.
    """

    update_ms: float
    painted_ms: float
    cpu_ms: float
    after_ms: float

    @property
    def stall_ms(self) -> float:
        """The longest time in which nothing else could happen."""
        return max(self.painted_ms, self.after_ms)


def stall_bar(what: str, costs: Sequence[Cost], *, percent: float, at_most: float) -> Bar:
    """The stall that so many percent of the costs do not exceed, beside their own work."""
    own = percentile([cost.cpu_ms for cost in costs], percent)
    return Bar(what, percentile([cost.stall_ms for cost in costs], percent), at_most, "wall", own)


def costs_as_json(costs: Sequence[Cost]) -> dict[str, Detail]:
    """How the parts of costs lie."""
    return {
        "painted_ms": spread([cost.painted_ms for cost in costs]),
        "update_ms": spread([cost.update_ms for cost in costs]),
        "cpu_ms": spread([cost.cpu_ms for cost in costs]),
        "after_ms": spread([cost.after_ms for cost in costs]),
    }


class ViewStage:
    """A transcript that shows messages, at their end."""

    def __init__(self, messages: Sequence[StoredMessage]) -> None:
        self._application = make_application()
        appearance = Appearance(self._application, "light")
        self.view = TranscriptView(appearance.theme)
        self.view.resize(SIZE_PX, SIZE_PX)
        self.view.show()
        self.last_id = 0
        self.show(messages)
        gc.freeze()  # as the program does once its window is open

    def show(self, messages: Sequence[StoredMessage], *, has_older: bool = False) -> None:
        """Show these messages and wait until all of it is done."""
        self.last_id = max((message.id for message in messages), default=0)
        self.view.set_messages(messages, has_older=has_older)
        self.settle()

    def timed(self, act: Callable[[], object]) -> Cost:
        """Do something and paint."""
        cpu, began = time.thread_time(), time.perf_counter()
        act()
        updated = time.perf_counter()
        self.view.viewport().repaint()
        painted, worked = time.perf_counter(), time.thread_time()
        QApplication.processEvents()
        after = time.perf_counter()
        return Cost(*(1000 * s for s in (updated - began, painted - began, worked - cpu, after - painted)))

    def settle(self) -> float:
        """Run the event loop until it has nothing left to do; the milliseconds of its longest task."""
        longest, quiet = 0.0, 0
        while quiet < QUIET_ROUNDS:
            began = time.perf_counter()
            QApplication.processEvents()
            lasted = time.perf_counter() - began
            longest = max(longest, lasted)
            quiet = quiet + 1 if lasted < QUIET_S else 0
            time.sleep(QUIET_S)
        gc.collect()  # what was left over is not laid to the charge of what is measured next
        return 1000 * longest


class Growing:
    """An answer that streams at the end of a transcript; it takes the place of another one to the same question."""

    def __init__(self, stage: ViewStage, *, above: int) -> None:
        """`above` is the message that is answered."""
        self._stage = stage
        stage.last_id += 1
        self._answer = StoredMessage(stage.last_id, f"m{stage.last_id}", 1, above, Role.ASSISTANT, "", model="bench")
        self._text: list[str] = []
        stage.view.begin_answer(None, self._answer)

    def feed(self, text: str) -> Cost:
        """Show more of it, as a drained batch of its events."""
        self._text.append(text)
        return self._stage.timed(lambda: self._stage.view.apply([Event(Kind.CONTENT, text)]))

    def end(self) -> Cost:
        """The answer is whole."""
        answer = self._answer
        stored = StoredMessage(
            answer.id, answer.uid, 1, answer.parent_id, Role.ASSISTANT, "".join(self._text), model="bench"
        )
        return self._stage.timed(lambda: self._stage.view.end_answer(stored))


def cut(text: str, size: int) -> list[str]:
    """The text in pieces of one size."""
    return [text[start : start + size] for start in range(0, len(text), size)]
