"""Pictures of the transcript in every state, one PNG each: `python -m tests.gallery FOLDER [--only WORD]`.

Every construct of Markdown, whole and while it streams, and every state of a turn; light and dark, at 100 % and at
200 %. To be looked at, not to be committed. Pictures of the whole window: `python -m docs.screenshots FOLDER`.
"""

from __future__ import annotations

import argparse
import os
import subprocess
import sys
from pathlib import Path

from tests.gallery.pictures import drawing_formulas, open_page, states

SCALES = (1, 2)  # a process each: Qt reads it at its start


def main() -> None:
    """Write the pictures of all scales, or as a child those of one."""
    parser = argparse.ArgumentParser(prog="python -m tests.gallery", description=__doc__)
    parser.add_argument("folder", type=Path)
    parser.add_argument("--only", default="", metavar="WORD", help="states with this in their names")
    parser.add_argument("--scale", type=int, choices=SCALES, help=argparse.SUPPRESS)
    options = parser.parse_args()
    options.folder.mkdir(parents=True, exist_ok=True)
    if options.scale:
        write_pictures(options.folder, options.only, options.scale)
        return
    for scale in SCALES:
        environment = {"QT_QPA_PLATFORM": "offscreen", **os.environ, "QT_SCALE_FACTOR": str(scale)}
        command = [sys.executable, "-m", "tests.gallery", *sys.argv[1:], "--scale", str(scale)]
        subprocess.run(command, env=environment, check=True)


def write_pictures(folder: Path, only: str, scale: int) -> None:
    """Write all pictures at the scale this process has."""
    for theme in ("light", "dark"):
        with drawing_formulas() as formulas:
            for name, width, show in states():
                if only in name:
                    with open_page(theme, width, formulas) as page:
                        show(page.view)
                        page.save(folder / f"{name}-{theme}-{scale}00.png")
        print(f"{theme}, {scale}00 %", flush=True)


if __name__ == "__main__":
    main()
