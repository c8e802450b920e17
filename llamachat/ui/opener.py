"""Opens files and links with the program that the desktop has for them, and shows them where it has none."""

from __future__ import annotations

from collections.abc import Callable

from PySide6.QtCore import QUrl
from PySide6.QtGui import QDesktopServices, QGuiApplication

from llamachat.core.text import tr
from llamachat.ui.notices import Notices


class Opener:
    """`launch` hands over to the desktop; False from it means that nothing there opens this."""

    def __init__(self, notices: Notices) -> None:
        self._notices = notices
        self.launch: Callable[[QUrl], bool] = QDesktopServices.openUrl

    def open(self, url: QUrl) -> bool:
        """Open it; False, and a notice to copy it from, when nothing does."""
        opened = self.launch(url)
        if opened:
            self._notices.drop("unopened")
        else:
            self._show(url.toLocalFile() or url.toString(QUrl.ComponentFormattingOption.FullyEncoded))
        return opened

    def _show(self, address: str) -> None:
        text = tr("This desktop has no program to open it with: {address}").format(address=address)
        self._notices.keep(
            "unopened", text, button=(tr("Copy"), lambda: QGuiApplication.clipboard().setText(address))
        )
