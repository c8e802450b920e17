"""Settings in the real window: a broken file, edits while it runs, switching search on, the first start."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import ExitStack
from pathlib import Path

import pytest
from PySide6.QtGui import QGuiApplication
from PySide6.QtTest import QTest
from PySide6.QtWidgets import QApplication
from pytestqt.qtbot import QtBot

from llamachat.app import Reconfigured
from llamachat.config.paths import Paths
from llamachat.storage.conversations import create_conversation
from llamachat.storage.database import Database
from llamachat.ui.icons import IconButton
from tests.end2end.stage import NOWHERE, Stage, stage
from tests.fakes.scripted_llama import ScriptedLlama, says


@pytest.fixture
def things(qtbot: QtBot) -> Iterator[ExitStack]:
    """What is closed at the end."""
    with ExitStack() as things:
        yield things


@pytest.fixture
def llama(things: ExitStack) -> ScriptedLlama:
    """A server."""
    return things.enter_context(ScriptedLlama(says("Answer.")))


def one_chat(paths: Paths) -> None:
    """A history, so that this is no first start."""
    with Database.open(paths.database) as db:
        create_conversation(db, title="Old")


def edit(shown: Stage, text: str) -> None:
    """Write the settings file as an editor does."""
    new = shown.config.with_suffix(".tmp")
    new.write_text(text, encoding="utf-8")
    new.replace(shown.config)


def test_a_file_that_breaks_and_is_mended(things: ExitStack, llama: ScriptedLlama, tmp_path: Path) -> None:
    good = f'base_url = "{llama.base_url}"\n'
    shown = things.enter_context(stage(tmp_path / "p", good))
    notices = shown.window.notices
    edit(shown, good + 'search_url = "http://127.0.0.1:1\n')
    shown.until(lambda: notices.text("config"))
    assert "line 2" in notices.text("config").lower()
    assert "search_url" in notices.text("config")
    assert not shown.app.savable
    shown.ask("Still there?")  # the settings from before are in force
    assert "Answer." in shown.window.page.view.toPlainText()

    edit(shown, good + 'theme = "dark"\n')
    shown.until(lambda: not notices.text("config"))
    assert notices.text("toast") == "Settings reloaded: theme."


def test_a_file_that_is_broken_at_the_start_is_not_touched(things: ExitStack, tmp_path: Path) -> None:
    broken = 'base_url = "http://127.0.0.1:9\n'
    shown = things.enter_context(stage(tmp_path / "p", broken, before=one_chat))
    assert "Line 1" in shown.window.notices.text("config")
    shown.window.settings.permit_search()
    shown.until(lambda: shown.window.notices.text("failure"))
    assert shown.config.read_text() == broken


def test_a_theme_is_switched_live(things: ExitStack, llama: ScriptedLlama, tmp_path: Path) -> None:
    good = f'base_url = "{llama.base_url}"\n'
    shown = things.enter_context(stage(tmp_path / "p", good + 'theme = "light"\n'))
    palette = QGuiApplication.palette
    assert palette().window().color().lightness() > 200
    edit(shown, good + 'theme = "dark"\n')
    shown.until(lambda: palette().window().color().lightness() < 60)
    view = shown.window.page.view
    assert view.grab().toImage().pixelColor(5, 5).lightness() < 60
    assert "What would you like to know?" in view.toPlainText()


def test_width_and_fonts_of_chats_are_changed_live(things: ExitStack, llama: ScriptedLlama, tmp_path: Path) -> None:
    good = f'base_url = "{llama.base_url}"\n'
    shown = things.enter_context(stage(tmp_path / "p", good + "reading_width = 300\n"))
    page = shown.window.page
    shown.ask("Hello?")
    sides = page.view.document().rootFrame().frameFormat()
    assert page.view.viewport().width() - sides.leftMargin() - sides.rightMargin() == pytest.approx(300, abs=1)
    assert page.composer.width() == pytest.approx(332, abs=2)
    edit(shown, good + 'reading_width = 500\nfont_size = 20\nfont_family = "DejaVu Serif"\n')
    shown.until(lambda: page.view.document().defaultFont().pointSizeF() == 20)
    sides = page.view.document().rootFrame().frameFormat()
    assert page.view.viewport().width() - sides.leftMargin() - sides.rightMargin() == pytest.approx(500, abs=1)
    shown.until(lambda: page.composer.width() == pytest.approx(532, abs=2))
    assert shown.window.notices.text("toast") == "Settings reloaded: reading_width, font_family, font_size."


def test_search_is_switched_on_from_the_globe(things: ExitStack, llama: ScriptedLlama, tmp_path: Path) -> None:
    config = f'# mine\nbase_url = "{llama.base_url}"\nsearch_url = "http://127.0.0.1:9"\n'
    shown = things.enter_context(stage(tmp_path / "p", config))
    globe = shown.window.page.composer.search
    assert globe.text() == "Search: Off"
    globe.menu().aboutToShow.emit()
    globe.menu().actions()[-2].trigger()
    shown.until(lambda: globe.text() == "Search: Auto")
    assert "search_enabled = true" in shown.config.read_text()
    assert shown.config.read_text().startswith("# mine\n")
    told = shown.window.notices.text("toast")
    assert "Web search is on: queries go to SearXNG at 127.0.0.1. Chats set to Auto may search now." in told
    assert "Only the search query goes out" in shown.window.page.view.toPlainText()


@pytest.mark.claim("ST-043")
def test_where_queries_go_is_said_whoever_reads_the_edit_first(
    things: ExitStack, llama: ScriptedLlama, tmp_path: Path
) -> None:
    config = f'base_url = "{llama.base_url}"\nsearch_url = "http://searx.example"\n'
    shown = things.enter_context(stage(tmp_path / "p", config))
    done = shown.app.set_setting("search_enabled", value=True)
    shown.window.settings.take(Reconfigured((), ()))  # what the watch finds
    shown.window.settings.take(done)
    assert shown.window.notices.text("toast") == (
        "Settings reloaded: search_enabled. Web search is on: queries go to SearXNG at searx.example. "
        "Queries cross the network unencrypted, and can be read there. Chats set to Auto may search now."
    )


def test_without_an_address_the_globe_says_how_to_configure_it(
    things: ExitStack, llama: ScriptedLlama, tmp_path: Path
) -> None:
    shown = things.enter_context(stage(tmp_path / "p", f'base_url = "{llama.base_url}"\n'))
    globe = shown.window.page.composer.search
    globe.menu().aboutToShow.emit()
    *words, way = globe.menu().actions()
    assert not any(action.isEnabled() for action in words)
    assert "search_url" in " ".join(action.text() for action in words)
    way.trigger()
    dialog = shown.window.settings.dialog
    assert dialog is not None
    assert dialog.isVisible()


def test_the_settings_file_that_nothing_opens_is_named(things: ExitStack, tmp_path: Path) -> None:
    shown = things.enter_context(stage(tmp_path / "p", f'base_url = "{NOWHERE}"\n'))
    shown.window.opener.launch = lambda _: False  # there is nothing to open it with
    shown.window.actions_by_id["settings"].trigger()
    assert str(shown.config) in shown.window.notices.text("unopened")


def test_the_first_start_tests_an_address_and_uses_it(
    things: ExitStack, llama: ScriptedLlama, tmp_path: Path
) -> None:
    shown = things.enter_context(stage(tmp_path / "p", f'base_url = "{NOWHERE}"\n'))
    page = shown.window.start_page
    shown.until(page.isVisible)
    assert not shown.window.page.composer.isVisible()
    page.run_test()
    shown.until(page.test.isEnabled)
    assert [step.ok for step in page.steps.steps] == [True, False]
    assert not page.use.isVisible()

    page.address.setText(llama.base_url)
    page.run_test()
    shown.until(page.use.isVisible)
    assert all(step.ok for step in page.steps.steps)
    page.use.click()
    shown.until(lambda: not page.isVisible())
    assert f'base_url = "{llama.base_url}"' in shown.config.read_text()
    shown.ask("Hello")
    assert "Answer." in shown.window.page.view.toPlainText()


def test_an_address_that_cannot_be_read_is_a_failed_step(things: ExitStack, tmp_path: Path) -> None:
    shown = things.enter_context(stage(tmp_path / "p", f'base_url = "{NOWHERE}"\n'))
    page = shown.window.start_page
    shown.until(page.isVisible)
    page.address.setText("http://a b")
    page.run_test()
    shown.until(page.test.isEnabled)
    assert [step.ok for step in page.steps.steps] == [False]
    assert "space" in page.steps.steps[0].detail + page.steps.steps[0].name


def test_the_start_page_goes_when_the_server_comes(things: ExitStack, llama: ScriptedLlama, tmp_path: Path) -> None:
    shown = things.enter_context(stage(tmp_path / "p", f'base_url = "{NOWHERE}"\n'))
    shown.be_in_front()
    shown.until(shown.window.start_page.isVisible)
    assert shown.window.start_page.address.hasFocus()
    edit(shown, f'base_url = "{llama.base_url}"\n')
    shown.until(lambda: not shown.window.start_page.isVisible())
    assert shown.window.page.composer.edit.hasFocus()  # what is typed now is not lost


def test_the_start_page_stays_for_a_person_who_types_in_it(
    things: ExitStack, llama: ScriptedLlama, tmp_path: Path
) -> None:
    shown = things.enter_context(stage(tmp_path / "p", f'base_url = "{NOWHERE}"\n'))
    shown.be_in_front()
    page = shown.window.start_page
    shown.until(page.isVisible)
    QTest.keyClicks(page.address, "http://box")
    edit(shown, f'base_url = "{llama.base_url}"\n')
    shown.until(lambda: page.reason.text().startswith("Connected to"))
    assert page.address.text() == "http://box"
    assert page.address.hasFocus()
    shown.window.actions_by_id["stop"].trigger()
    assert not page.isVisible()


def test_an_address_is_stored_for_a_server_whose_name_wants_quotes(
    things: ExitStack, llama: ScriptedLlama, tmp_path: Path
) -> None:
    config = f'server = "my box"\n[servers."my box"]\nbase_url = "{NOWHERE}"\n'
    shown = things.enter_context(stage(tmp_path / "p", config))
    page = shown.window.start_page
    page.address.setText(llama.base_url)
    page.run_test()
    shown.until(page.use.isVisible)
    page.use.click()
    shown.until(lambda: not page.isVisible())
    assert shown.app.config.servers["my box"].base_url == llama.base_url


def test_the_start_page_can_be_left_and_does_not_come_back_by_itself(things: ExitStack, tmp_path: Path) -> None:
    shown = things.enter_context(stage(tmp_path / "p", f'base_url = "{NOWHERE}"\n'))
    shown.until(shown.window.start_page.isVisible)
    shown.window.actions_by_id["new"].trigger()
    failures: list[object] = []
    shown.window.server.failed.connect(failures.append)
    shown.window.server.refresh()
    shown.until(lambda: failures)
    assert not shown.window.start_page.isVisible()
    shown.ask("Anybody?")
    assert "No model server answers" in shown.window.page.view.toPlainText()
    assert not shown.window.start_page.isVisible()


def test_nothing_is_typed_into_a_chat_that_the_start_page_hides(things: ExitStack, tmp_path: Path) -> None:
    shown = things.enter_context(stage(tmp_path / "p", f'base_url = "{NOWHERE}"\n'))
    shown.be_in_front()
    shown.until(shown.window.start_page.isVisible)
    shown.window.actions_by_id["stop"].trigger()  # Esc, with nothing to go back to
    assert shown.window.start_page.address.hasFocus()
    assert not shown.window.page.composer.edit.hasFocus()


def test_a_start_without_a_server_but_with_chats_shows_the_chats(things: ExitStack, tmp_path: Path) -> None:
    shown = things.enter_context(stage(tmp_path / "p", f'base_url = "{NOWHERE}"\n', before=one_chat))
    shown.rest(0.2)
    assert not shown.window.start_page.isVisible()
    assert shown.window.status.text().startswith("No model server answers")


def test_the_command_to_start_a_server_can_be_copied(things: ExitStack, tmp_path: Path) -> None:
    shown = things.enter_context(stage(tmp_path / "p", 'base_url = "127.0.0.1:9"\n'))
    page = shown.window.start_page
    shown.until(page.isVisible)
    (copy,) = page.findChildren(IconButton)
    copy.click()
    assert QApplication.clipboard().text() == "llama-server -m model.gguf --port 9"


def test_the_window_comes_back_as_large_as_it_was(things: ExitStack, llama: ScriptedLlama, tmp_path: Path) -> None:
    good = f'base_url = "{llama.base_url}"\n'
    with stage(tmp_path / "p", good) as shown:
        shown.window.resize(700, 500)
        shown.window.splitter.setSizes([300, 400])
        sizes = shown.window.splitter.sizes()
    again = things.enter_context(stage(tmp_path / "p", good))
    assert (again.window.width(), again.window.height()) == (700, 500)
    assert again.window.splitter.sizes() == sizes
