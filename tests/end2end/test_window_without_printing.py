"""Where Qt has no part for printing the window says so, and a PDF is made all the same."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parent.parent.parent
CHILD = """
import sys
from pathlib import Path
sys.modules["PySide6.QtPrintSupport"] = None  # as where its library is missing
from tests.end2end.answered_places import AnsweredPlaces
from tests.end2end.stage import NOWHERE, stage
from llamachat.storage.database import Database
from tests.storage.stories import add_chat

def a_chat(paths):
    with Database.open(paths.database) as db:
        add_chat(db, "ant?", "An insect.", title="Ants")

folder = Path(sys.argv[1])
with stage(folder / "profile", f'base_url = "{NOWHERE}"\\n', before=a_chat) as shown:
    shown.window.chat.open(1)
    shown.until(lambda: shown.window.chat.conversation_id == 1)
    shown.window.actions_by_id["print"].trigger()
    shown.until(lambda: any("cannot print" in told for told in shown.told()))
    shown.window.taking_along.set_places(AnsweredPlaces(folder / "ants.pdf"))
    shown.window.actions_by_id["pdf"].trigger()
    shown.until((folder / "ants.pdf").exists)
    shown.until(lambda: shown.window.taking_along.prints.dialog is None)
"""


@pytest.mark.slow
def test_without_the_part_for_printing_a_pdf_is_offered(tmp_path: Path) -> None:
    environment = {**os.environ, "QT_QPA_PLATFORM": "offscreen"}
    done = subprocess.run(
        [sys.executable, "-c", CHILD, str(tmp_path)], cwd=ROOT, env=environment, check=False, timeout=90
    )
    assert done.returncode == 0
    assert (tmp_path / "ants.pdf").read_bytes().startswith(b"%PDF-")
