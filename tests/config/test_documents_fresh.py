"""The printed documents in the repository are what the code prints today."""

from __future__ import annotations

from pathlib import Path

from tests.generate_documents import documents, stale


def test_documents_are_fresh() -> None:
    assert stale() == [], "run: python -m tests.generate_documents"


def test_a_missing_and_a_changed_document_are_noticed(tmp_path: Path) -> None:
    missing, changed, *fresh = documents()
    for name in (changed, *fresh):
        (tmp_path / name).parent.mkdir(exist_ok=True)
        (tmp_path / name).write_text(documents()[name] + ("!" if name == changed else ""), encoding="utf-8")
    assert stale(tmp_path) == [missing, changed]
