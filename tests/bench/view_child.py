"""One figure of the transcript alone, in a process of its own: `python -m tests.bench.view_child NAME [--quick]`."""

from __future__ import annotations

import json
import sys

from tests.bench.view_blocks import measure_fence, measure_long, measure_stalls
from tests.bench.view_flush import measure_flush
from tests.bench.view_formulas import measure_formulas
from tests.bench.view_reading import measure_prepend, measure_toggle

FIGURES = {
    "flush": measure_flush,
    "fence": measure_fence,
    "stalls": measure_stalls,
    "long": measure_long,
    "formulas": measure_formulas,
    "prepend": measure_prepend,
    "toggle": measure_toggle,
}

if __name__ == "__main__":
    figure = FIGURES[sys.argv[1]](quick="--quick" in sys.argv)
    print(json.dumps(figure.as_json()), flush=True)
