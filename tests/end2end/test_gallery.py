"""The gallery of the transcript: a picture for every state, each under a name of its own."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

import pytest

from tests.gallery.pictures import WIDTH_PX, states
from tests.gallery.turns import TEXTS


def test_every_construct_is_shown_whole_and_while_it_streams() -> None:
    names = [name for name, _width, _show in states()]
    assert len(names) == len(set(names))
    texts = [path.stem for path in TEXTS.iterdir()]
    assert {"headings", "lists", "tables", "code-diff", "alerts", "formulas", "right-to-left", "raw-html"} <= set(
        texts
    )
    assert {f"text-{text}{end}" for text in texts for end in ("", "-streaming")} <= set(names)


@pytest.mark.slow
def test_pictures_are_written_in_both_themes_and_scales(tmp_path: Path) -> None:
    command = [
        sys.executable,
        "-m",
        "tests.gallery",
        str(tmp_path / "new" / "folder"),
        "--only",
        "turn-stopped-while",
    ]
    environment = {**os.environ, "QT_QPA_PLATFORM": "offscreen"}
    subprocess.run(command, env=environment, check=True, capture_output=True, timeout=120)
    widths = {path.name: _png_width(path) for path in (tmp_path / "new" / "folder").iterdir()}
    name = "turn-stopped-while-thinking"
    assert widths == {
        f"{name}-{theme}-{scale}00.png": WIDTH_PX * scale for theme in ("light", "dark") for scale in (1, 2)
    }


def _png_width(path: Path) -> int:
    head = path.read_bytes()[:24]
    assert head[:8] == b"\x89PNG\r\n\x1a\n"
    return int.from_bytes(head[16:20], "big")
