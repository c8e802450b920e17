"""What people are told when search is switched on, and in an empty chat: who is asked, who reads, who can see it."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import pytest

from llamachat.app import App, build_app
from llamachat.config.paths import resolve_paths
from llamachat.ui.empty_chat import empty_text
from llamachat.ui.search_words import address_warning, switched_on

LOCAL = "http://127.0.0.1:9"
UNENCRYPTED = "Queries cross the network unencrypted, and can be read there."


@pytest.fixture
def app_with(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Callable[[str], App]:
    """The program with these lines in config.toml."""
    for variable in ("SEARXNG_URL", "BRAVE_API_KEY"):
        monkeypatch.delenv(variable, raising=False)

    def make(text: str) -> App:
        (tmp_path / "config.toml").write_text(text, encoding="utf-8")
        return build_app(resolve_paths(tmp_path / "config.toml", tmp_path / "data"))

    return make


def searching(url: str, server: str = LOCAL, more: str = "") -> str:
    return f'base_url = "{server}"\nsearch_enabled = true\nsearch_url = "{url}"\n{more}'


@pytest.mark.claim("ST-043")
@pytest.mark.parametrize(
    ("text", "warned"),
    [
        (searching("http://box.lan:8888"), True),
        (searching("box.lan:8888"), True),
        (searching("https://box.lan:8888"), False),
        (searching("http://127.0.0.1:8888"), False),
        (searching("http://localhost:8888"), False),
        (searching(LOCAL, server="http://box.lan:8080"), True),
        (searching(LOCAL, server="box.lan:8080"), True),
        (searching(LOCAL, server="https://box.lan:8080"), False),
        (searching(LOCAL, more='search_provider = "ollama"\nollama_url = "http://box.lan:11434"\n'), True),
        (searching("http://box.lan:8888", more='search_provider = "duckduckgo"\n'), False),
    ],
)
def test_an_address_that_can_be_read_on_its_way_is_told_and_no_other(
    app_with: Callable[[str], App], text: str, *, warned: bool
) -> None:
    assert (UNENCRYPTED in list(switched_on(app_with(text)))) is warned


@pytest.mark.claim("ST-006")
def test_the_provider_and_the_reader_are_named(app_with: Callable[[str], App]) -> None:
    own = " ".join(switched_on(app_with(searching(LOCAL, more="read_pages = 2\n"))))
    assert "queries go to SearXNG at 127.0.0.1." in own
    assert "Pages are fetched by this program alone" in own
    assert "third party" not in own
    more = 'search_provider = "brave"\nread_pages = 2\npage_reader = "jina"\n'
    cloud = " ".join(switched_on(app_with(searching(LOCAL, more=more))))
    for words in (
        "queries go to Brave",
        "Brave is a third party and sees every query.",
        "All pages go through Jina Reader",
        "Jina AI, a third party, sees the address of every page.",
    ):
        assert words in cloud


@pytest.mark.parametrize(
    ("reader", "url", "who"),
    [
        ("direct", "https://reader.example", ""),
        ("jina", "", "Jina AI"),
        ("jina_fallback", "", "Jina AI"),
        ("jina", "https://reader.example/x", "reader.example"),
        ("jina", "reader.example", "reader.example"),
        ("jina", "http://127.0.0.1:3000", ""),
        ("jina", "https://192.168.1.5:3000", ""),
    ],
)
def test_who_could_see_the_addresses_of_pages(reader: str, url: str, who: str) -> None:
    assert address_warning(reader, url).partition(",")[0] == who


@pytest.mark.parametrize(("url", "warned"), [("box.lan:3000", True), ("https://box.lan", False), ("[::1]:3", False)])
def test_addresses_that_can_be_read_on_their_way_are_told(url: str, *, warned: bool) -> None:
    assert ("Addresses of pages cross the network unencrypted" in address_warning("jina", url)) is warned
    assert "third party" not in address_warning("jina", url)


@pytest.mark.claim("ST-046")
def test_an_empty_chat_says_that_nothing_leaves_and_that_search_is_off_by_default(
    app_with: Callable[[str], App],
) -> None:
    text = empty_text(app_with(f'base_url = "{LOCAL}"\n'))
    assert "The model runs on this computer: what you write stays here." in text
    assert "Web search is off, as it is by default. When it is on, only the search query goes out." in text


@pytest.mark.claim("ST-046")
def test_an_empty_chat_says_what_else_goes_out_as_it_is_set(app_with: Callable[[str], App]) -> None:
    text = empty_text(app_with(searching(LOCAL, server="http://box.lan:8080", more="read_pages = 1\n")))
    assert "What you write goes to box.lan:8080, and can be read on the network between." in text
    assert "The search query goes out to your SearXNG, and pages that were found are read." in text
    assert "only the search query" not in text.lower()
    more = 'search_provider = "duckduckgo"\nread_pages = 1\npage_reader = "jina_fallback"\n'
    text = empty_text(app_with(searching(LOCAL, more=more)))
    assert "goes out to DuckDuckGo, a third party, and pages" in text
    assert "Jina AI, a third party, sees the address of each page that goes through Jina Reader." in text
    off = empty_text(app_with(f'base_url = "{LOCAL}"\nread_pages = 1\n'))
    assert "When it is on, the search query goes out, and pages that were found are read." in off


def test_an_empty_chat_does_not_call_a_search_off_by_default_that_lacks_something(
    app_with: Callable[[str], App],
) -> None:
    text = empty_text(app_with(searching("")))
    assert "Web search is off: it lacks what it needs." in text
