"""The globe: mode while searching is permitted, reason and offer while it is not."""

from __future__ import annotations

import pytest
from pytestqt.qtbot import QtBot

from llamachat.core.conversation import SearchMode
from llamachat.ui.labels import tooltip
from llamachat.ui.search_button import SearchButton


@pytest.fixture
def button(qtbot: QtBot) -> SearchButton:
    """A button."""
    button = SearchButton()
    qtbot.addWidget(button)
    return button


def lines(button: SearchButton) -> list[str]:
    """The menu as it opens now."""
    button.menu().aboutToShow.emit()
    return [action.text() for action in button.menu().actions()]


@pytest.mark.claim("ST-003", "LC-054")
def test_permitted_it_offers_off_auto_and_always(qtbot: QtBot, button: SearchButton) -> None:
    button.set_permission(refusal="", can_permit=False)
    assert button.text() == "Search: Auto"
    for place, (mode, name) in enumerate(
        [(SearchMode.OFF, "Search: Off"), (SearchMode.AUTO, "Search: Auto"), (SearchMode.ALWAYS, "Search: Always")]
    ):
        assert lines(button)[3:] == ["", "Web search settings…"]
        with qtbot.waitSignal(button.mode_chosen) as chosen:
            button.menu().actions()[place].trigger()
        assert chosen.args == [mode]
        assert (button.text(), button.accessibleName()) == (name, name)
        lines(button)
        assert [action.isChecked() for action in button.menu().actions()[:3]] == [n == place for n in range(3)]


def test_refused_it_says_why_and_keeps_the_mode(button: SearchButton) -> None:
    button.set_permission(refusal="Web search is off.", can_permit=False)
    assert button.text() == "Search: Off"
    assert button.mode is SearchMode.AUTO
    assert lines(button) == ["Web search is off.", "Web search settings…"]
    assert button.toolTip() == tooltip("Web search is off.")
    assert not button.menu().actions()[0].isEnabled()


def test_refused_with_an_address_it_offers_to_permit(qtbot: QtBot, button: SearchButton) -> None:
    button.set_permission(refusal="Web search is off. " * 8, can_permit=True, host="box.lan")
    assert max(len(line) for line in lines(button)) <= 64
    assert lines(button)[-2:] == ["Switch web search on: queries go to box.lan", "Web search settings…"]
    with qtbot.waitSignal(button.permission_requested):
        button.menu().actions()[-2].trigger()


def test_who_switches_it_on_in_a_chat_that_is_off_wants_it_there(qtbot: QtBot, button: SearchButton) -> None:
    button.set_mode(SearchMode.OFF)
    button.set_permission(refusal="Web search is off.", can_permit=True)
    button.menu().aboutToShow.emit()
    with qtbot.waitSignal(button.mode_chosen) as chosen:
        button.menu().actions()[-2].trigger()
    assert chosen.args == [SearchMode.AUTO]
