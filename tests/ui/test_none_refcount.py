"""Calls of void Qt functions leave the reference count of None alone.

PySide6 6.12.0 on Python 3.11 loses one reference at every call, and the process aborts after some ten thousand.
"""

from __future__ import annotations

import sys

from PySide6.QtCore import QObject

CALLS = 1000


def test_void_calls_do_not_lose_references_to_none() -> None:
    thing = QObject()
    before = sys.getrefcount(None)
    for _ in range(CALLS):
        thing.setObjectName("x")
    lost = before - sys.getrefcount(None)
    assert abs(lost) < CALLS / 10
