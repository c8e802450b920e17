"""Every control has a name for screen readers and is reached by Tab; every action has a name and a way to it."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest
from PySide6.QtCore import Qt
from PySide6.QtGui import QAccessible, QFont, QKeySequence
from PySide6.QtTest import QTest
from PySide6.QtWidgets import (
    QAbstractButton,
    QAbstractItemView,
    QApplication,
    QLineEdit,
    QMenu,
    QPlainTextEdit,
    QProgressBar,
    QScrollArea,
    QTextEdit,
    QWidget,
)
from pytestqt.qtbot import QtBot

from llamachat.config.paths import Paths
from llamachat.storage.conversations import create_conversation
from llamachat.storage.database import Database
from llamachat.ui.actions import Menu, declared_actions, fixed_keys
from llamachat.ui.shortcut_overview import ShortcutOverview
from llamachat.ui.transcript.message_acts import WINDOW_ACTS
from tests.end2end.stage import NOWHERE, Stage, stage

CONTROLS = (QAbstractButton, QLineEdit, QPlainTextEdit, QTextEdit, QAbstractItemView, QProgressBar)


def some_chats(paths: Paths) -> None:
    """Two chats."""
    with Database.open(paths.database) as db:
        for title in ("One", "Two"):
            create_conversation(db, title=title)


@pytest.fixture(params=[None, some_chats], ids=["first start", "chats"])
def shown(qtbot: QtBot, tmp_path: Path, request: pytest.FixtureRequest) -> Iterator[Stage]:
    """A window on its start page, or with chats."""
    with stage(tmp_path / "p", f'base_url = "{NOWHERE}"\n', before=request.param) as shown:
        shown.until(lambda: shown.window.start_page.isVisible() or request.param)
        shown.window.notices.keep("x", "a notice", button=("Do it", lambda: None))
        shown.window.sidebar.undo.offer("Deleted", lambda: None)
        yield shown


def controls(window: QWidget) -> list[QWidget]:
    """Everything that a person can work with, as it is shown now. Parts inside a control belong to it."""
    found = [widget for widget in window.findChildren(QWidget) if isinstance(widget, CONTROLS)]
    inside = (QLineEdit, QAbstractItemView)
    return [w for w in found if w.isVisible() and not isinstance(w.parentWidget(), inside)]


def spoken_name(widget: QWidget) -> str:
    """What a screen reader says first."""
    interface = QAccessible.queryAccessibleInterface(widget)
    return interface.text(QAccessible.Text.Name)


def test_every_control_has_a_name(shown: Stage) -> None:
    found = controls(shown.window)
    assert len(found) > 8
    assert [widget for widget in found if not spoken_name(widget).strip()] == []


def test_no_two_controls_in_sight_have_the_same_name(shown: Stage) -> None:
    names = [spoken_name(widget) for widget in controls(shown.window)]
    assert sorted(names) == sorted(set(names))


def test_tab_reaches_every_control(shown: Stage) -> None:
    wanted = [w for w in controls(shown.window) if w.isEnabled() and not isinstance(w, QProgressBar)]
    shown.window.activateWindow()
    shown.window.sidebar.new_button.setFocus()
    reached: set[QWidget] = set()
    for _ in range(60):
        focused = QApplication.focusWidget()
        assert focused is not None
        reached.add(focused)
        QTest.keyClick(focused, Qt.Key.Key_Tab)
    assert [w for w in wanted if w not in reached] == []


def menu_names(menu: QMenu) -> list[str]:
    """The names of the actions of a menu and of the menus in it."""
    found: list[str] = []
    for action in menu.actions():
        inside = action.menu()
        found += menu_names(inside) if isinstance(inside, QMenu) else [action.text()] if action.text() else []
    return found


def test_every_action_is_in_the_menu_by_name_or_has_keys_and_stands_in_the_menu_of_a_message(shown: Stage) -> None:
    names = menu_names(shown.window.sidebar.menu_button.menu())
    assert sorted(names) == sorted(declared.name for declared in declared_actions() if declared.menu)
    others = [declared for declared in declared_actions() if declared.menu is Menu.NOWHERE]
    assert [declared.id for declared in others] == ["above", "below", *WINDOW_ACTS, "help"]
    assert all(declared.keys for declared in others)


def test_no_key_is_given_twice() -> None:
    keys = [key for declared in declared_actions() for key in declared.keys]
    assert len(keys) == len(set(keys))
    assert all(not QKeySequence(key).isEmpty() for key in keys)


def test_the_overview_lists_every_key(qtbot: QtBot) -> None:
    overview = ShortcutOverview()
    qtbot.addWidget(overview)
    texts = [widget.text() for widget in overview.findChildren(QWidget) if hasattr(widget, "text")]
    for declared in declared_actions():
        if declared.keys:
            assert declared.name in texts
            assert ", ".join(declared.keys) in texts
    assert all(keys in texts and name in texts for keys, name in fixed_keys())


def test_the_overview_scrolls_where_the_screen_is_too_low_for_it(qtbot: QtBot) -> None:
    usual = QApplication.font()
    large = QFont(usual)
    large.setPixelSize(40)
    QApplication.setFont(large)
    try:
        overview = ShortcutOverview()
        qtbot.addWidget(overview)
        overview.show()
    finally:
        QApplication.setFont(usual)
    (area,) = overview.findChildren(QScrollArea)
    assert overview.height() <= overview.screen().availableGeometry().height()
    assert area.verticalScrollBar().maximum() > 0
