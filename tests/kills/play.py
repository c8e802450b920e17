"""What an act is done with, and what it is done to: the same for the same chance and the same rows."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field
from pathlib import Path
from random import Random

from llamachat.core.messages import Role
from llamachat.storage.database import Database, Value
from tests.fakes.still_clock import StillClock

_TEXT = "bee wasp honey 蜜蜂 花园 café Ångström snake_case camelCase std::map 부산 foo(bar) NOT 🐝 the and of"
_ANY_DELETED = "deleted_at IS NOT NULL"
_NOT_DELETED = "deleted_at IS NULL"


@dataclass
class Play:
    """A history on which acts are done one after the other. `db` is an empty one in memory until one opens it."""

    path: Path
    clock: StillClock
    chance: Random
    db: Database = field(default_factory=Database.in_memory)

    def words(self, most: int = 30) -> str:
        """Some text."""
        return " ".join(self.chance.choices(_TEXT.split(), k=self.chance.randint(1, most)))

    def chat(self, *, deleted: bool = False) -> int | None:
        """The id of some chat; None where there is none."""
        return self._some(f"SELECT id FROM conversations WHERE {_ANY_DELETED if deleted else _NOT_DELETED}")

    def message(self, role: Role | None = None, where: str = "1") -> tuple[int, int] | None:
        """The ids of some message of a chat that is not deleted, and of the chat."""
        of_role = f"messages.role = '{role.value}'" if role else "1"
        found = self._some(
            "SELECT messages.id FROM messages JOIN conversations ON conversations.id = conversation_id "
            f"WHERE messages.deleted_at IS NULL AND conversations.deleted_at IS NULL AND {of_role} AND {where}"
        )
        if found is None:
            return None
        (row,) = self.db.rows("SELECT conversation_id FROM messages WHERE id = ?", (found,))
        return found, row["conversation_id"]

    def _some(self, query: str, values: tuple[Value, ...] = ()) -> int | None:
        ids = [int(row["id"]) for row in self.db.rows(f"{query} ORDER BY 1", values)]
        return self.chance.choice(ids) if ids else None


@dataclass(frozen=True)
class Act:
    """Something that a person does. in_steps: it is written in several transactions, and may end after any.

    damages: the file is damaged in its course.
    """

    name: str
    do: Callable[[Play], None]
    in_steps: bool = False
    damages: bool = False
