"""The clock of the machine, as the `Clock` seam."""

from __future__ import annotations

import time


class SystemClock:
    """Real time."""

    def now(self) -> float:
        """Seconds since 1970, UTC."""
        return time.time()

    def monotonic(self) -> float:
        """Seconds that only run forward."""
        return time.monotonic()
