"""The window of the web search where it is low: what is pressed to save stays, while the settings scroll."""

from __future__ import annotations

import pytest
from PySide6.QtCore import QPoint, Qt
from PySide6.QtWidgets import QAbstractButton, QScrollArea

from llamachat.websearch.registry import PROVIDERS
from tests.ui.search_settings.conftest import ON, SEARXNG, Open, Opened


def in_view(it: Opened, button: QAbstractButton) -> bool:
    """Whether all of a button can be seen and nothing lies over it."""
    dialog = it.dialog
    place = button.mapTo(dialog, QPoint(0, 0))
    inside = dialog.rect().contains(place) and dialog.rect().contains(place + button.rect().bottomRight())
    return button.isVisible() and inside and dialog.childAt(place + button.rect().center()) is button


@pytest.mark.claim("ST-047")
def test_the_buttons_stay_in_view_while_the_settings_scroll_and_saving_is_confirmed(opened: Open) -> None:
    it = opened(ON + SEARXNG)
    it.dialog.resize(it.dialog.width(), it.dialog.minimumSizeHint().height())
    page = next(area for area in [it.search, *it.search.findChildren(QScrollArea)] if isinstance(area, QScrollArea))
    bar = page.verticalScrollBar()
    it.until(lambda: bar.maximum() > 0)
    for value in (0, bar.maximum() // 2, bar.maximum()):
        bar.setValue(value)
        assert in_view(it, it.dialog.reset)
        assert in_view(it, it.dialog.apply)
    it.search.results.set_value(9)
    it.apply()
    assert it.toast == "Saved."


@pytest.mark.claim("ST-047")
def test_a_button_that_is_only_an_icon_says_what_it_does(opened: Open) -> None:
    it = opened(ON + SEARXNG)
    it.search.results.set_value(9)
    it.apply()
    buttons = [button for button in it.dialog.findChildren(QAbstractButton) if button.isVisible()]
    icons = [button for button in buttons if not button.text() and button.focusPolicy() != Qt.FocusPolicy.NoFocus]
    assert icons  # such as the cross of what was just said
    assert [button.accessibleName() for button in icons if not button.toolTip()] == []


@pytest.mark.claim("AD-016")
def test_the_picker_has_a_row_for_each_service_and_searxng_is_chosen_first(opened: Open) -> None:
    it = opened(ON + SEARXNG)
    picker = it.search.provider.provider.list
    assert picker.count() == len(PROVIDERS)
    assert picker.currentIndex() == 0
    assert picker.currentText() == "SearXNG · Default · private"
