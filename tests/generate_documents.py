"""Writes the documents that are printed from the code: `python -m tests.generate_documents`.

tests/config/test_documents_fresh.py fails while one of them is stale.
"""

from __future__ import annotations

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


def main() -> None:
    """Write those that differ."""
    for name, text in documents().items():
        file = ROOT / name
        if not file.exists() or file.read_text(encoding="utf-8") != text:
            file.parent.mkdir(exist_ok=True)
            file.write_text(text, encoding="utf-8", newline="\n")
            print(f"wrote {name}")


if __name__ == "__main__":
    main()
