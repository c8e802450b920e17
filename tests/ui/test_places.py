"""The dialog for a file shows files of the kind that is written."""

from __future__ import annotations

import pytest

from llamachat.ui.places import kinds_of


@pytest.mark.parametrize(
    ("ending", "kinds"),
    [
        (".pdf", ["PDF (*.pdf)", "All files (*)"]),
        (".md", ["Markdown (*.md)", "All files (*)"]),
        (".json", ["JSON (*.json)", "All files (*)"]),
        ("", ["All files (*)"]),
    ],
)
def test_files_of_the_kind_come_first(ending: str, kinds: list[str]) -> None:
    assert kinds_of(ending).split(";;") == kinds
