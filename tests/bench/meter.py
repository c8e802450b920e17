"""How long a measurement took, and how busy other programs kept the machine meanwhile."""

from __future__ import annotations

import os
import resource
import time
from pathlib import Path

from tests.bench.figures import Detail


class Meter:
    """Reads the machine's clocks now and when told to."""

    def __init__(self) -> None:
        self._began, self._busy_s, self._own_s = time.monotonic(), _busy_s(), _own_s()

    def read(self) -> dict[str, Detail]:
        """Seconds since it was made, and cores that other programs kept busy on average."""
        took = time.monotonic() - self._began
        others = max(_busy_s() - self._busy_s - (_own_s() - self._own_s), 0.0)
        return {"took_s": round(took, 1), "others_cpu": round(others / took, 2) if took else 0.0}


def _busy_s() -> float:
    """Seconds that all cores have worked since the system started."""
    user, nice, system, _idle, _waiting, irq, softirq, *_ = (
        int(ticks) for ticks in Path("/proc/stat").read_text(encoding="ascii").split("\n", 1)[0].split()[1:]
    )
    return (user + nice + system + irq + softirq) / os.sysconf("SC_CLK_TCK")


def _own_s() -> float:
    """Seconds that this process and its ended children have worked."""
    used = [resource.getrusage(who) for who in (resource.RUSAGE_SELF, resource.RUSAGE_CHILDREN)]
    return sum(each.ru_utime + each.ru_stime for each in used)
