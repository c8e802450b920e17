"""After a program that ended in the middle the window offers at once to go on where answers broke off."""

from __future__ import annotations

import threading
from collections.abc import Iterator
from contextlib import ExitStack, contextmanager
from pathlib import Path

import pytest
from PySide6.QtWidgets import QPushButton
from pytestqt.qtbot import QtBot

from llamachat.app import build_app
from llamachat.config.paths import Paths, resolve_paths
from llamachat.core.messages import Role, Status, StoredMessage
from llamachat.storage.broken_off import list_broken_off
from llamachat.storage.conversations import create_conversation
from llamachat.storage.database import Database
from llamachat.storage.messages import add_message, get_message, load_branch, update_message
from llamachat.storage.writers import writing
from llamachat.ui.broken_off_control import BAR
from llamachat.ui.notices import NoticeBar
from tests.end2end.stage import Stage, stage
from tests.end2end.test_window_process import Window
from tests.fakes.scripted_llama import ScriptedLlama, says
from tests.recorder_parts import wait_until

HALF = "The moon pulls on"


@pytest.fixture
def llama(qtbot: QtBot) -> Iterator[ScriptedLlama]:
    """A server that says the rest."""
    with ScriptedLlama(says(" the water.")) as server:
        yield server


def killed(paths: Paths, *titles: str) -> None:
    """Leave what a killed program leaves: chats whose answer is half written."""
    with Database.open(paths.database) as db:
        for title in titles:
            chat = create_conversation(db, title=title)
            asked = add_message(db, conversation_id=chat.id, parent_id=None, role=Role.USER, content=f"{title}?")
            add_message(
                db,
                conversation_id=chat.id,
                parent_id=asked.id,
                role=Role.ASSISTANT,
                content=HALF,
                status=Status.STREAMING,
            )


@contextmanager
def window(llama: ScriptedLlama, folder: Path, *titles: str) -> Iterator[Stage]:
    with stage(
        folder / "profile", f'base_url = "{llama.base_url}"\n', before=lambda paths: killed(paths, *titles)
    ) as shown:
        yield shown


def bar(shown: Stage) -> str:
    return shown.window.notices.text(BAR)


def press(shown: Stage, label: str) -> None:
    bars = shown.window.notices.findChildren(NoticeBar)
    (button,) = (
        found
        for one in bars
        for found in one.findChildren(QPushButton)
        if found.text() == label and found.isVisible()
    )
    button.click()


def stored(shown: Stage, message_id: int) -> StoredMessage:
    with shown.app.database() as db:
        found = get_message(db, message_id)
    assert found is not None
    return found


def test_one_press_goes_to_the_chat_and_on_where_the_answer_broke_off(llama: ScriptedLlama, tmp_path: Path) -> None:
    with window(llama, tmp_path, "Tides") as shown:
        shown.until(lambda: bar(shown))
        assert bar(shown) == "The answer in “Tides” broke off when the program ended."
        assert HALF not in shown.window.page.view.toPlainText()
        press(shown, "Go to it and go on")
        shown.until(lambda: not bar(shown))
        shown.until(shown.idle)
        assert shown.window.chat.conversation_id == 1
        assert (stored(shown, 2).content, stored(shown, 2).status) == (f"{HALF} the water.", Status.COMPLETE)
        assert f"{HALF} the water." in shown.window.page.view.toPlainText()
    assert str(llama.asked[-1]["messages"]).endswith(f"'content': '{HALF}'}}]")


def test_several_are_offered_in_one_bar_one_after_the_other(llama: ScriptedLlama, tmp_path: Path) -> None:
    with window(llama, tmp_path, "Tides", "Winds", "Clouds") as shown:
        shown.until(lambda: bar(shown))
        assert bar(shown) == "3 answers broke off when the program ended, the last one in “Clouds”."
        press(shown, "Go to it and go on")
        shown.until(lambda: bar(shown).startswith("2 answers"))
        shown.until(shown.idle)
        press(shown, "Go to it and go on")
        shown.until(lambda: bar(shown) == "The answer in “Tides” broke off when the program ended.")
        shown.until(shown.idle)
        assert [stored(shown, number).content for number in (2, 4, 6)] == [HALF, *[f"{HALF} the water."] * 2]


def test_not_now_puts_it_away_for_good_and_the_chat_still_says_it(llama: ScriptedLlama, tmp_path: Path) -> None:
    with window(llama, tmp_path, "Tides", "Winds") as shown:
        shown.until(lambda: bar(shown))
        press(shown, "Not now")
        assert not bar(shown)
    with stage(tmp_path / "profile", "") as shown:
        shown.window.sidebar.opened.emit(1)
        shown.until(lambda: HALF in shown.window.page.view.toPlainText())
        assert not bar(shown)
        assert "The answer was cut off here." in shown.window.page.view.toPlainText()
        assert "Continue" in shown.window.page.view.toPlainText()


@pytest.mark.parametrize(
    ("title", "told"), [("", "New chat"), ("many\nwords " * 40, "many words many"), ("<b>x", "<b>x")]
)
def test_a_title_of_any_kind_is_told_in_few_words(
    llama: ScriptedLlama, tmp_path: Path, title: str, told: str
) -> None:
    with window(llama, tmp_path, title) as shown:
        shown.until(lambda: bar(shown))
        assert f"“{told}" in bar(shown)
        assert len(bar(shown)) < 130


def test_what_was_not_answered_to_is_offered_again_at_the_next_start(llama: ScriptedLlama, tmp_path: Path) -> None:
    with window(llama, tmp_path, "Tides") as shown:
        shown.until(lambda: bar(shown))
    with stage(tmp_path / "profile", "") as shown:
        shown.until(lambda: bar(shown))
        shown.window.sidebar.opened.emit(1)
        shown.until(lambda: shown.window.chat.conversation_id == 1)
        shown.ask("And the sun?")
        shown.until(lambda: not bar(shown))  # the chat has gone on without it


def test_an_answer_that_another_program_still_writes_is_left_to_it(llama: ScriptedLlama, tmp_path: Path) -> None:
    database = resolve_paths(tmp_path / "profile" / "config.toml", tmp_path / "profile" / "data").database
    database.parent.mkdir(parents=True)
    with writing(database, 4), window(llama, tmp_path, "Tides", "Winds") as shown:
        assert shown.app.paths.database == database
        shown.until(lambda: bar(shown) == "The answer in “Tides” broke off when the program ended.")
        assert stored(shown, 4).status is Status.STREAMING


def test_an_answer_that_another_program_has_gone_on_with_is_offered_no_more(
    llama: ScriptedLlama, tmp_path: Path
) -> None:
    with window(llama, tmp_path, "Tides", "Winds") as shown:
        shown.until(lambda: bar(shown))
        with build_app(shown.app.paths).database() as db:
            update_message(db, 4, content=f"{HALF} the water.", status=Status.COMPLETE)
        press(shown, "Go to it and go on")
        shown.until(lambda: bar(shown) == "The answer in “Tides” broke off when the program ended.")
        assert llama.asked == []
        assert stored(shown, 4).content == f"{HALF} the water."


def test_a_chat_that_was_deleted_meanwhile_is_not_gone_to(llama: ScriptedLlama, tmp_path: Path) -> None:
    with ExitStack() as opened:
        shown = opened.enter_context(window(llama, tmp_path, "Tides"))
        shown.until(lambda: bar(shown))
        with build_app(shown.app.paths).database() as db:
            db.write("UPDATE conversations SET deleted_at = 1")
        press(shown, "Go to it and go on")
        shown.until(lambda: not bar(shown))
        assert shown.window.chat.conversation_id is None
        assert (stored(shown, 2).content, llama.asked) == (HALF, [])


def test_a_window_closed_in_the_middle_offers_at_the_next_start_to_go_on(qtbot: QtBot, tmp_path: Path) -> None:
    folder, held = tmp_path / "profile", threading.Event()
    with ScriptedLlama([*says(HALF), held], says(" the water.")) as llama:
        with stage(folder, f'base_url = "{llama.base_url}"\n') as shown:
            shown.ask("Tides?", wait=False)
            shown.until(lambda: HALF in shown.window.page.view.toPlainText())
        held.set()
        with stage(folder, "") as shown:
            shown.until(lambda: bar(shown))
            press(shown, "Go to it and go on")
            shown.until(lambda: not bar(shown))
            shown.until(shown.idle)
            assert stored(shown, 2).content == f"{HALF} the water."
    assert len(llama.asked) == 2


def test_an_answer_that_was_made_anew_is_not_offered_at_later_starts(llama: ScriptedLlama, tmp_path: Path) -> None:
    with window(llama, tmp_path, "Tides") as shown:
        shown.until(lambda: bar(shown))
        shown.window.sidebar.opened.emit(1)
        shown.until(lambda: shown.window.chat.conversation_id == 1)
        shown.window.actions_by_id["retry"].trigger()
        shown.until(lambda: not bar(shown))
        shown.until(shown.idle)
    with stage(tmp_path / "profile", "") as shown, shown.app.database() as db:
        assert [message.content for message in load_branch(db, 1)] == ["Tides?", " the water."]
        assert list_broken_off(db) == []
        shown.rest(0.3)
        assert not bar(shown)


@pytest.mark.slow
def test_a_window_that_was_killed_goes_on_where_it_was(qtbot: QtBot, tmp_path: Path) -> None:
    folder, held = tmp_path / "profile", threading.Event()
    with ScriptedLlama([*says(HALF), held], says(" the water.")) as llama:
        window = Window(folder, llama.base_url, ask="What makes the tides?")
        assert window.line() == "shown"
        with Database.open(resolve_paths(folder / "config.toml", folder / "data").database) as db:
            wait_until(lambda: any(message.content == HALF for message in load_branch(db, 1)))
        window.process.kill()
        window.end()
        held.set()
        with stage(folder, "") as shown:
            shown.until(lambda: bar(shown))
            press(shown, "Go to it and go on")
            shown.until(lambda: not bar(shown))
            shown.until(shown.idle)
            assert stored(shown, 2).content == f"{HALF} the water."
