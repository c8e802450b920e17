"""Measurements of the real program: `python -m tests.bench NAME [OPTIONS]` prints one JSON."""

from __future__ import annotations

import sys

from tests.bench import exactness, history, router, search, transcript

BENCHMARKS = {
    "exactness": exactness.main,
    "history": history.main,
    "router": router.main,
    "search": search.main,
    "transcript": transcript.main,
}

if __name__ == "__main__":
    if len(sys.argv) < 2 or sys.argv[1] not in BENCHMARKS:
        sys.exit(f"usage: python -m tests.bench {{{','.join(BENCHMARKS)}}} [OPTIONS]")
    BENCHMARKS[sys.argv[1]](sys.argv[2:])
