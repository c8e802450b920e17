"""The Qt application around the window, and the door that lets a second start raise the first window.

The only file that uses QtNetwork: a local socket, no network.
"""

from __future__ import annotations

import gc
import hashlib
import logging
import os
import sys
from collections.abc import Callable
from enum import Enum
from pathlib import Path

from PySide6.QtCore import QCoreApplication, QLockFile
from PySide6.QtNetwork import QLocalServer, QLocalSocket
from PySide6.QtWidgets import QApplication, QMessageBox

from llamachat.app import App
from llamachat.config.paths import Paths
from llamachat.core.clock import SystemClock
from llamachat.core.text import tr
from llamachat.ui.appearance import Appearance
from llamachat.ui.icons import window_icon
from llamachat.ui.main_window import MainWindow
from llamachat.ui.process_events import end_on_signals, report_exceptions
from llamachat.ui.start_control import Demo

log = logging.getLogger(__name__)

RAISE, RAISED = b"raise\n", b"raised\n"
LONGEST_SOCKET_PATH = 100  # bytes; the system allows 107


class Answer(Enum):
    """What a knock on the door brought."""

    NOBODY = "nobody"
    RAISED = "raised"
    SILENCE = "silence"


class Door:
    """A local socket that belongs to a user and a data folder: whoever listens on it has the window.

    raised: `enter` has raised the window of another one.
    """

    def __init__(self, paths: Paths, *, patience_ms: int = 3000) -> None:
        self._patience_ms, self.raised = patience_ms, False
        digest = hashlib.sha256(os.fsencode(paths.data_dir.absolute())).hexdigest()[:16]
        socket = paths.runtime_dir / f"window-{digest}.sock"
        usable = len(os.fsencode(socket)) <= LONGEST_SOCKET_PATH and _made(paths.runtime_dir)
        self.name = str(socket) if usable else f"llamachat-{_user()}-{digest}"
        self._lock = QLockFile(str(socket.with_suffix(".lock")))
        self._lock.setStaleLockTime(4 * patience_ms)
        self._server = QLocalServer(QApplication.instance())
        self._server.setSocketOptions(QLocalServer.SocketOption.UserAccessOption)
        self._server.newConnection.connect(self._serve)
        self._raise: Callable[[], None] = lambda: None

    def enter(self, *, take_over: Callable[[], bool]) -> bool:
        """Become the one with the window; False when another has it and was raised.

        `take_over` is asked when another is there and does not answer. Of two that start at once one gets in: the
        lock is held from the knock until the socket listens.
        """
        self._lock.tryLock(2 * self._patience_ms)
        try:
            answer = self._knock()
            self.raised = answer is Answer.RAISED
            if self.raised or (answer is Answer.SILENCE and not take_over()):
                return False
            QLocalServer.removeServer(self.name)  # of one that crashed, or that was given up
            if not self._server.listen(self.name):
                log.info("a second start will not find this window: %s", self._server.errorString())
            return True
        finally:
            self._lock.unlock()

    def when_knocked(self, raise_window: Callable[[], None]) -> None:
        """What to do when the program is started again."""
        self._raise = raise_window

    def close(self) -> None:
        """Stop listening."""
        self._server.close()

    def _knock(self) -> Answer:
        socket = QLocalSocket()
        socket.connectToServer(self.name)
        if not socket.waitForConnected(self._patience_ms):
            return Answer.NOBODY
        socket.write(RAISE)
        heard = socket.waitForReadyRead(self._patience_ms) and socket.readAll().data() == RAISED
        socket.abort()
        return Answer.RAISED if heard else Answer.SILENCE

    def _serve(self) -> None:
        while (socket := self._server.nextPendingConnection()) is not None:
            socket.readyRead.connect(lambda socket=socket: self._answer(socket))
            socket.disconnected.connect(socket.deleteLater)
            if socket.bytesAvailable():
                self._answer(socket)

    def _answer(self, socket: QLocalSocket) -> None:
        if socket.readAll().data() == RAISE:
            socket.write(RAISED)
            socket.flush()
            self._raise()


def _made(folder: Path) -> bool:
    try:
        folder.mkdir(mode=0o700, parents=True, exist_ok=True)
    except OSError as error:
        log.info("the folder for the socket cannot be made: %s", error)
        return False
    return True


def _user() -> str:
    return hashlib.sha256(os.fsencode(Path.home())).hexdigest()[:8]


def run_window(
    app: App,
    *,
    say: Callable[[str], object],
    demo: bool = False,
    demo_model: Path | None = None,
    agreed: bool = False,
) -> int:
    """Open the window and run until it is closed; the exit code.

    say: told why no window opens. demo: begin with the built-in engine, with `demo_model` or the small one; agreed:
    its download was agreed to.
    """
    application = make_application()
    door = Door(app.paths)
    if not door.enter(take_over=_ask_to_take_over):
        if door.raised:
            say(tr("llamachat is running already: its window was brought to the front."))
        app.close()
        return 0
    appearance = Appearance(application, app.config.theme)
    window = MainWindow(app, appearance=appearance, clock=SystemClock())
    report_exceptions(window.tell, window)
    end_on_signals(window.end, window)
    door.when_knocked(window.raise_up)
    window.closed.connect(application.quit)
    window.begin(Demo(demo_model, agreed) if demo else None)
    gc.freeze()  # what is there now stays: looking through it again and again would hold the window up
    gc.enable()
    code = application.exec()
    door.close()
    if not window.ended_cleanly:
        log.warning("a thread did not end in time; the process ends without it")
        logging.shutdown()
        sys.stdout.flush()
        sys.stderr.flush()
        os._exit(code)
    # Qt would destroy what is still on its way after Python's end, with the Python objects in it, and crash.
    QCoreApplication.removePostedEvents(None)  # type: ignore[arg-type]  # None is every object; the stubs forget it
    return code


def make_application() -> QApplication:
    """The one QApplication of the process, named for window managers and settings of the desktop."""
    existing = QApplication.instance()
    application = existing if isinstance(existing, QApplication) else QApplication(sys.argv[:1])
    application.setApplicationName("llamachat")
    application.setApplicationDisplayName("llamachat")
    application.setDesktopFileName("llamachat")
    application.setWindowIcon(window_icon())
    application.setQuitOnLastWindowClosed(True)
    return application


def _ask_to_take_over() -> bool:
    box = QMessageBox(
        QMessageBox.Icon.Question,
        "llamachat",
        tr("llamachat is running already, but its window does not answer."),
    )
    box.setInformativeText(tr("Open another window on the same chats?"))
    yes = box.addButton(tr("Open another window"), QMessageBox.ButtonRole.AcceptRole)
    box.addButton(QMessageBox.StandardButton.Cancel)
    box.exec()
    return box.clickedButton() is yes
