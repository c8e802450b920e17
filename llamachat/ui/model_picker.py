"""Which model answers in this chat: a button with the models of the server, and what is known of each."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass

from PySide6.QtCore import Signal
from PySide6.QtGui import QAction, QActionGroup
from PySide6.QtWidgets import QMenu, QToolButton, QWidget

from llamachat.core.text import tr
from llamachat.llm.server import ModelInfo
from llamachat.ui.icons import IconButton
from llamachat.ui.passing_menu import PassingMenu

LABEL_CHARS = 36


@dataclass(frozen=True, slots=True)
class Choice:
    """A line of the menu. Every one can be chosen: a hint is a warning, not a lock."""

    id: str
    hint: str = ""
    chosen: bool = False


def effective_model(models: Sequence[ModelInfo], chosen: str) -> str:
    """The model to ask for: the chosen one; else, where the server has several, one that is loaded, or the first.

    "" where nothing was chosen and the server has but one: it needs no name.
    """
    if chosen or len(models) < 2:
        return chosen
    return next((model.id for model in models if model.state == "loaded"), models[0].id)


def choices(models: Sequence[ModelInfo], chosen: str) -> list[Choice]:
    """The lines of the menu; a chosen model that the server does not list any more stays, with a hint."""
    current = effective_model(models, chosen) or (models[0].id if models else "")
    lines = [Choice(model.id, _hint(model.state), model.id == current) for model in models]
    if current and all(model.id != current for model in models):
        missing = tr("not offered by the server now") if models else ""
        lines.insert(0, Choice(current, missing, chosen=True))
    return lines


def _hint(state: str) -> str:
    return {
        "unloaded": tr("loads on first use, which takes a while"),
        "loading": tr("is being loaded"),
        "sleeping": tr("wakes on first use"),
        "downloading": tr("is being downloaded"),
        "failed": tr("could not be loaded the last time"),
    }.get(state, "")


def add_choices(menu: QMenu, lines: Iterable[Choice], choose: Callable[[str], None]) -> None:
    """Put the lines into a menu; `choose` is called with the name of the model."""
    group = QActionGroup(menu)
    for line in lines:
        text = " ".join(line.id.split()).replace("&", "&&")
        action = QAction(f"{text}   ({line.hint})" if line.hint else text, group)
        action.setCheckable(True)
        action.setChecked(line.chosen)
        action.triggered.connect(lambda _=False, model=line.id: choose(model))
        menu.addAction(action)


class ModelPicker(IconButton):
    """Shows the model of the chat and offers the others."""

    chosen = Signal(str)
    listed = Signal()  # the server has told its models
    opened = Signal()  # the menu opens: a good time to ask the server again

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__("", tr("Model"), parent=parent)
        self._models: Sequence[ModelInfo] = ()
        self._choice = ""
        self._away = False
        self._menu = PassingMenu(self)
        self._menu.setAccessibleName(tr("Models"))
        self.setMenu(self._menu)
        self.setPopupMode(QToolButton.ToolButtonPopupMode.InstantPopup)
        self._menu.aboutToShow.connect(self._open)
        self._show()

    @property
    def model(self) -> str:
        """The model to ask for, "" for the server's own."""
        return effective_model(self._models, self._choice)

    @property
    def told(self) -> str:
        """The model that will answer as far as the server has told; "" while it does not answer."""
        current = effective_model(self._models, self._choice) or (self._models[0].id if self._models else "")
        return "" if self._away else current

    @property
    def models(self) -> Sequence[ModelInfo]:
        """What the server has told of its models."""
        return self._models

    def offers(self, model: str) -> bool:
        """Whether the server has a model of this name, and others to choose from."""
        return len(self._models) > 1 and any(known.id == model for known in self._models)

    def set_models(self, models: Sequence[ModelInfo]) -> None:
        """Take the list of the server."""
        news = self._away or tuple(models) != tuple(self._models)
        self._models, self._away = models, False
        self._show()
        if news and self._menu.isVisible():  # Qt takes the square of the number of lines for a menu in sight
            self._fill()
        if news:
            self.listed.emit()

    def set_away(self, away: bool) -> None:
        """Say that the server does not answer; the list and the choice stay. The next list ends it."""
        self._away = away
        self._show()

    def set_choice(self, model: str) -> None:
        """Show what is chosen in a chat; "" for nothing."""
        self._choice = model
        self._show()

    def _show(self) -> None:
        current = next((line for line in choices(self._models, self._choice) if line.chosen), None)
        name = current.id if current else tr("No model")
        short = name if len(name) <= LABEL_CHARS else f"{name[: LABEL_CHARS // 2]}…{name[-LABEL_CHARS // 2 + 1 :]}"
        self.setText(f"{short} · {tr('server away')}" if self._away else short)
        known = current.hint if current else ""
        hints = "; ".join(filter(None, (tr("the server does not answer") if self._away else "", known)))
        hint = f" ({hints})" if hints else ""
        self.set_name(tr("Model: {name}").format(name=name), name + hint)
        self.updateGeometry()

    def _open(self) -> None:
        self._fill()
        self.opened.emit()

    def _fill(self) -> None:
        self._menu.clear()
        if self._away:
            self._menu.addAction(tr("The server does not answer.")).setEnabled(False)
        lines = choices(self._models, self._choice)
        add_choices(self._menu, lines, self._choose)
        if not lines and not self._away:
            self._menu.addAction(tr("The server has not told its models yet.")).setEnabled(False)

    def _choose(self, model: str) -> None:
        self.set_choice(model)
        self.chosen.emit(model)
