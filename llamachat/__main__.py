"""`python -m llamachat` and the `llamachat` command. Ctrl-C while the program loads ends it without a word."""

from __future__ import annotations

import signal
import sys

if signal.getsignal(signal.SIGINT) is signal.default_int_handler:
    signal.signal(signal.SIGINT, signal.SIG_DFL)  # `main` listens again

from llamachat.cli.main import main  # loading it is what may be interrupted

if __name__ == "__main__":
    sys.exit(main())
