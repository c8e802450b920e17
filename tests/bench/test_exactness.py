"""The run over many documents compares what it says, and tells of a document that is drawn otherwise."""

from __future__ import annotations

from tests.bench.exactness import measure
from tests.render.growing_screen import Screen, check_every_prefix


def test_documents_are_compared_after_every_update() -> None:
    report = measure(20, 1)
    assert report["differences"] == 0
    assert isinstance(report["updates"], int)
    assert report["updates"] > 2 * 20  # one at least while it grows, one at its end


def test_a_document_that_is_drawn_otherwise_is_told() -> None:
    seen = []

    def check(text: str, longest: int, seed: int) -> Screen:
        seen.append(text)
        assert len(seen) != 3
        return check_every_prefix(text, longest, seed)

    report = measure(5, 1, check=check)
    assert (report["documents"], report["differences"]) == (5, 1)
    assert report["the_first_of_them"] == [seen[2]]
