"""What the window knows of the model server: whether it answers, and which models it has. Asked off the GUI."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from contextlib import closing, suppress
from typing import NamedTuple
from urllib.parse import urlsplit

from PySide6.QtCore import QObject, QTimer, Signal

from llamachat.app import App
from llamachat.core.cancel import CancelToken
from llamachat.core.errors import ServerCause, ServerError, UserFacingError
from llamachat.core.text import tr
from llamachat.llm.server import ModelInfo, ServerProbe
from llamachat.ui.status import ServerStatus
from llamachat.ui.tasks import Lane

FIRST_RETRY_MS = 3000
LAST_RETRY_MS = 60_000


class _Answer(NamedTuple):
    address: str
    models: tuple[ModelInfo, ...]
    slots: Mapping[str, int]


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
        # How many answers it writes at a time, where it says so: by the name of the model where it is a router, else
        # under "".
        self.slots: Mapping[str, int] = {}
        self.failure: UserFacingError | None = None  # why the server did not answer the last time
        self._retry = QTimer(self)
        self._retry.setSingleShot(True)
        self._retry.timeout.connect(self.refresh)
        self._pause_ms = FIRST_RETRY_MS

    def refresh(self) -> None:
        """Ask now; the answer comes as a signal."""
        self._retry.stop()
        if self.held and not self._app.models.engine_running:
            return
        self._network.read(self._ask, self._take, self._lament, key="models")

    def _ask(self, cancel: CancelToken) -> _Answer:
        with closing(self._app.models.probe()) as probe:
            address, models = address_for_people(self._app.models.endpoint().base_url), probe.models(cancel)
            slots: dict[str, int] = {}
            with suppress(ServerError):  # the list of models may be open where this wants a key
                slots.update(_slots(probe, models, cancel))
            return _Answer(address, models, slots)

    def _take(self, answer: _Answer) -> None:
        address, self.models, self.slots = answer
        self.failure = None
        self._pause_ms = FIRST_RETRY_MS
        name = tr("the built-in engine") if self._app.models.engine_running else address
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


def _slots(probe: ServerProbe, models: tuple[ModelInfo, ...], cancel: CancelToken) -> Iterator[tuple[str, int]]:
    own = probe.props(cancel=cancel)
    loaded = [model.id for model in models if model.state == "loaded"] if own.router else []
    for name in loaded or [""]:
        props = probe.props(name, cancel) if name else own
        if props.total_slots:
            yield name, props.total_slots


def address_for_people(base_url: str) -> str:
    """Host and port of an address, without a user name or password that may stand in it."""
    return urlsplit(base_url).netloc.rpartition("@")[2]
