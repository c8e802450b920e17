"""What the window knows of the model server: whether it answers, and which models it has. Asked off the GUI."""

from __future__ import annotations

from contextlib import closing, suppress
from typing import NamedTuple
from urllib.parse import urlsplit

from PySide6.QtCore import QObject, QTimer, Signal

from llamachat.app import App
from llamachat.core.cancel import CancelToken
from llamachat.core.errors import ServerCause, ServerError, UserFacingError
from llamachat.core.text import tr
from llamachat.llm.server import ModelInfo
from llamachat.ui.status import ServerStatus
from llamachat.ui.tasks import Lane

FIRST_RETRY_MS = 3000
LAST_RETRY_MS = 60_000


class _Answer(NamedTuple):
    address: str
    models: tuple[ModelInfo, ...]
    slots: int | None


class ServerWatch(QObject):
    """Asks when told to, and again by itself only while the server does not answer, less and less often."""

    answered = Signal(tuple)  # tuple[ModelInfo, ...]
    failed = Signal(object)  # UserFacingError

    def __init__(self, app: App, network: Lane[CancelToken], parent: QObject) -> None:
        super().__init__(parent)
        self._app, self._network = app, network
        self.status = ServerStatus()
        self.held = False  # ask nobody but the built-in engine
        self.models: tuple[ModelInfo, ...] = ()
        self.slots: int | None = None  # how many answers it writes at a time; None where it does not say
        self.failure: UserFacingError | None = None  # why the server did not answer the last time
        self._retry = QTimer(self)
        self._retry.setSingleShot(True)
        self._retry.timeout.connect(self.refresh)
        self._pause_ms = FIRST_RETRY_MS

    def refresh(self) -> None:
        """Ask now; the answer comes as a signal."""
        self._retry.stop()
        if self.held and not self._app.engine_running:
            return
        self._network.read(self._ask, self._take, self._lament, key="models")

    def _ask(self, cancel: CancelToken) -> _Answer:
        with closing(self._app.probe()) as probe:
            address, models = address_for_people(self._app.endpoint().base_url), probe.models(cancel)
            with suppress(ServerError):  # the list of models may be open where this wants a key
                return _Answer(address, models, probe.props(cancel=cancel).total_slots)
            return _Answer(address, models, None)

    def _take(self, answer: _Answer) -> None:
        address, self.models, self.slots = answer
        self.failure = None
        self._pause_ms = FIRST_RETRY_MS
        name = tr("the built-in engine") if self._app.engine_running else address
        self.status = ServerStatus(reachable=True, sentence=tr("Connected to {server}").format(server=name))
        self.answered.emit(self.models)

    @property
    def away(self) -> bool:
        """True when nothing that can be used answers; a server that loads its model is there."""
        loading = isinstance(self.failure, ServerError) and self.failure.cause is ServerCause.LOADING
        return self.failure is not None and not loading

    def _lament(self, error: UserFacingError) -> None:
        self.failure = error
        self.status = ServerStatus(reachable=False, sentence=error.sentence)
        self._retry.start(self._pause_ms)
        self._pause_ms = min(2 * self._pause_ms, LAST_RETRY_MS)
        self.failed.emit(error)


def address_for_people(base_url: str) -> str:
    """Host and port of an address, without a user name or password that may stand in it."""
    return urlsplit(base_url).netloc.rpartition("@")[2]
