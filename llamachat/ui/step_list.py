"""The steps of a connection test, one line each: a mark, what was looked at, what was found."""

from __future__ import annotations

from PySide6.QtCore import QRectF, QSize, Qt
from PySide6.QtGui import QPainter, QPaintEvent, QPalette
from PySide6.QtWidgets import QHBoxLayout, QVBoxLayout, QWidget

from llamachat.core.check_step import CheckStep
from llamachat.core.text import tr
from llamachat.ui.icons import draw_icon
from llamachat.ui.labels import WrapLabel


class Mark(QWidget):
    """A small icon that is no button: a check or a cross, coloured by the style sheet."""

    def __init__(self, *, ok: bool) -> None:
        super().__init__()
        self._icon = "check" if ok else "cross"
        self.setObjectName("passed" if ok else "failed")
        side = round(self.fontMetrics().height() * 1.1)
        self.setFixedSize(QSize(side, side))

    def paintEvent(self, event: QPaintEvent) -> None:
        """Draw it in the colour of the text."""
        draw_icon(
            QPainter(self), self._icon, QRectF(self.rect()), self.palette().color(QPalette.ColorRole.WindowText)
        )


class StepList(QWidget):
    """Steps as they come."""

    def __init__(self) -> None:
        super().__init__()
        self.steps: list[CheckStep] = []
        self._column = QVBoxLayout(self)
        self._column.setContentsMargins(0, 0, 0, 0)
        self._column.setSpacing(6)
        self.hide()

    def clear(self) -> None:
        """Drop all steps."""
        self.steps = []
        while (item := self._column.takeAt(0)) is not None:
            if (widget := item.widget()) is not None:
                widget.deleteLater()
        self.hide()

    def add(self, step: CheckStep) -> None:
        """Show another step."""
        self.steps.append(step)
        line = QWidget()
        row = QHBoxLayout(line)
        row.setContentsMargins(0, 0, 0, 0)
        row.setSpacing(8)
        row.addWidget(Mark(ok=step.ok), 0, Qt.AlignmentFlag.AlignTop)
        text = (": " if step.ok else "\n").join(part for part in (step.name, step.detail) if part)
        row.addWidget(WrapLabel(text), 1)
        line.setAccessibleName((tr("Passed: {step}") if step.ok else tr("Failed: {step}")).format(step=text))
        self._column.addWidget(line)
        self.show()
