"""The figures of the transcript and of the program around it: `python -m tests.bench transcript` prints one JSON.

Each figure is measured in processes of its own, one after the other. Figures of time want a machine that does nothing
else; `cpu_ms` in the details tells how much of a time was work. All of it takes about half an hour, most of that for
20,000 tokens at 20 a second; `--quick` tries everything in small, and its values mean nothing.
"""

from __future__ import annotations

import argparse
import json
import os
import platform
import sys
import time
from collections.abc import Callable, Sequence
from functools import partial
from importlib.metadata import version

from tests.bench import program_figures as program
from tests.bench.figures import Detail, Figure
from tests.bench.program import run_view


def main(arguments: Sequence[str]) -> None:
    """Measure, print."""
    parser = argparse.ArgumentParser(prog="python -m tests.bench transcript", description=__doc__)
    parser.add_argument("--only", action="append", choices=FIGURES, metavar="NAME", help=", ".join(FIGURES))
    parser.add_argument("--quick", action="store_true", help="small sizes, to try the benchmark itself")
    options = parser.parse_args(arguments)
    report: dict[str, Detail] = {"machine": _machine(), "quick": options.quick}
    figures: dict[str, Detail] = {}
    for name in options.only or FIGURES:
        print(f"{name} ...", file=sys.stderr, flush=True)
        began, load = time.monotonic(), os.getloadavg()[0]
        figures[name] = {
            **FIGURES[name](quick=options.quick),
            "load_before": load,
            "took_s": round(time.monotonic() - began, 1),
        }
    print(json.dumps({**report, "figures": figures}, indent=1))


def _of_program(measure: Callable[..., Figure], *arguments: float) -> Callable[..., dict[str, Detail]]:
    return lambda *, quick: measure(*arguments, quick=quick).as_json()


FIGURES: dict[str, Callable[..., dict[str, Detail]]] = {
    "flush": partial(run_view, "flush"),
    "lateness": _of_program(program.measure_lateness),
    "cpu_20": _of_program(program.measure_cpu, 20, 2.3),
    "cpu_100": _of_program(program.measure_cpu, 100, 1.3),
    "cpu_500": _of_program(program.measure_cpu, 500, 0.4),
    "cpu_fastest": _of_program(program.measure_cpu, 0, 0.14),
    "cpu_long_chat": _of_program(program.measure_chat_length),
    "open": _of_program(program.measure_open),
    "prepend": partial(run_view, "prepend"),
    "fence": partial(run_view, "fence"),
    "stalls": partial(run_view, "stalls"),
    "memory": _of_program(program.measure_memory),
    "toggle": partial(run_view, "toggle"),
    "start": _of_program(program.measure_start),
}


def _machine() -> dict[str, Detail]:
    return {
        "cores": os.cpu_count(),
        "system": platform.platform(),
        "python": platform.python_version(),
        "qt": version("PySide6-Essentials"),
        "screen": os.environ.get("QT_QPA_PLATFORM", "offscreen"),
    }
