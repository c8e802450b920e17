"""Kills the program while it does random acts, and prints how many kills fell where: `python -m tests.kills`.

Each act is rehearsed on a copy first. So it is known what the history may hold after a kill: all that was finished,
and of the act in flight all, nothing, or what it had committed where it is written in steps (an answer that grows).
"""

from __future__ import annotations

import argparse
import sys
import tempfile
from collections import Counter
from collections.abc import Iterator, Sequence
from pathlib import Path

from tests.kills.killing import PLACES
from tests.kills.rounds import AGAIN, NOT_THERE, PARTLY, THERE, UNCHANGED, Killed, kills


def table(found: Sequence[Killed]) -> Iterator[str]:
    """Yield the lines of the report: an act a line, a place a column."""
    names = sorted({one.act for one in found})
    wide = max(map(len, names))
    yield "  ".join([" " * wide, *PLACES, "in all"])
    for name in [*names, ""]:
        falls = Counter(one.fall.where for one in found if name in ("", one.act))
        numbers = [f"{falls[place]:>{len(place)}}" for place in PLACES]
        yield "  ".join([f"{name or 'in all':<{wide}}", *numbers, f"{falls.total():>6}"])
    outcomes = Counter(one.outcome for one in found)
    told = [f"{outcome} {outcomes[outcome]}" for outcome in (THERE, NOT_THERE, PARTLY, UNCHANGED, AGAIN)]
    yield f"\nthe act in flight was afterwards: {', '.join(told)}"
    yield f"within 20 ms of a write: {sum(one.fall.near_a_write for one in found)}"
    yield f"answers cut off and marked: {sum(one.cut_off for one in found)}"


def main() -> None:
    """Kill, and tell."""
    parser = argparse.ArgumentParser(prog="python -m tests.kills", description=__doc__)
    parser.add_argument("--kills", type=int, default=500)
    parser.add_argument("--seed", type=int, default=1)
    options = parser.parse_args()
    print(f"seed {options.seed}", flush=True)
    found = []
    with tempfile.TemporaryDirectory() as folder:
        for killed in kills(Path(folder), count=options.kills, seed=options.seed):
            found.append(killed)
            if sys.stderr.isatty():
                print(f"\r{len(found)}", end="", file=sys.stderr, flush=True)
    print("\n".join(table(found)))


if __name__ == "__main__":
    main()
