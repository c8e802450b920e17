"""The page about the database explains what is there, and only that."""

from __future__ import annotations

from llamachat.storage.database import Database
from llamachat.storage.document import database_markdown, described_columns


def test_every_table_and_column_is_explained(db: Database) -> None:
    tables = db.rows("SELECT name FROM sqlite_schema WHERE type = 'table' AND name NOT LIKE 'sqlite%'")
    own = {row["name"] for row in tables if "_fts" not in row["name"]}
    columns = {name: {row["name"] for row in db.rows(f"PRAGMA table_info({name})")} for name in own}
    assert described_columns() == columns


def test_the_page_names_every_table_and_column() -> None:
    page = database_markdown()
    for table, columns in described_columns().items():
        assert f"## `{table}`" in page
        assert all(f"| `{column}` |" in page for column in columns)
