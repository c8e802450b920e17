"""`llamachat history deleted` and `undelete`: what was deleted, and bringing it back."""

from __future__ import annotations

import argparse

from llamachat.cli.commands import AddAct, counting_number
from llamachat.cli.output import day, remark, write
from llamachat.core.errors import UserFacingError
from llamachat.core.text import tr, trn
from llamachat.storage.conversations import get_conversation
from llamachat.storage.database import Database
from llamachat.storage.deletions import Deleted, Kind, count_deleted, list_deleted
from llamachat.storage.undo import Restored, restore_deleted, undo_last


def add_actions(action: AddAct) -> None:
    """Declare the actions below `history`."""
    listing = action("deleted", _list, tr("what was deleted and can be brought back, the latest first"))
    listing.add_argument("--limit", type=counting_number, default=50, metavar="N", help=tr("how many (50)"))
    restoring = action("undelete", _undelete, tr("bring back what `deleted` lists; without ID, the latest deletion"))
    restoring.add_argument("id", type=counting_number, metavar="ID", nargs="?")


def _list(db: Database, options: argparse.Namespace) -> None:
    rows = list_deleted(db, limit=options.limit)
    for row in rows:
        write(f"{row.id:>6}  {day(row.at)}  {_line(row)}\n")
    if not rows:
        remark(tr("Nothing is deleted."))
    elif more := count_deleted(db) - len(rows):
        remark(trn("One more with --limit.", "{count} more with --limit.", more))


def _line(row: Deleted) -> str:
    if row.kind is Kind.CHAT:
        return f"{row.words}: {row.title}"
    text = " ".join(row.text.split())
    if row.kind is Kind.TAG:
        return f"{row.words}: {text}"
    return tr("{what} in {title}: {text}").format(what=row.words, title=row.title, text=text)


def _undelete(db: Database, options: argparse.Namespace) -> None:
    restored = undo_last(db) if options.id is None else restore_deleted(db, options.id)
    if restored is None and options.id is None:
        remark(tr("Nothing is deleted."))
    elif restored is None:
        raise UserFacingError(
            tr("There is nothing deleted of number {id}.").format(id=options.id),
            tr("`llamachat history deleted` shows the numbers."),
        )
    else:
        for line in _told(db, restored):
            remark(line)


def _told(db: Database, restored: Restored) -> list[str]:
    if restored.kind is Kind.TAG:
        return [tr("The tag is back.")]
    chats = filter(None, (get_conversation(db, number) for number in restored.conversation_ids))
    said = tr("Brought back in {title}") if restored.kind is Kind.MESSAGES else tr("Brought back: {title}")
    return [said.format(title=chat.title) for chat in chats]
