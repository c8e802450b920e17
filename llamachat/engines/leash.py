"""The child's side of `ChildProcess`: run a module that never outlives the process which started it.

    python -m llamachat.engines.leash MODULE [ARGUMENT ...]
    PYTHON -I -u leash.py FILE.py [ARGUMENT ...]

The second form is for another environment, which knows no module of this program.

Standard input is a pipe whose other end only the parent holds. However the parent goes, the system closes that end,
and this process group is killed. On Linux the kernel sends the signal itself, because a thread of ours does not run
while native code holds the interpreter's lock: xllamacpp does so all the while it loads a model (measured).
"""

from __future__ import annotations

import os
import runpy
import signal
import sys
import threading

if sys.platform != "win32":
    import fcntl

_STDIN = 0


def tie_to_parent() -> None:
    """Have this process and its group killed as soon as the parent's end of standard input is closed."""
    if sys.platform != "win32" and hasattr(fcntl, "F_SETSIG"):
        fcntl.fcntl(_STDIN, fcntl.F_SETOWN, -os.getpgrp())
        fcntl.fcntl(_STDIN, fcntl.F_SETSIG, signal.SIGKILL)
        fcntl.fcntl(_STDIN, fcntl.F_SETFL, fcntl.fcntl(_STDIN, fcntl.F_GETFL) | os.O_ASYNC)
    # The thread is the whole of it on other systems. On Linux it catches a parent that went before the lines above.
    threading.Thread(target=_die_at_end_of_input, name="leash", daemon=True).start()


def _die_at_end_of_input() -> None:
    while os.read(_STDIN, 4096):
        pass
    if sys.platform == "win32":  # which has no groups of processes
        os._exit(1)
    os.killpg(os.getpgrp(), signal.SIGKILL)


if __name__ == "__main__":
    tie_to_parent()
    sys.argv = sys.argv[1:]
    if sys.argv[0].endswith(".py"):
        runpy.run_path(sys.argv[0], run_name="__main__")
    else:
        runpy.run_module(sys.argv[0], run_name="__main__", alter_sys=True)
