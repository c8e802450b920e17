"""The printed documents in the repository are what the code prints today."""

from __future__ import annotations

import pytest

from tests.generate_documents import ROOT, documents


@pytest.mark.parametrize("name", documents())
def test_document_is_fresh(name: str) -> None:
    file = ROOT / name
    assert file.is_file(), f"{name} is missing; run: python -m tests.generate_documents"
    assert file.read_text(encoding="utf-8") == documents()[name], "stale; run: python -m tests.generate_documents"
