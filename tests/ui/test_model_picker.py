"""The list of models: every one can be chosen, whatever the server says of it."""

from __future__ import annotations

from pytestqt.qtbot import QtBot

from llamachat.llm.server import ModelInfo
from llamachat.ui.model_picker import Choice, ModelPicker, choices, effective_model

ROUTER = (
    ModelInfo("qwen-a", "loaded"),
    ModelInfo("gem-b", "unloaded"),
    ModelInfo("gem-c", "failed"),
    ModelInfo("old-d"),
)


def test_all_are_offered_with_what_is_known_of_them() -> None:
    assert choices(ROUTER, "gem-b") == [
        Choice("qwen-a"),
        Choice("gem-b", "loads on first use, which takes a while", chosen=True),
        Choice("gem-c", "could not be loaded the last time"),
        Choice("old-d"),
    ]


def test_a_chosen_model_that_vanished_stays_with_a_hint() -> None:
    assert choices(ROUTER, "gone")[0] == Choice("gone", "not offered by the server now", chosen=True)
    assert effective_model(ROUTER, "gone") == "gone"
    assert choices((), "gone") == [Choice("gone", chosen=True)]  # no list yet: nothing to say


def test_without_a_choice_a_loaded_model_answers() -> None:
    assert effective_model(ROUTER, "") == "qwen-a"
    assert effective_model((ModelInfo("x", "unloaded"), ModelInfo("y", "unloaded")), "") == "x"


def test_a_server_with_one_model_is_asked_without_a_name() -> None:
    assert effective_model((ModelInfo("only"),), "") == ""
    assert choices((ModelInfo("only"),), "") == [Choice("only", chosen=True)]
    assert choices((), "") == []


def test_the_button_shows_and_chooses(qtbot: QtBot) -> None:
    picker = ModelPicker()
    qtbot.addWidget(picker)
    assert picker.text() == "No model"
    picker.set_models(ROUTER)
    assert picker.accessibleName() == "Model: qwen-a"
    picker.menu().aboutToShow.emit()
    assert picker.menu().actions()[2].text() == "gem-c   (could not be loaded the last time)"
    with qtbot.waitSignal(picker.chosen) as chosen:
        picker.menu().actions()[2].trigger()
    assert chosen.args == ["gem-c"]
    assert picker.model == "gem-c"


def test_a_menu_in_sight_is_filled_anew_only_when_the_list_is_another(qtbot: QtBot) -> None:
    picker = ModelPicker()
    qtbot.addWidget(picker)
    picker.show()
    picker.set_models(ROUTER)
    picker.menu().popup(picker.pos())
    before = picker.menu().actions()
    picker.set_models(list(ROUTER))
    assert picker.menu().actions() == before
    picker.set_models(ROUTER[:2])
    assert len(picker.menu().actions()) == 2
    picker.menu().close()


def test_a_long_name_is_shortened_in_the_middle(qtbot: QtBot) -> None:
    picker = ModelPicker()
    qtbot.addWidget(picker)
    picker.set_choice("a" * 60 + "/Q4_K_M")
    assert picker.text().startswith("aaa")
    assert picker.text().endswith("Q4_K_M")
    assert len(picker.text()) <= 37
    assert "Q4_K_M" in picker.toolTip()


def test_while_the_server_is_away_the_choice_is_shown_as_what_it_is(qtbot: QtBot) -> None:
    picker = ModelPicker()
    qtbot.addWidget(picker)
    picker.set_choice("gem-b")
    picker.set_away(away=True)
    assert picker.text() == "gem-b · server away"
    assert "the server does not answer" in picker.toolTip()
    picker.menu().aboutToShow.emit()
    assert picker.menu().actions()[0].text() == "The server does not answer."
    assert not picker.menu().actions()[0].isEnabled()
    assert picker.menu().actions()[1].text() == "gem-b"
    picker.set_models(ROUTER)
    assert picker.text() == "gem-b"
