"""Answers that could not be written: a bar that says so, and further tries until they are saved."""

from __future__ import annotations

from PySide6.QtCore import QObject, QTimer
from PySide6.QtWidgets import QMessageBox

from llamachat.core.errors import UserFacingError
from llamachat.core.text import tr
from llamachat.storage.database import Database
from llamachat.storage.unsaved import UnsavedMessages
from llamachat.ui.notices import Notices
from llamachat.ui.tasks import Lane

LOOK_MS, AGAIN_MS = 1000, 3000
BAR = "unsaved"


class UnsavedControl(QObject):
    """Looks while turns run, and tries again until nothing is held."""

    def __init__(self, unsaved: UnsavedMessages, *, tasks: Lane[Database], notices: Notices, parent: QObject) -> None:
        super().__init__(parent)
        self._unsaved, self._tasks, self._notices = unsaved, tasks, notices
        self._said = self._reason = ""
        self._live = False
        self._timer = QTimer(self)
        self._timer.setSingleShot(True)
        self._timer.timeout.connect(self.try_again)

    def watch(self, *, live: bool) -> None:
        """Turns have begun or ended; `live`: some run."""
        self._live = live
        self.try_again()

    def try_again(self) -> None:
        """Write what is held, if there is something."""
        if len(self._unsaved):
            self._tasks.write(self._unsaved.save, self._saved, self._failed)
        else:
            self._saved(None)

    def may_close(self) -> bool:
        """Ask, if closing the window would lose something."""
        if not len(self._unsaved):
            return True
        box = QMessageBox(QMessageBox.Icon.Warning, "llamachat", tr("An answer is not saved yet."))
        box.setInformativeText(f"{tr('If you close the window now, the end of the answer is lost.')} {self._reason}")
        close = box.addButton(tr("Close anyway"), QMessageBox.ButtonRole.DestructiveRole)
        box.setDefaultButton(box.addButton(tr("Keep the window open"), QMessageBox.ButtonRole.RejectRole))
        box.exec()
        return box.clickedButton() is close

    def _saved(self, _: None) -> None:
        if self._live:
            self._timer.start(LOOK_MS)
        else:
            self._timer.stop()
        if self._said:
            self._said = self._reason = ""
            self._notices.drop(BAR)
            self._notices.toast(tr("The answer is saved now."))

    def _failed(self, error: UserFacingError) -> None:
        text = tr("An answer is not saved yet; this is tried again every few seconds. {reason}").format(
            reason=error.sentence
        )
        if text != self._said:  # else the bar stands there, or was closed
            self._said, self._reason = text, error.sentence
            self._notices.keep(BAR, text, button=(tr("Try again now"), self.try_again))
        self._timer.start(AGAIN_MS)
