"""The globe beside the composer: whether this chat may search the web. It says so when searching is not permitted."""

from __future__ import annotations

import textwrap

from PySide6.QtCore import Signal
from PySide6.QtGui import QAction, QActionGroup
from PySide6.QtWidgets import QToolButton, QWidget

from llamachat.core.conversation import SearchMode
from llamachat.core.text import tr
from llamachat.ui.icons import IconButton
from llamachat.ui.passing_menu import PassingMenu

_NAMES = {
    SearchMode.OFF: lambda: tr("Search: Off"),
    SearchMode.AUTO: lambda: tr("Search: Auto"),
    SearchMode.ALWAYS: lambda: tr("Search: Always"),
}
_TIPS = {
    SearchMode.OFF: lambda: tr("This chat does not search."),
    SearchMode.AUTO: lambda: tr("The model may search the web when it needs to."),
    SearchMode.ALWAYS: lambda: tr("The web is searched for each message before the model answers."),
}


class SearchButton(IconButton):
    """Off, Auto or Always while searching is permitted; otherwise why not, and the way to change that."""

    mode_chosen = Signal(object)  # SearchMode
    permission_requested = Signal()  # switch searching on in the settings
    settings_requested = Signal()  # open them

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__("globe-off", "", parent=parent)
        self._mode = SearchMode.AUTO
        self._refusal = ""
        self._can_permit, self._host = False, ""
        self._menu = PassingMenu(self)
        self._menu.setAccessibleName(tr("Web search"))
        self.setMenu(self._menu)
        self.setPopupMode(QToolButton.ToolButtonPopupMode.InstantPopup)
        self._menu.aboutToShow.connect(self._fill)
        self._show()

    @property
    def mode(self) -> SearchMode:
        """What is chosen for this chat, also while searching is not permitted."""
        return self._mode

    def set_mode(self, mode: SearchMode) -> None:
        """Show a chat's mode."""
        self._mode = mode
        self._show()

    def set_permission(self, *, refusal: str, can_permit: bool, host: str = "") -> None:
        """`refusal` is empty when searching is permitted; `can_permit`: one click may switch it on, to ask `host`."""
        self._refusal, self._can_permit, self._host = refusal, can_permit, host
        self._show()

    def _show(self) -> None:
        mode = SearchMode.OFF if self._refusal else self._mode
        self.set_icon("globe-off" if mode is SearchMode.OFF else "globe")
        self.setText(_NAMES[mode]())
        self.set_name(self.text(), self._refusal or _TIPS[mode]())
        self.updateGeometry()

    def _fill(self) -> None:
        self._menu.clear()
        if self._refusal:
            self._fill_refused()
            return
        group = QActionGroup(self._menu)
        for mode, text in (
            (SearchMode.OFF, tr("Off: this chat does not search")),
            (SearchMode.AUTO, tr("Auto: the model searches when it needs to")),
            (SearchMode.ALWAYS, tr("Always: each message is searched for before the answer")),
        ):
            action = QAction(text, group)
            action.setCheckable(True)
            action.setChecked(mode is self._mode)
            action.triggered.connect(lambda _=False, mode=mode: self._choose(mode))
            self._menu.addAction(action)
        self._menu.addSeparator()
        self._add_settings()

    def _fill_refused(self) -> None:
        for line in textwrap.wrap(self._refusal, 64):
            self._menu.addAction(line).setEnabled(False)
        if self._can_permit:
            name = tr("Switch web search on: queries go to {host}").format(host=self._host.replace("&", "&&"))
            self._menu.addAction(name).triggered.connect(self._permit)
        self._add_settings()

    def _add_settings(self) -> None:
        self._menu.addAction(tr("Web search settings…")).triggered.connect(self.settings_requested)

    def _permit(self) -> None:
        """Who asks for it here wants it in this chat."""
        if self._mode is SearchMode.OFF:
            self._choose(SearchMode.AUTO)
        self.permission_requested.emit()

    def _choose(self, mode: SearchMode) -> None:
        self.set_mode(mode)
        self.mode_chosen.emit(mode)
