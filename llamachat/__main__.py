"""`python -m llamachat` and the `llamachat` command."""

from __future__ import annotations

import sys

from llamachat.cli.main import main

if __name__ == "__main__":
    sys.exit(main())
