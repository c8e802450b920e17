"""Many programs at the gateway's door at once."""

from __future__ import annotations

from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from threading import Barrier

from tests.test_gateway import gateway

CROWD = 120


def test_everyone_of_a_crowd_is_answered(tmp_path: Path) -> None:
    with gateway(tmp_path) as running, ThreadPoolExecutor(CROWD) as pool:
        together = Barrier(CROWD)

        def ask(_: int) -> int:
            together.wait()
            return running.ask("GET", "/status")[0]

        assert list(pool.map(ask, range(CROWD))) == [200] * CROWD
