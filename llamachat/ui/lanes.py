"""The window's three background threads: the store, the network, the built-in engine."""

from __future__ import annotations

from collections.abc import Callable
from functools import partial

from llamachat.app import App
from llamachat.core.cancel import CancelToken
from llamachat.core.errors import UserFacingError
from llamachat.storage.database import Database
from llamachat.storage.messages import mark_interrupted
from llamachat.ui.tasks import Lane


class Lanes:
    """Made and closed in the GUI thread. `failed` is told of errors that nothing else takes."""

    def __init__(self, app: App, *, failed: Callable[[UserFacingError], None], told: Callable[[str], None]) -> None:
        """`told` gets what opening the store had to say."""
        self._app, self._told = app, told
        self._cancel = CancelToken()
        self.store = Lane("store", opened=self._open_store, closed=Database.close, failed=failed)
        self.network = Lane("network", opened=lambda: self._cancel, closed=_nothing, failed=failed)
        self.engine = Lane("engine", opened=lambda: self._cancel, closed=_nothing, failed=failed)

    def _open_store(self) -> Database:
        """In the lane's thread. What a killed program left half written is marked before anything reads it."""
        db = self._app.database(check=True)
        for sentence in db.report.sentences:
            self.store.post(partial(self._told, sentence))
        if not db.read_only:
            mark_interrupted(db)
        return db

    def close(self) -> bool:
        """Let writes finish, give up the rest; False if a thread did not end in time."""
        self._cancel.cancel()
        ended = [self.store.close(1.2), self.network.close(0.2), self.engine.close(0.2)]
        return all(ended)


def _nothing(_: CancelToken) -> None:
    return None
