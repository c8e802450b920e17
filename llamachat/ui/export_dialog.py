"""Where it is chosen how chats are exported, and seen how far that is."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

from PySide6.QtCore import Qt, Signal
from PySide6.QtGui import QIcon
from PySide6.QtWidgets import (
    QAbstractButton,
    QButtonGroup,
    QDialog,
    QDialogButtonBox,
    QLabel,
    QRadioButton,
    QVBoxLayout,
    QWidget,
)

from llamachat.core.cancel import CancelToken
from llamachat.core.text import tr
from llamachat.ui.export_choice import ExportChoice
from llamachat.ui.labels import ElidedLabel, WrapLabel
from llamachat.ui.progress_panel import ProgressPanel
from llamachat.ui.search_settings.check_box import CheckBox
from llamachat.ui.tasks import Lane

_WIDTH_PX = 440
_INDENT_PX = 24


class ExportDialog(QDialog):
    """Asks, and stays while the job runs in its `panel`; then the owner closes it."""

    wanted = Signal(object)  # ExportChoice

    def __init__(
        self, what: str, choice: ExportChoice, *, several: bool, lane: Lane[CancelToken], parent: QWidget
    ) -> None:
        """what: the title of the chat, or how many there are."""
        super().__init__(parent)
        self._choice = choice
        self.setWindowTitle(tr("Export"))
        self.setAttribute(Qt.WidgetAttribute.WA_DeleteOnClose)
        self.panel = ProgressPanel(lane)
        self.panel.hide()
        self.error = WrapLabel()
        self.error.setObjectName("failed")
        self.error.hide()
        self._make_fields(choice, several=several)
        self.buttons = QDialogButtonBox(QDialogButtonBox.StandardButton.Cancel)
        self.export = self.buttons.addButton(tr("Export…"), QDialogButtonBox.ButtonRole.AcceptRole)
        self.export.setDefault(True)
        for button in self.buttons.buttons():
            button.setIcon(QIcon())  # the style's own is black in the dark
        self.buttons.accepted.connect(lambda: self.wanted.emit(self.choice))
        self.buttons.rejected.connect(self.reject)
        self._lay_out(what, several=several)
        self._look()

    def _make_fields(self, choice: ExportChoice, *, several: bool) -> None:
        self.markdown = QRadioButton(tr("Markdown, to be read"))
        self.pdf = QRadioButton(tr("PDF, to be printed or passed on"))
        self.json = QRadioButton(tr("JSON, with everything, to be imported again"))
        chosen = self.pdf if choice.pdf else self.markdown if choice.markdown else self.json
        _group(self, (self.markdown, self.pdf, self.json), chosen)
        self.sources = _box(tr("What was searched and found"), on=choice.sources)
        self.reasoning = _box(tr("What the model thought"), on=choice.reasoning)
        self.prompts = _box(tr("System prompts"), on=choice.prompts)
        self.folder = QRadioButton(tr("A folder with a file for each chat"))
        self.one_file = QRadioButton(tr("One file"))
        _group(self, (self.folder, self.one_file), self.one_file if choice.one_file else self.folder)
        for button in (self.folder, self.one_file):
            button.setVisible(several)
        for button in (self.markdown, self.pdf):
            button.toggled.connect(self._look)

    def _lay_out(self, what: str, *, several: bool) -> None:
        title = ElidedLabel()
        title.setObjectName("subheading")
        title.show_text(what)
        self._fields = QWidget()
        fields = QVBoxLayout(self._fields)
        fields.setContentsMargins(0, 0, 0, 0)
        fields.setSpacing(8)
        fields.addWidget(self.markdown)
        options = QVBoxLayout()
        options.setContentsMargins(_INDENT_PX, 0, 0, 4)
        for box in (self.sources, self.reasoning, self.prompts):
            options.addWidget(box)
        fields.addLayout(options)
        fields.addWidget(self.pdf)
        fields.addWidget(self.json)
        if several:
            fields.addSpacing(8)
            fields.addWidget(_heading(tr("Into")))
        fields.addWidget(self.folder)
        fields.addWidget(self.one_file)
        column = QVBoxLayout(self)
        column.setContentsMargins(22, 18, 22, 16)
        column.setSpacing(12)
        for widget in (title, self._fields, self.panel, self.error):
            column.addWidget(widget)
        column.addStretch(1)
        column.addWidget(self.buttons)
        self.resize(_WIDTH_PX, self.sizeHint().height())

    @property
    def choice(self) -> ExportChoice:
        """What is chosen now."""
        return replace(
            self._choice,
            markdown=self.markdown.isChecked(),
            pdf=self.pdf.isChecked(),
            sources=self.sources.isChecked(),
            reasoning=self.reasoning.isChecked(),
            prompts=self.prompts.isChecked(),
            one_file=self.one_file.isChecked(),
        )

    def show_running(self, *, running: bool, error: str = "") -> None:
        """A job runs in the panel, or has ended: then all can be chosen again."""
        self._fields.setEnabled(not running)
        self.export.setEnabled(not running)
        self.panel.setVisible(running)
        self.error.setText(error)
        self.error.setVisible(bool(error))

    def reject(self) -> None:
        """Stop what runs, whose end closes; where nothing runs, close."""
        if self.panel.running:
            self.panel.cancel()
        else:
            super().reject()

    def _look(self) -> None:
        for box in (self.sources, self.reasoning, self.prompts):
            box.setEnabled(self.markdown.isChecked())
        self.one_file.setEnabled(not self.pdf.isChecked())
        if self.pdf.isChecked():
            self.folder.setChecked(True)


def _group(parent: QWidget, buttons: Sequence[QAbstractButton], chosen: QAbstractButton) -> None:
    group = QButtonGroup(parent)
    for button in buttons:
        group.addButton(button)
    chosen.setChecked(True)


def _box(text: str, *, on: bool) -> CheckBox:
    box = CheckBox(text)
    box.setChecked(on)
    return box


def _heading(text: str) -> QLabel:
    label = QLabel(text)
    label.setObjectName("subheading")
    return label
