"""Every claim of the sources of the web search has a test that shows it, or an entry in docs/departures.md."""

from __future__ import annotations

import ast
import json
import re
from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.architecture.test_source_rules import ROOT

CLAIMS: dict[str, str] = {
    row["id"]: row["state"]
    for row in map(json.loads, (ROOT / "tests" / "data" / "claims.jsonl").read_text(encoding="utf-8").splitlines())
}
PAGE = (ROOT / "docs" / "departures.md").read_text(encoding="utf-8")
_ENTRY = re.compile(r"^\| ([A-Z]{2}-\d{3}) \| .+ \| (.+) \| (.+) \|$", re.MULTILINE)
# Schema, sanitising, assembly of calls, the cap, ways to fail, storage, drawing: a group of tests each.
GROUPS = ("LC-009", "LC-038", "LC-014", "LC-016", "LC-051", "LC-027", "LC-031")


def marks(source: str) -> Iterator[str]:
    """The claims that the tests of a file are marked with."""
    for node in ast.walk(ast.parse(source)):
        if isinstance(node, ast.FunctionDef) and node.name.startswith("test_"):
            for mark in node.decorator_list:
                if isinstance(mark, ast.Call) and ast.unparse(mark.func) == "pytest.mark.claim":
                    yield from (str(argument.value) for argument in mark.args if isinstance(argument, ast.Constant))


def marked(folder: Path) -> set[str]:
    """The claims that any test is marked with."""
    return {claim for path in folder.rglob("test_*.py") for claim in marks(path.read_text(encoding="utf-8"))}


MARKED = marked(ROOT / "tests")
ENTRIES = [entry[0] for entry in _ENTRY.findall(PAGE)]


def test_marks_are_found_on_tests_alone() -> None:
    source = '@pytest.mark.claim("LC-001", "LC-002")\ndef {}() -> None: ...\n'
    assert list(marks(source.format("test_x"))) == ["LC-001", "LC-002"]
    assert list(marks(source.format("x"))) == []


@pytest.mark.parametrize("claim", CLAIMS)
def test_a_claim_is_shown_or_departed_from(claim: str) -> None:
    assert claim in MARKED or claim in ENTRIES


def test_no_mark_and_no_entry_is_of_a_claim_that_there_is_not() -> None:
    assert MARKED | set(ENTRIES) <= CLAIMS.keys()
    assert len(ENTRIES) == len(set(ENTRIES))
    assert len(ENTRIES) == len(re.findall(r"^\| [A-Z]", PAGE, re.MULTILINE))


def test_the_page_begins_with_what_was_decided_beforehand() -> None:
    changed = [claim for claim, state in CLAIMS.items() if state != "as is"]
    assert ENTRIES[: len(changed)] == changed


@pytest.mark.claim("LC-053")
def test_each_group_of_search_tests_has_one() -> None:
    assert [claim for claim in GROUPS if claim not in MARKED] == []
