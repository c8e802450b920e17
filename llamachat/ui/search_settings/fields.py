"""The fields of a settings page: a label, a control, a line that explains. Each knows its key in config.toml."""

from __future__ import annotations

from collections.abc import Mapping

from PySide6.QtCore import QEvent, QObject, Qt, Signal
from PySide6.QtGui import QAccessible, QAccessibleAnnouncementEvent
from PySide6.QtWidgets import QComboBox, QGridLayout, QLabel, QLineEdit, QSpinBox, QWidget

from llamachat.config.keys import find_option
from llamachat.core.text import clean
from llamachat.ui.labels import WrapLabel
from llamachat.ui.notices import NoticeBar
from llamachat.ui.search_settings.check_box import CheckBox

_LABEL_HEIGHTS = 9.5  # the width of a label, in heights of a line


def label_of(control: QWidget, name: str) -> QLabel:
    """The label on the left of a control, as wide as all of them."""
    label = QLabel(name)
    label.setTextFormat(Qt.TextFormat.PlainText)
    label.setWordWrap(True)
    label.setFixedWidth(round(label.fontMetrics().height() * _LABEL_HEIGHTS))
    label.setBuddy(control)
    control.setAccessibleName(name)
    return label


class Field(QWidget):
    """One setting. `show_value` puts in what is in force; `edited` tells of what a person changes."""

    edited = Signal()

    def __init__(self, key: str, name: str, control: QWidget, *, note: str = "") -> None:
        super().__init__()
        self.key, self.control = key, control
        self.in_force: str | float = ""  # what the settings say
        self.label = label_of(control, name)
        control.setFocusPolicy(Qt.FocusPolicy.StrongFocus)
        control.installEventFilter(_WheelStop(control))
        if isinstance(control, (QComboBox, QSpinBox)):
            control.setMinimumHeight(round(control.fontMetrics().height() * 1.9))  # as high as a line of text
        self.note = WrapLabel()
        self.note.setObjectName("lesser")
        self.explain(note)
        grid = QGridLayout(self)
        grid.setContentsMargins(0, 0, 0, 0)
        grid.setColumnStretch(1, 1)
        grid.addWidget(self.label, 0, 0)
        grid.addWidget(control, 0, 1)
        grid.addWidget(self.note, 1, 1)

    def explain(self, note: str) -> None:
        """Say something about the setting, or about the choice made in it."""
        self.note.setText(note)
        self.note.setVisible(bool(note))
        self.control.setAccessibleDescription(note)

    @property
    def value(self) -> str | float:
        """What the control says."""
        raise NotImplementedError

    def set_value(self, value: str | float) -> None:
        """Have the control say this, as a person would."""
        raise NotImplementedError

    @property
    def changed(self) -> bool:
        """Whether the control says something else than what is in force."""
        return self.value != self.in_force

    def show_value(self, value: str | float, *, keep: bool) -> None:
        """This is in force. keep: what a person changed stays."""
        keep = keep and self.changed
        self.in_force = value
        if not keep:
            self.set_value(value)


class Switch(Field):
    """On or off. Its text is its label."""

    def __init__(self, key: str, name: str, *, note: str = "") -> None:
        self.box = CheckBox(name)
        super().__init__(key, name, self.box, note=note)
        self.label.hide()
        self.box.toggled.connect(lambda _: self.edited.emit())

    @property
    def value(self) -> bool:
        """Whether it is on."""
        return self.box.isChecked()

    def set_value(self, value: str | float) -> None:
        """Switch it."""
        self.box.setChecked(bool(value))


class Choice(Field):
    """One of the values that the setting allows. notes: what is said of each of them."""

    def __init__(
        self, key: str, name: str, texts: Mapping[str, str], *, notes: Mapping[str, str] | None = None
    ) -> None:
        self.list = QComboBox()
        for choice in find_option(key)[0].choices:
            self.list.addItem(texts[choice], choice)
        self.list.setSizeAdjustPolicy(QComboBox.SizeAdjustPolicy.AdjustToMinimumContentsLengthWithIcon)
        self._notes = notes or {}
        super().__init__(key, name, self.list)
        self.list.currentIndexChanged.connect(self._choose)
        self._choose()

    @property
    def value(self) -> str:
        """The value that is chosen."""
        return str(self.list.currentData())

    def set_value(self, value: str | float) -> None:
        """Choose a value."""
        self.list.setCurrentIndex(self.list.findData(value))

    def _choose(self) -> None:
        self.explain(self._notes.get(self.value, ""))
        self.edited.emit()


class Number(Field):
    """A whole number within the bounds of the setting."""

    def __init__(self, key: str, name: str, *, note: str = "", step: int = 1) -> None:
        traits = find_option(key)[0].traits
        self.box = QSpinBox()
        self.box.setRange(round(traits.low or 0), round(traits.high or 0))
        self.box.setSingleStep(step)
        self.box.setGroupSeparatorShown(True)
        super().__init__(key, name, self.box, note=note)
        self.box.valueChanged.connect(lambda _: self.edited.emit())

    @property
    def value(self) -> int:
        """The number."""
        return self.box.value()

    def set_value(self, value: str | float) -> None:
        """Show a number."""
        self.box.setValue(round(float(value)))


class Text(Field):
    """One line of text, without blanks around it."""

    def __init__(self, key: str, name: str, *, note: str = "", placeholder: str = "") -> None:
        self.line = QLineEdit()
        self.line.setPlaceholderText(placeholder)
        super().__init__(key, name, self.line, note=note)
        self.line.textChanged.connect(lambda _: self.edited.emit())

    @property
    def value(self) -> str:
        """What is typed."""
        return clean(self.line.text()).strip()

    def show_value(self, value: str | float, *, keep: bool) -> None:
        """This is in force; blanks around it do not count."""
        super().show_value(str(value).strip(), keep=keep)

    def set_value(self, value: str | float) -> None:
        """Show a text from its beginning."""
        self.line.setText(str(value))
        self.line.setCursorPosition(0)


class AmberLine(NoticeBar):
    """An amber line, there only while it has something to say."""

    def __init__(self) -> None:
        super().__init__("warning", "")
        self.hide()

    def say(self, *sentences: str) -> None:
        """Say these, or nothing; a screen reader is told what is new."""
        text = " ".join(sentence for sentence in sentences if sentence)
        if text and text != self.label.text():
            QAccessible.updateAccessibility(QAccessibleAnnouncementEvent(self, text))
        self.label.setText(text)
        self.setAccessibleName(text)
        self.setVisible(bool(text))


class _WheelStop(QObject):
    """Scrolling over a page must not change what the pointer happens to be over."""

    def eventFilter(self, watched: QObject, event: QEvent) -> bool:
        """Leave the wheel to the page unless the control has the keyboard."""
        if event.type() == QEvent.Type.Wheel and isinstance(watched, QWidget) and not watched.hasFocus():
            event.ignore()
            return True
        return False
