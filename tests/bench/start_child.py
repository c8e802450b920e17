"""The program as a person starts it, told to say when its window is painted: `python -m tests.bench.start_child DIR`.

Prints one JSON: the moment on the machine's monotonic clock, and the names of all modules that were imported by then.
Imports nothing that the program does not import itself.
"""

from __future__ import annotations

import json
import sys
import time
from pathlib import Path

from PySide6.QtCore import QEvent, QObject, QTimer
from PySide6.QtWidgets import QApplication, QWidget

from llamachat.cli.main import main
from llamachat.ui.application import make_application
from llamachat.ui.main_window import MainWindow


class PaintWatch(QObject):
    """Waits for the first painting of the window, tells of it and closes the window."""

    def __init__(self, application: QApplication) -> None:
        super().__init__()
        self._application = application
        application.installEventFilter(self)

    def eventFilter(self, watched: QObject, event: QEvent) -> bool:
        """Look at every event and stop none."""
        if event.type() == QEvent.Type.Paint and isinstance(watched, QWidget):
            window = watched.window()
            if isinstance(window, MainWindow):
                self._application.removeEventFilter(self)
                QTimer.singleShot(0, lambda: self._tell(window))  # once all of the window is painted
        return False

    def _tell(self, window: MainWindow) -> None:
        print(json.dumps({"painted": time.monotonic(), "modules": sorted(sys.modules)}), flush=True)
        window.close()


if __name__ == "__main__":
    folder = Path(sys.argv[1])
    watch = PaintWatch(make_application())
    sys.exit(main(["--config", str(folder / "config.toml"), "--data-dir", str(folder / "data")]))
