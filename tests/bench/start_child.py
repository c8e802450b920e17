"""The program as a person starts it, told to say when its window is painted: `python -m tests.bench.start_child DIR`.

Prints one JSON: the moment on the machine's monotonic clock, the seconds of all threads, and the names of all modules
that were imported before the painting began. Imports nothing that the program does not import itself, and in the
program's order: once PySide6 is there, it looks at every further module.
"""

from __future__ import annotations

import gc
import json
import sys
import time
from pathlib import Path

from llamachat.cli import main as command_line


def watch_start() -> object:
    """Look for the first painting of the program's window, tell of it and close the window; keep what this gives."""
    gc.disable()  # as the program does before it imports its window
    from PySide6.QtCore import QEvent, QObject, QTimer
    from PySide6.QtWidgets import QWidget

    from llamachat.ui.application import make_application
    from llamachat.ui.main_window import MainWindow

    application = make_application()

    class PaintWatch(QObject):
        def eventFilter(self, watched: QObject, event: QEvent) -> bool:
            if event.type() == QEvent.Type.Paint and isinstance(watched, QWidget):
                window = watched.window()
                if isinstance(window, MainWindow):
                    application.removeEventFilter(self)
                    modules = sorted(sys.modules)
                    QTimer.singleShot(0, lambda: self._tell(window, modules))  # once all of the window is painted
            return False

        def _tell(self, window: MainWindow, modules: list[str]) -> None:
            told = {"painted": time.monotonic(), "cpu_s": time.process_time(), "modules": modules}
            print(json.dumps(told), flush=True)
            window.close()

    watch = PaintWatch()
    application.installEventFilter(watch)
    return watch


if __name__ == "__main__":
    folder = Path(sys.argv[1])
    watch = watch_start()
    sys.exit(command_line.main(["--config", str(folder / "config.toml"), "--data-dir", str(folder / "data")]))
