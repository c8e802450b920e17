"""What a search of the history found, as rows: each chat with its title, and below it the messages found in it."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field, replace
from enum import Enum, auto

from PySide6.QtCore import QAbstractListModel, QModelIndex, QObject, Qt, Signal

from llamachat.core.conversation import SearchHit
from llamachat.core.messages import Role
from llamachat.core.text import tr, trn
from llamachat.render.blocks import model_name
from llamachat.ui.conversation_model import ROW_ROLE, Index
from llamachat.ui.days import day_of
from llamachat.ui.labels import title_text

MOST_SHOWN = 3  # messages of a chat, until the rest of them is asked for
_ENDS = " .!?…"  # what a title may leave out


class HitKind(Enum):
    """What a row shows."""

    CHAT = auto()
    MESSAGE = auto()
    MORE = auto()


@dataclass(frozen=True, slots=True)
class HitRow:
    """A chat (`hit` leads into it), a message, or that `more` messages were found in the chat."""

    kind: HitKind
    hit: SearchHit
    more: int = 0


@dataclass(slots=True)
class _Chat:
    """Everything found in one chat. lead: what its title leads to."""

    lead: SearchHit
    hits: list[SearchHit] = field(default_factory=list)
    opened: bool = False

    def rows(self) -> list[HitRow]:
        all_fit = self.opened or len(self.hits) <= MOST_SHOWN + 1  # one more row says no less than "1 more"
        shown = self.hits if all_fit else self.hits[:MOST_SHOWN]
        rows = [HitRow(HitKind.CHAT, self.lead), *(HitRow(HitKind.MESSAGE, hit) for hit in shown)]
        more = len(self.hits) - len(shown)
        return [*rows, HitRow(HitKind.MORE, self.lead, more)] if more else rows


class HitModel(QAbstractListModel):
    """Hits by chat, best first. A title and the question it was made from are one hit, that leads to the question."""

    more_wanted = Signal()

    def __init__(self, parent: QObject | None = None) -> None:
        super().__init__(parent)
        self.rows: list[HitRow] = []
        self.found = 0  # how many the store has given
        self._chats: dict[int, _Chat] = {}
        self._has_more = False

    def set_hits(self, hits: Sequence[SearchHit], *, has_more: bool) -> None:
        """Show these instead."""
        self._chats, self.found = {}, 0
        self.add_hits(hits, has_more=has_more)

    def add_hits(self, hits: Sequence[SearchHit], *, has_more: bool) -> None:
        """Show these as well, each with its chat."""
        self._has_more = has_more
        self.found += len(hits)
        for hit in hits:
            self._add(hit)
        self._show()

    def open_chat(self, conversation_id: int) -> None:
        """Show all that was found in a chat."""
        self._chats[conversation_id].opened = True
        self._show()

    def best_row(self) -> int:
        """The first row that was found itself: not a chat in which only messages were."""
        first = self.rows[:1]
        only_around = bool(first) and not _is_found(first[0].hit) and first[0].hit.message_id is None
        return 1 if only_around and [row.kind for row in self.rows[1:2]] == [HitKind.MESSAGE] else 0

    def row_of(self, conversation_id: int, message_id: int | None) -> int:
        """The row of a message, or of the chat where it is not shown; -1 where neither is."""
        chat = -1
        for number, row in enumerate(self.rows):
            if row.hit.conversation_id == conversation_id:
                if row.kind is HitKind.MESSAGE and row.hit.message_id == message_id:
                    return number
                chat = number if row.kind is HitKind.CHAT else chat
        return chat

    def _add(self, hit: SearchHit) -> None:
        chat = self._chats.get(hit.conversation_id)
        if chat is None:
            lead = hit if hit.message_id is None else replace(hit, message_id=None, snippet=(hit.title,), role="")
            chat = self._chats[hit.conversation_id] = _Chat(lead)
        if hit.message_id is None:
            chat.lead = hit
        elif _is_found(chat.lead) and chat.lead.message_id is None and _says_title(hit):
            chat.lead = replace(chat.lead, message_id=hit.message_id)
        else:
            chat.hits.append(hit)

    def _show(self) -> None:
        rows = [row for chat in self._chats.values() for row in chat.rows()]
        self.beginResetModel()
        self.rows = rows
        self.endResetModel()

    def rowCount(self, parent: Index = QModelIndex()) -> int:  # noqa: B008 - Qt's own default, never changed
        """How many rows are shown."""
        return 0 if parent.isValid() else len(self.rows)

    def data(self, index: Index, role: int = Qt.ItemDataRole.DisplayRole) -> object:
        """A row as text, for screen readers and searching by letters; whole for the delegate."""
        row = self.rows[index.row()]
        if role in (Qt.ItemDataRole.DisplayRole, Qt.ItemDataRole.AccessibleTextRole):
            return row_text(row)
        return row if role == ROW_ROLE else None

    def canFetchMore(self, parent: Index) -> bool:
        """True while there may be more."""
        return self._has_more and not parent.isValid()

    def fetchMore(self, parent: Index) -> None:
        """Ask the owner for the next page, once."""
        if self.canFetchMore(parent):
            self._has_more = False
            self.more_wanted.emit()


def row_text(row: HitRow) -> str:
    """A row in words."""
    if row.kind is HitKind.MORE:
        return trn("{count} more in this chat", "{count} more in this chat", row.more)
    if row.kind is HitKind.MESSAGE:
        return f"{about(row.hit)}: {line_of(row.hit)}"
    return tr("{title} (archived)").format(title=title_of_hit(row.hit)) if row.hit.archived else title_of_hit(row.hit)


def about(hit: SearchHit) -> str:
    """Who wrote a message, and when."""
    speaker = tr("You") if hit.role == Role.USER.value else model_name(hit.model)
    return f"{speaker} · {day_of(hit.created_at)}"


def title_of_hit(hit: SearchHit) -> str:
    """The title of its chat on one line."""
    return title_text(hit.title)


def pieces_of(hit: SearchHit) -> list[str]:
    """The snippet on one line; the pieces with an odd index are marked."""
    blanks = str.maketrans(dict.fromkeys("\n\r\t\u2028\u2029\x0b\x0c\x85", " "))
    return [piece.translate(blanks) for piece in hit.snippet]


def line_of(hit: SearchHit) -> str:
    """The snippet without marks."""
    return "".join(pieces_of(hit))


def _is_found(lead: SearchHit) -> bool:
    """Whether the title itself was found."""
    return len(lead.snippet) > 1


def _says_title(hit: SearchHit) -> bool:
    """Whether the text around the hit is the title, which may have been cut from a longer question."""
    text, title = " ".join(line_of(hit).split()), title_of_hit(hit)
    return text.rstrip(_ENDS) == title.rstrip(_ENDS) or (title.endswith("…") and text.startswith(title[:-1]))
