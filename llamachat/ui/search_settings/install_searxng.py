"""Installs a SearXNG of one's own, after a card that says what that is, how large, and who sees what then."""

from __future__ import annotations

from PySide6.QtCore import Signal
from PySide6.QtWidgets import QHBoxLayout, QMessageBox, QPushButton, QWidget

from llamachat.core.cancel import CancelToken
from llamachat.core.errors import Cancelled, UserFacingError
from llamachat.core.seams import EgressLog
from llamachat.core.text import tr
from llamachat.engines.searxng_package import SearxngPackage
from llamachat.ui.labels import WrapLabel
from llamachat.ui.search_settings.questions import ask
from llamachat.ui.tasks import Lane


class InstallSearxng(QWidget):
    """One button, not there where it is installed; while it works the button stops it."""

    installed = Signal()
    failed = Signal(object)  # UserFacingError

    def __init__(self, package: SearxngPackage, lane: Lane[CancelToken], log: EgressLog) -> None:
        super().__init__()
        self._package, self._lane, self._log = package, lane, log
        self._running: CancelToken | None = None
        self.button = QPushButton()
        self.button.setAutoDefault(False)
        self.button.clicked.connect(self._press)
        self.state = WrapLabel()
        self.state.setObjectName("lesser")
        row = QHBoxLayout(self)
        row.setContentsMargins(0, 0, 0, 0)
        row.addWidget(self.button)
        row.addWidget(self.state, 1)
        self.hide()
        self._name()

    def look(self) -> None:
        """See whether it is there."""
        if not self._running:
            self._lane.read(lambda _: self._package.installed(), self._show, key="searxng")

    def _show(self, there: bool) -> None:
        self.setVisible(not there)

    def _name(self) -> None:
        self.button.setText(tr("Stop installing") if self._running else tr("Install SearXNG…"))
        self.state.setText(tr("Installing; this takes about half a minute.") if self._running else "")

    def _press(self) -> None:
        if self._running:
            self._running.cancel()
            return
        box = QMessageBox(self.window())
        box.setText(tr("Install a SearXNG of your own?"))
        box.setInformativeText(self._package.about())
        ask(box, tr("Install"), self._install)

    def _install(self) -> None:
        cancel = self._running = CancelToken()

        def work(closing: CancelToken) -> bool:
            with closing.on_cancel(cancel.cancel):
                try:
                    self._package.install(cancel=cancel, log=self._log)
                except Cancelled:
                    return False
            return True

        self._lane.read(work, self._end, self._fail)
        self._name()

    def _end(self, whole: bool) -> None:
        self._running = None
        self._name()
        if whole:
            self.hide()
            self.installed.emit()

    def _fail(self, error: UserFacingError) -> None:
        self._end(whole=False)
        self.failed.emit(error)
