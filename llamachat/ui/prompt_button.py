"""The system prompt of the chat, beside the search mode: which one it is, and the others that the settings have."""

from __future__ import annotations

from collections.abc import Sequence

from PySide6.QtCore import Signal
from PySide6.QtGui import QAction, QActionGroup
from PySide6.QtWidgets import QToolButton, QWidget

from llamachat.core.conversation import SystemPrompt
from llamachat.core.text import tr
from llamachat.ui.icons import IconButton
from llamachat.ui.passing_menu import PassingMenu

_NAME_CHARS, _TIP_CHARS = 24, 500


class PromptButton(IconButton):
    """Offers the prompts of the settings. A text that they do not have any more stays with its chat, and says so."""

    chosen = Signal(object)  # SystemPrompt
    view_requested = Signal()  # show the text, to change it for this chat
    settings_requested = Signal()  # open the file that has the prompts

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__("prompt", "", parent=parent)
        self._prompt = SystemPrompt()
        self._offers: Sequence[SystemPrompt] = (SystemPrompt(),)
        self._menu = PassingMenu(self)
        self._menu.setAccessibleName(tr("System prompts"))
        self.setMenu(self._menu)
        self.setPopupMode(QToolButton.ToolButtonPopupMode.InstantPopup)
        self._menu.aboutToShow.connect(self._fill)
        self._show()

    @property
    def prompt(self) -> SystemPrompt:
        """That of the chat that is shown."""
        return self._prompt

    def set_prompt(self, prompt: SystemPrompt) -> None:
        """Show a chat's prompt."""
        self._prompt = prompt
        self._show()

    def set_offers(self, offers: Sequence[SystemPrompt]) -> None:
        """Take the prompts of the settings as they are now."""
        self._offers = offers
        self._show()

    def _show(self) -> None:
        name = tr("Own prompt") if self._prompt.edited else _shortened(offer_name(self._prompt))
        self.setText(name)
        text = self._prompt.text.strip()
        spoken = tr("System prompt: {name}").format(name=name)
        self.set_name(
            spoken, f"{spoken}\n{text[:_TIP_CHARS]}" if text else tr("The model is given no system prompt.")
        )
        self.updateGeometry()

    def _fill(self) -> None:
        self._menu.clear()
        group = QActionGroup(self._menu)
        if self._prompt not in self._offers:
            self._add(group, self._what_it_is(), self._prompt).setChecked(True)
        for offer in self._offers:
            self._add(group, self._offered(offer), offer).setChecked(offer == self._prompt)
        self._menu.addSeparator()
        self._menu.addAction(tr("View or change it for this chat…")).triggered.connect(self.view_requested)
        self._menu.addAction(tr("More prompts in config.toml…")).triggered.connect(self.settings_requested)

    def _add(self, group: QActionGroup, text: str, prompt: SystemPrompt) -> QAction:
        action = QAction(text.replace("&", "&&"), group)
        action.setCheckable(True)
        action.triggered.connect(lambda: self.chosen.emit(prompt))
        self._menu.addAction(action)
        return action

    def _what_it_is(self) -> str:
        """A prompt that is not as the settings have it."""
        if self._prompt.edited:
            return tr("This chat's own text")
        name = _shortened(offer_name(self._prompt))
        if all(offer.name != self._prompt.name for offer in self._offers):
            return tr("{name}, which is no longer in config.toml").format(name=name)
        return tr("{name}, as it was when it was chosen").format(name=name)

    def _offered(self, offer: SystemPrompt) -> str:
        name = _shortened(offer_name(offer))
        if offer.name == self._prompt.name and offer.text != self._prompt.text:
            back = self._prompt.edited
            words = tr("{name}: back to the text of config.toml") if back else tr("{name}: use its new text")
            return words.format(name=name)
        return name


def offer_name(prompt: SystemPrompt) -> str:
    """What a prompt is called."""
    if prompt.name:
        return " ".join(prompt.name.split())
    return tr("Default prompt") if prompt.text.strip() else tr("No prompt")


def _shortened(name: str) -> str:
    return name if len(name) <= _NAME_CHARS else f"{name[:_NAME_CHARS]}…"
