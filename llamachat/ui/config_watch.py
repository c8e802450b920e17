"""Follows config.toml while the window is open, and words what an edit did or what is wrong with the file."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

from PySide6.QtCore import QFileSystemWatcher, QObject, QTimer, Signal

from llamachat.app import Reconfigured
from llamachat.config.problem import Problem
from llamachat.core.text import tr

SETTLE_MS = 150  # editors write in several steps
SHOWN_PROBLEMS = 4


class ConfigWatch(QObject):
    """Tells once after the file was changed, replaced by a rename, made or removed."""

    edited = Signal()

    def __init__(self, path: Path, parent: QObject) -> None:
        super().__init__(parent)
        self._path = path
        self._seen = _signature(path)
        self._watcher = QFileSystemWatcher(self)
        self._settle = QTimer(self)
        self._settle.setSingleShot(True)
        self._settle.timeout.connect(self._look)
        self._watcher.fileChanged.connect(lambda _: self._settle.start(SETTLE_MS))
        self._watcher.directoryChanged.connect(lambda _: self._settle.start(SETTLE_MS))
        self._watch()

    def _watch(self) -> None:
        """A rename over the file ends the watch on it; the folder tells of that."""
        wanted = [str(path) for path in (self._path, self._path.parent) if path.exists()]
        watched = {*self._watcher.files(), *self._watcher.directories()}
        if missing := [path for path in wanted if path not in watched]:
            self._watcher.addPaths(missing)

    def _look(self) -> None:
        self._watch()
        signature = _signature(self._path)
        if signature != self._seen:
            self._seen = signature
            self.edited.emit()


def _signature(path: Path) -> tuple[int, int, int] | None:
    try:
        status = path.stat()
    except OSError:
        return None
    return status.st_ino, status.st_mtime_ns, status.st_size


def edit_text(done: Reconfigured) -> str:
    """What an edit changed, in a sentence; "" when nothing."""
    parts = []
    if done.changed:
        parts.append(tr("Settings reloaded: {keys}.").format(keys=", ".join(done.changed)))
    if done.waiting:
        parts.append(tr("In force after a restart: {keys}.").format(keys=", ".join(done.waiting)))
    return " ".join(parts)


def problem_text(path: Path, problems: Sequence[Problem], *, savable: bool) -> str:
    """What is wrong with the file, and what follows from it; "" when nothing."""
    if not problems:
        return ""
    shown = [str(problem) for problem in problems[:SHOWN_PROBLEMS]]
    if len(problems) > SHOWN_PROBLEMS:
        shown.append(tr("And {count} more.").format(count=len(problems) - SHOWN_PROBLEMS))
    text = path.name + ": " + "\n".join(shown)
    if not savable:
        text += "\n" + tr(
            "What cannot be read stays as it was, and the program does not change the file until it is mended."
        )
    return text
