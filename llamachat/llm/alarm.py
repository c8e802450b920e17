"""A deadline over the whole of something that blocks: an alarm clock that can be set anew and switched off."""

from __future__ import annotations

import threading
from types import TracebackType

from llamachat.core.cancel import CancelToken


class Alarm:
    """Sets the token `late` once the time is over; switched off at the end of its `with` block.

    after_s: the time that was set last, in seconds.
    """

    def __init__(self) -> None:
        self.late = CancelToken()
        self.after_s = 0.0
        self._timer: threading.Timer | None = None

    def set(self, after_s: float) -> None:
        """Begin anew, to ring `after_s` from now."""
        self.switch_off()
        self.after_s = after_s
        self._timer = threading.Timer(after_s, self.late.cancel)
        self._timer.daemon = True
        self._timer.start()

    def switch_off(self) -> None:
        """Ring no more."""
        if self._timer is not None:
            self._timer.cancel()

    def __enter__(self) -> Alarm:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.switch_off()
