"""ChildProcess: ready, log, stop, and above all that no child is left over."""

from __future__ import annotations

import os
import select
import signal
import subprocess
import sys
import threading
from collections.abc import Callable, Iterator

import pytest

from llamachat.core.cancel import CancelToken
from llamachat.engines.process import ChildProcess

StartChild = Callable[[str], ChildProcess]


@pytest.fixture
def start() -> Iterator[StartChild]:
    """Start a child in one of the modes of `tests.fakes.child`; what is left over is stopped."""
    children: list[ChildProcess] = []

    def start_child(mode: str) -> ChildProcess:
        children.append(ChildProcess("tests.fakes.child", [mode]))
        return children[-1]

    yield start_child
    for child in children:
        child.stop(grace_s=0.1)


def wait_until_gone(pid: int) -> None:
    """Return when the process has ended; fail after ten seconds."""
    try:
        handle = os.pidfd_open(pid)
    except ProcessLookupError:
        return
    try:
        assert select.select([handle], [], [], 10)[0], f"process {pid} still runs"
    finally:
        os.close(handle)


def wait_ready(child: ChildProcess, timeout_s: float = 30, cancel: CancelToken | None = None) -> str | None:
    return child.wait_ready(timeout_s=timeout_s, cancel=cancel or CancelToken())


def test_ready_words_are_returned_and_stop_ends_it(start: StartChild) -> None:
    child = start("ready")
    assert wait_ready(child) == str(child.pid)
    assert child.wait(0.01) is None
    child.stop()
    assert child.exit_code == -signal.SIGTERM
    child.stop()


def test_the_log_is_bounded_in_lines_and_in_their_length(start: StartChild) -> None:
    child = start("chatty")
    assert wait_ready(child) == "yes"
    long_line = ["x" * 2000, "x" * 2000, "x" * 1000]
    assert child.log() == (*(f"line {number}" for number in range(304, 500)), *long_line, "READY yes")


def test_a_child_that_ends_before_it_is_ready(start: StartChild) -> None:
    child = start("crash")
    assert wait_ready(child) is None
    assert child.wait(10) == 3
    child.stop()
    assert child.log() == ("no such thing",)


def test_a_child_that_is_never_ready_is_waited_for_so_long(start: StartChild) -> None:
    child = start("wait")
    assert wait_ready(child, timeout_s=0.01) is None
    assert child.exit_code is None


def test_cancel_ends_the_waiting(start: StartChild) -> None:
    cancel = CancelToken()
    child = start("wait")
    timer = threading.Timer(0.1, cancel.cancel)
    timer.start()
    assert wait_ready(child, timeout_s=60, cancel=cancel) is None
    timer.join()


def test_a_child_that_does_not_hear_is_killed(start: StartChild) -> None:
    child = start("deaf")
    wait_ready(child)
    child.stop(grace_s=0.1)
    assert child.exit_code == -signal.SIGKILL


def test_stop_also_ends_what_the_child_started(start: StartChild) -> None:
    child = start("parent")
    grandchild = int(wait_ready(child) or 0)
    child.stop()
    wait_until_gone(grandchild)


@pytest.mark.parametrize("mode", ["ready", "deaf", "locked", "parent"])
def test_a_killed_owner_leaves_no_child(mode: str) -> None:
    with subprocess.Popen([sys.executable, "-m", "tests.fakes.child_owner", mode], stdout=subprocess.PIPE) as owner:
        assert owner.stdout
        pid = int(owner.stdout.readline())
        os.kill(pid, 0)  # it runs
        owner.kill()
    wait_until_gone(pid)


def test_an_owner_that_ends_before_the_child_has_begun_leaves_none() -> None:
    for _ in range(5):
        command = [sys.executable, "-m", "tests.fakes.child_owner", "sudden"]
        owner = subprocess.run(command, stdout=subprocess.PIPE, check=False)
        assert owner.returncode == -signal.SIGKILL
        wait_until_gone(int(owner.stdout))
