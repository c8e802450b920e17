"""The figures of the transcript and of the program around it: `python -m tests.bench transcript` prints one JSON.

Each figure is measured in processes of its own, one after the other. Times on the wall want a machine that does
nothing else; `own` beside them is the thread's own work in the same moments, and `others_cpu` tells how many cores
other programs kept busy meanwhile. The exit code is 1 when a bar is not met or a figure broke. All of it takes about
twelve minutes; `--full` gives the answers that are paced slowly their full length, which takes half an hour.
`--quick` tries everything in small, and its values mean nothing.
"""

from __future__ import annotations

import argparse
import json
import os
import platform
import subprocess
import sys
from collections.abc import Callable, Mapping, Sequence
from functools import partial
from importlib.metadata import version
from typing import cast

from tests.bench import program_figures as program
from tests.bench.figures import Detail, Figure
from tests.bench.jobs import Size
from tests.bench.meter import Meter
from tests.bench.program import run_view


def main(arguments: Sequence[str]) -> None:
    """Measure, print."""
    parser = argparse.ArgumentParser(prog="python -m tests.bench transcript", description=__doc__)
    parser.add_argument("--only", action="append", choices=FIGURES, metavar="NAME", help=", ".join(FIGURES))
    sizes = parser.add_mutually_exclusive_group()
    sizes.add_argument("--quick", action="store_const", const=Size.QUICK, dest="size", help="try it in small")
    sizes.add_argument("--full", action="store_const", const=Size.FULL, dest="size", help="20,000 tokens always")
    options = parser.parse_args(arguments)
    size = options.size or Size.USUAL
    figures = {name: _measured(name, size) for name in options.only or FIGURES}
    missed = [line for name, figure in figures.items() for line in what_missed(name, figure)]
    report = {"machine": _machine(), "size": size, "figures": figures, "missed": missed}
    print(json.dumps(report, indent=1))
    sys.exit("\n".join(missed) or 0)


def _measured(name: str, size: Size) -> dict[str, Detail]:
    """A figure, or why there is none."""
    print(f"{name} ...", file=sys.stderr, flush=True)
    meter = Meter()
    try:
        figure = FIGURES[name](size)
    except (subprocess.SubprocessError, OSError, ValueError) as error:
        figure = {"broke": str(error), "bars": []}
    return {**figure, **meter.read()}


def what_missed(name: str, figure: Mapping[str, Detail]) -> list[str]:
    """What a figure has to be blamed for, a line each."""
    if broke := figure.get("broke"):
        return [f"{name} broke: {broke}"]
    bars = cast("Sequence[Mapping[str, Detail]]", figure["bars"])
    return [f"{name}: {bar['what']}: {bar['value']} > {bar['at_most']}" for bar in bars if not bar["met"]]


def _of_program(measure: Callable[..., Figure], *arguments: float) -> Callable[[Size], dict[str, Detail]]:
    return lambda size: measure(*arguments, size=size).as_json()


FIGURES: dict[str, Callable[[Size], dict[str, Detail]]] = {
    "flush": partial(run_view, "flush"),
    "lateness": _of_program(program.measure_lateness),
    "cpu_20": _of_program(program.measure_cpu, 20, 2.3),
    "cpu_100": _of_program(program.measure_cpu_by_chat_length, 100, 1.3),
    "cpu_500": _of_program(program.measure_cpu, 500, 0.4),
    "cpu_fastest": _of_program(program.measure_cpu, 0, 0.14),
    "open": _of_program(program.measure_open),
    "prepend": partial(run_view, "prepend"),
    "fence": partial(run_view, "fence"),
    "stalls": partial(run_view, "stalls"),
    "long": partial(run_view, "long"),
    "formulas": partial(run_view, "formulas"),
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
