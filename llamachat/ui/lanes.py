"""The window's background threads: the store, the network, the engine, and whatever takes its time beside them."""

from __future__ import annotations

from PySide6.QtCore import QObject, Signal

from llamachat.app import App
from llamachat.core.cancel import CancelToken
from llamachat.core.errors import StorageError
from llamachat.storage.broken_off import mark_broken_off
from llamachat.storage.database import Database
from llamachat.ui.daily_copies import DailyCopies
from llamachat.ui.formula_lane import FormulaLane
from llamachat.ui.tasks import Lane


class Lanes(QObject):
    """Made and closed in the GUI thread."""

    failed = Signal(object)  # UserFacingError that nothing else takes
    told = Signal(str)  # what opening the store had to say
    store_back = Signal()  # it could be opened, which had failed before

    def __init__(self, app: App, parent: QObject) -> None:
        super().__init__(parent)
        self._app = app
        self._cancel = CancelToken()
        self._store_shut = False
        failed = self.failed.emit
        self.store = Lane("store", opened=self._open_store, closed=Database.close, failed=failed, parent=self)
        self.network = Lane("network", opened=lambda: self._cancel, closed=_nothing, failed=failed, parent=self)
        self.doctor = Lane("search doctor", opened=lambda: self._cancel, closed=_nothing, failed=failed, parent=self)
        self.keys = Lane("keyring", opened=lambda: self._cancel, closed=_nothing, failed=failed, parent=self)
        self.copies = Lane("copies", opened=lambda: self._cancel, closed=_nothing, failed=failed, parent=self)
        self.summary = Lane("summary", opened=lambda: self._cancel, closed=_nothing, failed=failed, parent=self)
        self.titles = Lane("titles", opened=lambda: self._cancel, closed=_nothing, failed=failed, parent=self)
        self.imports = Lane("imports", opened=lambda: self._cancel, closed=_nothing, failed=failed, parent=self)
        self.files = Lane("files", opened=lambda: self._cancel, closed=_nothing, failed=failed, parent=self)
        self.formulas = FormulaLane(failed, self)
        self.engine = Lane("engine", opened=lambda: self._cancel, closed=_nothing, failed=failed, parent=self)
        DailyCopies(app.database, self.copies, self)

    def _open_store(self) -> Database:
        """In the lane's thread. What a killed program left half written is marked before anything reads it."""
        was_shut, self._store_shut = self._store_shut, True
        db = self._app.database(check=True)
        try:
            mark_broken_off(db)
        except StorageError:
            db.close()
            raise
        self._store_shut = False
        if was_shut:
            self.store.post(self.store_back.emit)
        if text := " ".join(db.report.sentences):
            self.store.post(lambda: self.told.emit(text))
        return db

    def close(self) -> bool:
        """Let writes finish, give up the rest; False if a thread did not end in time."""
        self._cancel.cancel()
        others = (
            self.copies,
            self.imports,
            self.files,
            self.network,
            self.doctor,
            self.keys,
            self.summary,
            self.titles,
            self.engine,
        )
        ended = [self.store.close(1.2), *(lane.close(0.2) for lane in others)]
        return self.formulas.close() and all(ended)


def _nothing(_: CancelToken) -> None:
    return None
