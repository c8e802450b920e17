"""The window as somebody who may not do everything: `python -m tests.end2end.nobody_window FOLDER TEXT`.

Prints the titles in the list and what the bars say, then what they say when TEXT was sent, and what the composer
holds by then, each as JSON in a line. Run by tests, as root too, who may read and write whatever the permissions say.
"""

from __future__ import annotations

import json
import os
import sys
from pathlib import Path

import httpx  # now: the libraries of some machines are root's alone

from llamachat.ui.notices import NoticeBar
from tests.end2end.stage import Stage
from tests.fakes.scripted_llama import ScriptedLlama, says


def bars(shown: Stage) -> list[str]:
    """What stands in the bars."""
    return [bar.label.text() for bar in shown.window.notices.findChildren(NoticeBar)]


def main(folder: Path, text: str) -> None:
    """Open, tell, send, tell."""
    assert httpx
    with ScriptedLlama(says("Hello")) as llama:
        if os.geteuid() == 0:
            os.setuid(65534)
        shown = Stage(folder, f'base_url = "{llama.base_url}"\n')
        shown.begin()
        shown.until(lambda: bars(shown))
        shown.rest(0.2)
        rows = shown.window.sidebar.chats.rows
        titles = [row.text for n in range(rows.rowCount()) if (row := rows.row(rows.index(n))).conversation]
        print(json.dumps([titles, *bars(shown)]), flush=True)
        shown.window.page.composer.set_text(text)
        shown.window.page.composer.send.click()
        shown.until(lambda: shown.window.notices.text("failure"))
        print(json.dumps([shown.window.page.composer.text, shown.window.notices.text("failure")]), flush=True)
        shown.close()


if __name__ == "__main__":
    main(Path(sys.argv[1]), sys.argv[2])
