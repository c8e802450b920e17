"""The index stays small beside the text: figures of seeded texts, the same on every machine."""

from __future__ import annotations

from llamachat.storage.database import Database
from tests.bench.history_texts import Texts
from tests.storage.stories import rebuild_index


def test_the_index_is_less_than_one_and_a_half_times_the_text(db: Database) -> None:
    texts = list(Texts(seed=1).messages(3000))
    with db.transaction() as connection:
        connection.execute("INSERT INTO conversations (uid, created_at, updated_at) VALUES ('c', 1, 1)")
        connection.executemany(
            "INSERT INTO messages (uid, conversation_id, role, content, created_at) VALUES (?, 1, 'user', ?, 1)",
            [(str(number), text) for number, text in enumerate(texts)],
        )
    rebuild_index(db)
    (row,) = db.rows("SELECT sum(length(block)) AS bytes FROM messages_fts_data")
    assert row["bytes"] < 1.5 * sum(len(text.encode()) for text in texts)
