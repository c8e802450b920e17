"""A process that owns a child, for tests that kill it: `python -m tests.fakes.child_owner MODE`.

It prints the number of the process that must not outlive it and waits; in the mode `sudden` it ends at once, without
a chance to tidy up.
"""

from __future__ import annotations

import os
import signal
import sys
import threading

from llamachat.core.cancel import CancelToken
from llamachat.engines.process import ChildProcess


def main(mode: str) -> None:
    """Start the child and tell of it."""
    child = ChildProcess("tests.fakes.child", ["wait" if mode == "sudden" else mode])
    if mode == "sudden":
        print(child.pid, flush=True)
        os.kill(os.getpid(), signal.SIGKILL)
    print(child.wait_ready(timeout_s=60, cancel=CancelToken()), flush=True)
    threading.Event().wait()


if __name__ == "__main__":
    main(sys.argv[1])
