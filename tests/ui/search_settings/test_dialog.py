"""The window of the web search: what is in sight, what is written, what is said, what Reset undoes."""

from __future__ import annotations

import pytest
from PySide6.QtWidgets import QCheckBox, QWidget

from llamachat.core.errors import SearchCause, SearchError
from llamachat.searxng.answer import SearchAnswer
from llamachat.ui.search_settings.fields import Field
from tests.fakes.memory_keyring import MemoryKeyring
from tests.ui.search_settings.conftest import ON, SEARXNG, Open

BRAVE = "BSA-0123456789abcdef"


def in_sight(page: QWidget) -> list[str]:
    """The keys of the settings that can be seen, and of no others."""
    return [field.key for field in page.findChildren(Field) if field.key and field.isVisible()]


@pytest.mark.claim("ST-005")
def test_only_the_switch_is_in_sight_until_it_is_on(opened: Open) -> None:
    it = opened(SEARXNG)
    assert in_sight(it.search) == ["search_enabled"]
    it.search.enabled.box.click()
    assert {"search_provider", "search_url", "search_results", "search_snippet_chars"} < set(in_sight(it.search))
    assert {"search_language", "search_route", "search_confirm"} < set(in_sight(it.search))
    assert "search_enabled" not in it.file  # nothing is written before Apply


@pytest.mark.claim("ST-004")
def test_each_control_changes_its_setting(opened: Open, keyring: MemoryKeyring) -> None:
    it = opened()
    search = it.search
    search.enabled.box.click()
    wanted: dict[str, str | float] = {
        "search_url": "http://127.0.0.1:7",
        "own_searxng": True,
        "search_language": "de",
        "search_categories": "general",
        "ollama_url": "http://127.0.0.1:8",
        "search_results": 7,
        "search_snippet_chars": 450,
        "search_route": "router",
        "search_confirm": "always",
        "jina_url": "http://127.0.0.1:5",
        "page_reader": "jina",
        "page_text_limit": 7000,
        "read_pages": 3,
    }
    for field in search.fields:
        if field.key in wanted:
            field.set_value(wanted[field.key])
    it.dialog.journal.switch.box.click()
    it.apply()
    config = it.app.config
    assert {key: getattr(config, key) for key in wanted} == wanted
    assert (config.search_enabled, config.journal) == (True, False)
    assert not it.dialog.apply.isEnabled()

    search.provider.provider.set_value("brave")
    search.provider.key.line.setText(BRAVE)
    it.dialog.apply.click()
    it.answer("Use Brave")
    it.until(lambda: it.app.config.search_provider == "brave")
    it.until(lambda: keyring.kept == {("llamachat", "brave"): BRAVE})
    it.until(lambda: not search.provider.key.line.text())
    assert BRAVE not in it.file


@pytest.mark.claim("AD-018", "AD-017")
def test_the_fields_of_a_service_are_there_only_while_it_is_chosen(opened: Open) -> None:
    it = opened(ON + SEARXNG)
    provider = it.search.provider
    own = {"search_url", "own_searxng", "search_language", "search_categories"}
    assert own < set(in_sight(it.search))
    assert (provider.warning.isVisible(), provider.key.isVisible()) == (False, False)
    provider.provider.set_value("tavily")
    assert own.isdisjoint(in_sight(it.search))
    assert provider.warning.label.text() == "Queries go to Tavily, a third party, at api.tavily.com."
    assert provider.key.isVisible()
    for words in ("TAVILY_API_KEY", "app.tavily.com"):
        assert words in provider.key.state.text()
    provider.provider.set_value("ollama")
    assert "ollama_url" in in_sight(it.search)
    assert "a third party, at ollama.com" in provider.warning.label.text()
    assert not provider.key.isVisible()


def test_the_picker_calls_searxng_default_and_private(opened: Open) -> None:
    it = opened(ON + SEARXNG)
    assert it.search.provider.provider.list.currentText() == "SearXNG · Default · private"


def test_a_third_party_is_asked_about_once_and_no_leaves_the_file_alone(opened: Open) -> None:
    it = opened(ON + SEARXNG)
    before = it.file
    it.search.provider.provider.set_value("duckduckgo")
    it.dialog.apply.click()
    assert "DuckDuckGo, a third party" in it.question.text()
    it.answer("Cancel")
    it.dialog.apply.click()
    assert it.file == before
    it.answer("Use DuckDuckGo")
    it.until(lambda: "duckduckgo" in it.file)
    it.until(lambda: bool(it.toast))
    it.search.results.set_value(9)
    it.apply()  # asks no more
    assert it.toast == "Saved."
    assert it.app.config.search_results == 9


def test_a_third_party_that_was_chosen_before_is_asked_about_when_search_goes_on(opened: Open) -> None:
    it = opened('search_provider = "duckduckgo"\n')
    it.search.enabled.box.click()
    it.dialog.apply.click()
    it.answer("Cancel")
    assert not it.app.config.search_enabled


@pytest.mark.claim("ST-006")
def test_saving_says_who_is_asked_and_who_reads(opened: Open, keyring: MemoryKeyring) -> None:
    keyring.set_password("llamachat", "brave", BRAVE)
    it = opened(SEARXNG + "read_pages = 1\n")
    it.search.enabled.box.click()
    it.apply()
    assert it.toast.startswith("Saved. Web search is on: queries go to SearXNG at 127.0.0.1.")
    assert "Pages are fetched by this program alone" in it.toast
    assert "third party" not in it.toast
    it.search.provider.provider.set_value("brave")
    it.search.reading.reader.set_value("jina")
    it.until(lambda: "kept in your keyring" in it.search.provider.key.state.text())
    it.dialog.notices.drop("toast")
    it.dialog.apply.click()
    it.answer("Use Brave")
    it.until(lambda: bool(it.toast))
    for words in (
        "queries go to Brave",
        "Brave is a third party and sees every query.",
        "All pages go through Jina Reader",
        "Jina AI, a third party, sees the address of every page.",
    ):
        assert words in it.toast


def test_nothing_can_be_applied_while_the_file_holds_a_mistake(opened: Open) -> None:
    it = opened(SEARXNG)
    good = it.file
    it.edit(good + 'theme = "dark\n')
    it.search.enabled.box.click()
    assert "does not change the file until it is mended" in it.dialog.notices.text("config")
    assert (it.dialog.apply.isEnabled(), it.dialog.reset.isEnabled()) == (False, False)
    it.edit(good)
    assert not it.dialog.notices.text("config")
    assert it.dialog.apply.isEnabled()  # what was changed meanwhile is still there


def test_a_value_that_does_not_fit_is_refused_in_words(opened: Open) -> None:
    it = opened(ON + SEARXNG)
    it.search.provider.searxng_url.set_value("ftp://box")
    it.apply()
    assert "http://" in it.dialog.notices.text("failure")
    assert "ftp" not in it.file
    assert it.search.provider.searxng_url.value == "ftp://box"


def test_an_edit_of_the_file_is_shown_and_what_was_changed_here_stays(opened: Open) -> None:
    it = opened(ON + SEARXNG)
    it.search.results.set_value(9)
    it.edit(f"{ON}{SEARXNG}search_results = 3\nsearch_snippet_chars = 500\n")
    assert (it.search.snippets.value, it.search.results.value) == (500, 9)
    it.dialog.leave.click()
    it.dialog.bring_up()
    assert it.search.results.value == 3


def test_switching_off_is_written_before_everything_else(opened: Open) -> None:
    it = opened(ON + SEARXNG)
    it.search.provider.provider.set_value("duckduckgo")
    assert list(it.search.changes()) == ["search_provider"]
    it.search.enabled.box.click()
    assert list(it.search.changes()) == ["search_enabled", "search_provider"]
    it.apply()  # asks nothing: nothing goes out
    assert not it.app.config.search_enabled


@pytest.mark.claim("ST-045")
@pytest.mark.parametrize("forget", [True, False])
def test_reset_switches_off_and_forgets_keys_only_when_told_to(
    opened: Open, keyring: MemoryKeyring, *, forget: bool
) -> None:
    keyring.set_password("llamachat", "brave", BRAVE)
    it = opened(f'{ON}search_provider = "brave"\nread_pages = 2\n')
    it.dialog.reset.click()
    tick = it.question.checkBox()
    assert isinstance(tick, QCheckBox)
    tick.setChecked(forget)
    it.answer("Reset")
    it.until(lambda: bool(it.toast and (not forget or it.dialog.notices.text("key"))))
    config = it.app.config
    assert (config.search_enabled, config.search_provider, config.read_pages) == (False, "searxng", 0)
    assert it.search.enabled.value is False
    assert bool(keyring.kept) is not forget


@pytest.mark.claim("OP-044")
def test_the_state_of_the_guard_is_shown_with_a_pause_and_its_reason(opened: Open) -> None:
    it = opened(ON + SEARXNG)
    guard = it.app.search.guard

    def refuse() -> SearchAnswer:
        raise SearchError("Nothing came.", cause=SearchCause.ENGINES_REFUSED, engines=(("brave", "too many"),))

    for query in ("tide", "wind"):
        with pytest.raises(SearchError):
            guard.search(query, refuse, provider="searxng")
    with pytest.raises(SearchError):
        guard.search("rain", refuse, provider="searxng")
    it.dialog.bring_up()
    it.dialog.tabs.setCurrentWidget(it.dialog.doctor)
    it.until(lambda: "Sent: 2" in it.search.guard.text())
    assert "refused while paused: 1" in it.search.guard.text()
    assert "Paused for 5 min, until " in it.search.guard.text()
    assert "(brave: too many)" in it.search.guard.text()


def test_blanks_around_a_value_of_the_file_are_no_change(opened: Open) -> None:
    it = opened(ON + SEARXNG + 'search_categories = " general "\n')
    assert it.search.changes() == {}
