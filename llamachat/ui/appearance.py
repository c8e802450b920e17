"""How things look by the settings: light or dark for the whole window, switched live; width and fonts of chats."""

from __future__ import annotations

from PySide6.QtCore import QObject, Qt, Signal
from PySide6.QtWidgets import QApplication

from llamachat.config.schema import Config
from llamachat.ui.stylesheet import style_sheet
from llamachat.ui.theme import Theme, choose_theme, qt_palette
from llamachat.ui.transcript.look import Look


def look_of(config: Config) -> Look:
    """What the settings say about how chats are drawn."""
    return Look(
        width_px=config.reading_width,
        family=config.font_family,
        size_pt=config.font_size,
        code_family=config.code_font_family,
        wraps_code=config.wrap_code,
    )


class Appearance(QObject):
    """Applies the theme that the setting asks for, and follows the desktop where it says so."""

    theme_changed = Signal(object)  # Theme

    def __init__(self, application: QApplication, choice: str) -> None:
        super().__init__()
        self._application, self._choice = application, choice
        self._scheme = application.styleHints().colorScheme()
        self.theme: Theme = choose_theme(choice, self._scheme)
        application.setStyle("Fusion")
        self._apply()
        application.styleHints().colorSchemeChanged.connect(self._take_scheme)

    def choose(self, choice: str) -> None:
        """Take the setting `theme`: system, light or dark."""
        self._choice = choice
        self._follow()

    def _take_scheme(self, scheme: Qt.ColorScheme) -> None:
        self._scheme = scheme
        self._follow()

    def _follow(self) -> None:
        theme = choose_theme(self._choice, self._scheme)
        if theme != self.theme:
            self.theme = theme
            self._apply()
            self.theme_changed.emit(theme)

    def _apply(self) -> None:
        self._application.setPalette(qt_palette(self.theme))
        self._application.setStyleSheet(style_sheet(self.theme))
