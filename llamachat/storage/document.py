"""The page about the database, printed from the schema that the migrations make."""

from __future__ import annotations

import sqlite3
from collections.abc import Iterator
from contextlib import closing

from llamachat.storage.migrations import APPLICATION_ID, LATEST, migrate

_HEAD = f"""<!-- Printed from llamachat/storage/document.py by `python -m tests.generate_documents`. -->

# Database

All conversations lie in one SQLite file, `llamachat.db` in the data folder (`llamachat config path` says where). Any SQLite tool can read it, also while the program runs; close the program before writing to it. The schema has version {LATEST} (`PRAGMA user_version`), the file the application id {APPLICATION_ID:#x}.

Beside it may lie `llamachat.db-wal` and `llamachat.db-shm` (SQLite's log: they belong to the file and are moved with it), `llamachat.db.lock`, `llamachat.copying.lock`, `llamachat.db.importing.lock` and, while an answer is written, `llamachat.db.writing-N.lock` (empty, always safe to delete while no llamachat runs), `llamachat-before-update-*.db` (a copy made before an update of the program changed the schema), `llamachat-damaged-*.db` (a damaged file that was replaced by what could be read from it), `llamachat-replaced-*.db` (what `llamachat history restore` replaced) and the folder `backups` (a copy of each day, the last seven kept, and copies that were asked for). The program deletes none of these but the daily copies; what is deleted for good goes from all of them but damaged files.

Times are seconds since 1970, UTC. JSON is stored as text. A column that came with a later migration is NULL or has its default in the rows from before, and reads as none.
"""  # noqa: E501 - Markdown paragraphs are one line each

_TABLES = {
    "conversations": (
        "One row a conversation.",
        {
            "id": "Key, never used twice.",
            "uid": "Name that is unique over all machines: 32 hexadecimal digits.",
            "title": "Title in the list.",
            "created_at": "When it was made.",
            "updated_at": "When its newest message was added; the list is sorted by it.",
            "deleted_at": "When it was deleted; NULL while it is not. Undo sets it back.",
            "model": "Model for the next answers; empty: the server's own choice.",
            "head_id": "Last message of the branch that is shown.",
            "pinned": "1 keeps it at the top of the list.",
            "archived": "1 keeps it out of the list; searches find it.",
            "prompt": "System prompt.",
            "prompt_name": "What the settings called it when it was chosen; empty: `default_prompt`.",
            "prompt_edited": "1 where it was changed for this conversation alone.",
            "search_mode": "`off`, `auto` (when the model wants to) or `always`: when it searches the web.",
            "settings": "JSON: `results_kept_from`, the message above which found pages are no longer sent.",
            "draft": "What was typed and not sent.",
            "title_key": "What a list by title is sorted by: the title in lower case, no accents (migration 12).",
            "forked_from": "The message of another conversation that this one was forked at; NULL for none.",
        },
    ),
    "messages": (
        (
            "One row a message. `parent_id` makes a tree: another answer to the same question is a sibling, and "
            "nothing is overwritten. The branch shown runs from the conversation's `head_id` up to the root."
        ),
        {
            "id": "Key, never used twice.",
            "uid": "Name that is unique over all machines: 32 hexadecimal digits.",
            "conversation_id": "The conversation.",
            "parent_id": "The message before; NULL for the first. Always smaller than `id`.",
            "role": "`user` or `assistant`. Results of tools stand in `wire` of the assistant's row.",
            "content": "The text, as Markdown; what the full-text index holds.",
            "model": "Model that answered.",
            "status": "`complete`, `streaming` (being written), `stopped` (by the user), `interrupted`, or `failed`.",
            "finish_reason": "Why the model ended.",
            "error": "Sentence about what went wrong.",
            "usage": "JSON object: tokens and times as the server told them.",
            "created_at": "When it was added.",
            "deleted_at": "When it was deleted; NULL while it is not.",
            "reasoning": "What the model thought before it answered (migration 2).",
            "prompt": "System prompt the answer was made with (migration 3).",
            "searches": (
                "JSON array with one object a search (migration 4): `query`, `results` (each `title`, `url`, "
                "`content`; where its page was asked for, also `read_via`, `read_error`, `read_note`, `read_chars` "
                "and `snippet`) and `error`, and beside them `cause`, `asked`, `route`, `provider`, `cached_age_s`, "
                "`engines`, `first_number`, `seconds`, `note`, `at`. NULL when nothing was searched. Never in the "
                "full-text index."
            ),
            "wire": (
                "JSON array of the messages as they went to the server, so that the next request repeats them. That "
                "of an answer begins with its question where that was sent in another form than its own row has."
            ),
            "stream_id": "The name under which the server keeps the answer that comes; NULL once it is whole.",
            "stream_offset": "How many bytes of it are in this row: from there on it can be taken up again.",
            "stream_state": (
                "JSON: the `server` (a digest of its address), how long the texts were at that byte (`content`, "
                "`reasoning`) and at the first one (`content_from`, `reasoning_from`), and the `usage` before it."
            ),
            "edited": "1 where a person has written the text of this answer, or changed it.",
        },
    ),
    "deletions": (
        (
            "What was deleted and can be brought back: one row for each chat, message or tag. What it was stands in "
            "the rows that are hidden; deleting for good takes this row along."
        ),
        {
            "id": "Key, never used twice.",
            "act": "The same number in all rows that were deleted at once, and come back at once.",
            "at": "When it was deleted.",
            "kind": "`chat`, `messages` (one with what follows it) or `tag`.",
            "conversation_id": "The chat, or the chat of the messages; NULL for a tag.",
            "message_id": "The first of the messages.",
            "head_id": "The last message that was shown before.",
            "hidden": "JSON: the ids of the messages, or what a tag needs to come back.",
        },
    ),
    "queued": (
        "Questions that wait until the answer before them is there. One that is asked becomes a message.",
        {
            "id": "Key; a lower one is asked earlier. One that was taken back and sent again has its old one.",
            "conversation_id": "The conversation.",
            "text": "The question.",
            "created_at": "When it was added.",
        },
    ),
    "tags": (
        "One row a tag of conversations (migration 12).",
        {
            "id": "Key, never used twice.",
            "name": "The tag as it was typed.",
            "key": "The name in lower case; one tag only has it among those that are not deleted.",
            "deleted_at": "When it was deleted; NULL while it is not. Undo sets it back.",
        },
    ),
    "conversation_tags": (
        "Which conversation has which tags (migration 12). Those of a deleted tag stay, for the undo.",
        {"id": "Key.", "conversation_id": "The conversation.", "tag_id": "The tag."},
    ),
    "state": (
        "Small things the program keeps, such as the draft of a conversation not yet made.",
        {"key": "Name.", "value": "Value."},
    ),
    "journal": (
        (
            "What left this computer, or went to a service that you set, for anything but the model server: one row "
            "a request. Never holds a key or a password. `llamachat search --journal` shows it."
        ),
        {
            "id": "Key.",
            "at": "When it was sent.",
            "message_id": "The answer it was made for; 0 for none.",
            "host": "Whom it was sent to.",
            "what": "`search`, `page`, `jina` (a page through Jina Reader) or `package` (a download).",
            "query": "The words or the address that were sent, or the package.",
            "bytes_out": "Bytes sent, about.",
            "bytes_in": "Bytes received, about.",
            "seconds": "How long it took.",
            "outcome": "`ok`, `stopped`, or why there was no answer.",
        },
    ),
    "arriving": (
        (
            "What an import has added so far. Such chats and messages are hidden (`deleted_at`) until all of it is "
            "there; those of one that was killed are deleted by the next start or import. Empty at all other times."
        ),
        {
            "kind": "`conversation`, `message` or `tag`; `known`: a conversation that was there before.",
            "id": "Key of that.",
        },
    ),
    "index_queue": (
        (
            "What changed since the full-text index was brought up to date. Triggers fill it, so a row changed with "
            "any tool is found again; searching and finishing a message empty it."
        ),
        {
            "kind": "`message` or `title`.",
            "id": "Key of the message or conversation.",
            "indexed": "The text the index holds of it; NULL when it holds none.",
        },
    ),
}

_INDEX = """
## Full-text index

`messages_fts` and `titles_fts` are FTS5 tables without text of their own (`content=''`), keyed by `messages.id` and `conversations.id`. They hold the words of `content` and `title` as `llamachat/storage/index_text.py` cuts them: in lower case and without accents, identifiers with their parts, Chinese, Japanese, Korean and other scripts without spaces in pairs of characters. The index can be dropped at any time without loss; the program builds it again from the messages.
"""  # noqa: E501 - Markdown paragraphs are one line each


def database_markdown() -> str:
    """The whole page."""
    with closing(sqlite3.connect(":memory:")) as connection:
        migrate(connection)
        tables = "\n".join(line for name in _TABLES for line in _table(connection, name))
    return f"{_HEAD}\n{tables}{_INDEX}"


def described_columns() -> dict[str, set[str]]:
    """Which columns of which tables the page explains."""
    return {name: set(columns) for name, (_, columns) in _TABLES.items()}


def _table(connection: sqlite3.Connection, name: str) -> Iterator[str]:
    about, columns = _TABLES[name]
    yield from (f"## `{name}`", "", about, "", "| Column | Type | |", "| --- | --- | --- |")
    for row in connection.execute(f"PRAGMA table_info({name})"):
        yield f"| `{row[1]}` | {row[2]} | {columns[row[1]]} |"
    yield ""
