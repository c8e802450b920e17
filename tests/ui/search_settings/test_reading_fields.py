"""Reading pages in the settings: numbers that suit the context, who fetches, and who could see the addresses."""

from __future__ import annotations

import pytest

from tests.fakes.scripted_llama import ScriptedLlama, says
from tests.ui.search_settings.conftest import ON, SEARXNG, Open, Opened


def numbers(it: Opened) -> tuple[int, int, int]:
    """Results, pages, characters of a page."""
    reading = it.search.reading
    return it.search.results.value, reading.pages.value, reading.limit.value


@pytest.mark.claim("ST-028")
@pytest.mark.parametrize(
    ("context", "wanted", "said"),
    [
        (16_384, (4, 1, 3_000), "a context of 16,384 tokens: 4 results, 1 page, 3,000 characters"),
        (131_072, (6, 2, 5_000), "a context of 131,072 tokens: 6 results, 2 pages, 5,000 characters"),
        (262_144, (8, 3, 5_000), "a context of 262,144 tokens: 8 results, 3 pages, 5,000 characters"),
        (None, (5, 1, 5_000), "does not say how long its context is. Set: 5 results, 1 page, 5,000 characters"),
    ],
)
def test_the_first_use_sets_numbers_that_suit_the_context(
    opened: Open, context: int | None, wanted: tuple[int, int, int], said: str
) -> None:
    with ScriptedLlama(says("x")) as llama:
        llama.n_ctx = context
        it = opened(ON + SEARXNG, llama.base_url)
        it.search.reading.switch.box.click()
        it.until(it.search.reading.suited.isVisible)
        assert said in it.search.reading.suited.text()
        assert numbers(it) == wanted
        it.apply()
    config = it.app.config
    assert (config.search_results, config.read_pages, config.page_text_limit) == wanted


def test_without_a_server_the_numbers_are_those_for_an_unknown_context(opened: Open) -> None:
    it = opened(ON + SEARXNG)
    it.search.reading.switch.box.click()
    it.until(it.search.reading.suited.isVisible)
    assert numbers(it) == (5, 1, 5_000)


def test_what_somebody_has_set_before_stays(opened: Open) -> None:
    with ScriptedLlama(says("x")) as llama:
        llama.n_ctx = 262_144
        it = opened(ON + SEARXNG + "search_results = 3\npage_text_limit = 0\n", llama.base_url)
        it.search.reading.switch.box.click()
        it.until(it.search.reading.suited.isVisible)
        assert numbers(it) == (3, 3, 0)


def test_pages_that_are_read_already_are_not_counted_anew(opened: Open) -> None:
    with ScriptedLlama(says("x")) as llama:
        it = opened(ON + SEARXNG + "read_pages = 4\n", llama.base_url)
        reading = it.search.reading
        assert reading.switch.value is True
        reading.switch.box.click()
        assert not reading.pages.isVisible()
        reading.switch.box.click()
        assert not reading.suited.isVisible()
        assert reading.pages.value == 4
        reading.pages.set_value(0)
        assert reading.switch.value is False


@pytest.mark.claim("ST-026")
def test_each_reader_is_explained_and_a_third_party_that_sees_addresses_is_named(opened: Open) -> None:
    it = opened(ON + SEARXNG + "read_pages = 1\n")
    reading = it.search.reading
    explained, warned = set(), []
    for reader in ("direct", "jina_fallback", "jina"):
        reading.reader.set_value(reader)
        explained.add(reading.reader.note.text())
        warned.append(reading.warning.isVisible())
        assert reading.jina_url.isVisible() is (reader != "direct")
    assert (len(explained), warned) == (3, [False, True, True])
    assert reading.warning.label.text() == "Jina AI, a third party, sees the address of every page."
    reading.jina_url.set_value("http://127.0.0.1:3000")
    assert not reading.warning.isVisible()
    reading.jina_url.set_value("https://reader.example")
    assert "reader.example, a third party" in reading.warning.label.text()


def test_no_reader_is_warned_of_while_no_page_is_read(opened: Open) -> None:
    it = opened(ON + SEARXNG + 'page_reader = "jina"\n')
    assert not it.search.reading.warning.isVisible()
    assert not it.search.reading.reader.isVisible()
