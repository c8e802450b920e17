"""The window of the web search by keyboard and screen reader."""

from __future__ import annotations

import pytest
from PySide6.QtCore import QPoint, Qt
from PySide6.QtGui import QAccessible
from PySide6.QtTest import QTest
from PySide6.QtWidgets import (
    QAbstractButton,
    QApplication,
    QComboBox,
    QHeaderView,
    QLineEdit,
    QSpinBox,
    QTableView,
    QWidget,
)

from llamachat.ui.search_settings.fields import Field
from tests.ui.search_settings.conftest import ON, SEARXNG, Open, Opened

EVERYTHING = [
    ON + SEARXNG + "read_pages = 2\n",
    ON + 'search_provider = "brave"\nread_pages = 1\npage_reader = "jina"\n',
    ON + 'search_provider = "ollama"\n',
    "",
]
CONTROLS = (QAbstractButton, QComboBox, QLineEdit, QSpinBox, QTableView)


def controls(it: Opened) -> list[QWidget]:
    """Everything that can be worked with now; parts inside a control belong to it."""
    inside = (QComboBox, QSpinBox, QTableView, QHeaderView)
    found = [widget for widget in it.dialog.findChildren(QWidget) if isinstance(widget, CONTROLS)]
    return [w for w in found if w.isVisible() and w.isEnabled() and not isinstance(w.parentWidget(), inside)]


def walked(it: Opened) -> list[QWidget]:
    """What Tab comes to, from the first control on, until it is there again."""
    it.be_in_front()
    first = it.search.enabled.box
    first.setFocus()
    reached: list[QWidget] = []
    while (focused := QApplication.focusWidget()) is not None and focused not in reached:
        reached.append(focused)
        QTest.keyClick(focused, Qt.Key.Key_Tab)
        assert len(reached) < 60
    return reached


@pytest.mark.parametrize("text", EVERYTHING)
def test_every_control_has_a_name_of_its_own(opened: Open, text: str) -> None:
    it = opened(text)
    for tab in range(it.dialog.tabs.count()):
        it.dialog.tabs.setCurrentIndex(tab)
        names = [QAccessible.queryAccessibleInterface(w).text(QAccessible.Text.Name) for w in controls(it)]
        assert all(name.strip() for name in names)
        assert len(names) == len(set(names))


@pytest.mark.parametrize("text", EVERYTHING)
def test_tab_goes_down_the_page_and_reaches_everything(opened: Open, text: str) -> None:
    it = opened(text)
    reached = walked(it)
    assert [w for w in controls(it) if w not in reached] == []
    on_page = [w for w in reached if it.search.isAncestorOf(w)]
    places = [w.mapTo(it.dialog, QPoint(0, 0)).y() for w in on_page]
    assert places == sorted(places)


def test_labels_are_buddies_of_their_controls(opened: Open) -> None:
    it = opened(ON + SEARXNG)
    fields = it.dialog.findChildren(Field)
    assert len(fields) > 14
    assert all(field.label.buddy() is field.control for field in fields)


def test_the_wheel_over_a_field_scrolls_the_page_and_changes_nothing(opened: Open) -> None:
    it = opened(ON + SEARXNG)
    field, bar = it.search.results, it.search.verticalScrollBar()
    it.be_in_front()
    it.dialog.resize(700, 450)
    it.until(lambda: bar.maximum() > 0)
    it.search.ensureWidgetVisible(field)
    window = it.dialog.windowHandle()

    def turn() -> None:
        QTest.wheelEvent(window, field.control.mapTo(it.dialog, field.control.rect().center()), QPoint(0, -120))

    field.control.setFocus()
    turn()
    it.until(lambda: field.value == 4)
    it.search.enabled.box.setFocus()
    before = bar.value()
    turn()
    it.until(lambda: bar.value() > before)
    assert field.value == 4


def test_the_keyboard_begins_at_the_switch(opened: Open) -> None:
    it = opened(SEARXNG)
    it.be_in_front()
    assert it.search.enabled.box.hasFocus()
    QTest.keyClick(it.search.enabled.box, Qt.Key.Key_Space)
    assert it.search.provider.isVisible()
