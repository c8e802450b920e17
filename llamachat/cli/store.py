"""Opening the history for a command: what had to be done is told on stderr, a damaged file is rescued as needed."""

from __future__ import annotations

from collections.abc import Callable
from typing import TypeVar

from llamachat.app import App
from llamachat.cli.output import remark
from llamachat.storage.database import Database
from llamachat.storage.failures import HistoryDamaged

_Begun = TypeVar("_Begun")


def begin_on_history(
    app: App, begin: Callable[[Database], _Begun], *, memory: bool = False
) -> tuple[Database, _Begun]:
    """Open the history and begin something on it; gives both, and the caller closes the first. Raises StorageError.

    Where `begin` meets damage, the file is rescued as at the start of the window, and `begin` called once more: it
    must have told and stored nothing by then.
    """
    try:
        return _begun(app.database(memory=memory), begin)
    except HistoryDamaged:
        return _begun(app.database(check=True), begin)


def _begun(db: Database, begin: Callable[[Database], _Begun]) -> tuple[Database, _Begun]:
    try:
        for sentence in db.report.sentences:
            remark(sentence)
        return db, begin(db)
    except BaseException:
        db.close()
        raise
