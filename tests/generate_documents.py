"""Writes the documents that are printed from the code: `python -m tests.generate_documents [--check]`.

With --check it writes nothing and fails while one of them is stale, as tests/config/test_documents_fresh.py does.
"""

from __future__ import annotations

import argparse
import sys
from collections.abc import Mapping
from pathlib import Path

from llamachat.config.document import configuration_markdown, example_toml
from llamachat.storage.document import database_markdown

ROOT = Path(__file__).resolve().parent.parent


def documents() -> Mapping[str, str]:
    """The text of every printed document, by its path in the repository."""
    return {
        "config.example.toml": example_toml(),
        "docs/configuration.md": configuration_markdown(),
        "docs/database.md": database_markdown(),
    }


def stale(root: Path = ROOT) -> list[str]:
    """The names of the documents that are missing or not what the code prints today."""
    return [name for name, text in documents().items() if _read(root / name) != text]


def main() -> int:
    """Write those that differ, or only name them; 1 where one is stale and stays so."""
    parser = argparse.ArgumentParser(description="Write the documents that are printed from the code.")
    parser.add_argument("--check", action="store_true", help="write nothing, fail where one is stale")
    only_check = parser.parse_args().check
    found = stale()
    for name in found:
        print(f"{name} is stale; run: python -m tests.generate_documents" if only_check else f"wrote {name}")
        if not only_check:
            (ROOT / name).parent.mkdir(exist_ok=True)
            (ROOT / name).write_text(documents()[name], encoding="utf-8", newline="\n")
    return 1 if found and only_check else 0


def _read(file: Path) -> str | None:
    return file.read_text(encoding="utf-8") if file.is_file() else None


if __name__ == "__main__":
    sys.exit(main())
