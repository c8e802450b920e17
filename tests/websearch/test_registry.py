"""Search providers as a whole: one list, one seam, hosts named in one folder, and a toy among them."""

from __future__ import annotations

import re
from pathlib import Path
from urllib.parse import urlsplit

import pytest

from llamachat.config.option import options
from llamachat.config.search_settings import SearchSettings
from llamachat.core.cancel import CancelToken
from llamachat.core.search_record import SearchResult
from llamachat.search import SearxngSettings, search
from llamachat.searxng.answer import SearchAnswer
from llamachat.websearch.provider import Provider
from llamachat.websearch.registry import KEY_VARIABLES, PROVIDERS
from tests.fakes.replay import replay
from tests.fakes.searching import search_through
from tests.websearch.provider_world import KEY, FixedKeys, provider_at, success_of

PACKAGE = Path(__file__).resolve().parent.parent.parent / "llamachat"


@pytest.mark.claim("AD-023")
def test_the_setting_takes_exactly_the_providers_there_are() -> None:
    assert options(SearchSettings)["search_provider"].choices == tuple(PROVIDERS)


@pytest.mark.claim("AD-003", "AD-017")
@pytest.mark.parametrize("name", PROVIDERS)
def test_every_provider_says_what_it_is(name: str) -> None:
    provider = provider_at(name, "http://127.0.0.1:1")
    assert provider.id == name
    assert provider.name
    assert provider.host
    assert provider.is_cloud == provider.requires_upload_warning == (name != "searxng")
    assert provider.configured() == ""
    assert KEY not in repr(provider)


def test_the_services_that_need_a_key_are_the_seven_that_sell_one() -> None:
    assert list(KEY_VARIABLES) == ["brave", "tavily", "serper", "exa", "perplexity", "serpapi", "firecrawl"]
    assert all(variable == f"{name.upper()}_API_KEY" for name, variable in KEY_VARIABLES.items())


@pytest.mark.claim("AD-010", "AD-001")
@pytest.mark.parametrize("name", ["", "bing", "Brave"])
def test_a_name_that_there_is_not_means_searxng(name: str) -> None:
    keys = FixedKeys()
    assert provider_at(name, "http://127.0.0.1:1", keys=keys).id == "searxng"
    assert keys.asked == []


@pytest.mark.claim("AD-005")
def test_the_searxng_provider_finds_what_the_client_finds() -> None:
    case = success_of("searxng")
    with replay(case.behaviour) as server:
        direct = search(server.url, "lock gates", 5, 300, 20)
        through = provider_at("searxng", server.url).search("lock gates", CancelToken())
    assert [tuple(result.values()) for result in direct] == [(r.title, r.url, r.content) for r in through.results]
    assert through.engines == (("brave", "too many requests"),)
    one, two = (request.partition(b"\r\n\r\n")[2] for request in server.received)
    assert one == two


def test_searxng_without_an_address_is_not_configured() -> None:
    provider = provider_at("searxng", "")
    assert "search_url" in provider.configured()
    assert provider.host == ""


def test_a_password_in_the_address_is_not_told_as_its_host() -> None:
    assert provider_at("searxng", "http://me:hunter2@127.0.0.1:1/s").host == "127.0.0.1"
    assert "hunter2" not in repr(SearxngSettings("http://me:hunter2@127.0.0.1:1"))


@pytest.mark.claim("AD-022")
def test_hosts_of_services_are_named_in_their_own_files_alone() -> None:
    hosts = {urlsplit(adapter.address).hostname or "" for adapter in PROVIDERS.values() if adapter} - {"127.0.0.1"}
    domains = {".".join(host.split(".")[-2:]) for host in hosts} | {"ollama.com"}
    assert len(domains) == 9
    assert _named_outside(domains) == []
    assert _named_outside({"llama-server"}) != []  # the search itself finds things


def _named_outside(words: set[str]) -> list[str]:
    """The files outside `providers` that hold one of the words."""
    pattern = re.compile("|".join(map(re.escape, sorted(words))), re.IGNORECASE)
    allowed = PACKAGE / "websearch" / "providers"
    files = [path for path in PACKAGE.rglob("*.py") if not path.is_relative_to(allowed)]
    return [path.name for path in files if pattern.search(path.read_text(encoding="utf-8"))]


class Toy:
    """A provider in a few lines."""

    id = name = "toy"
    is_cloud = requires_upload_warning = False
    host = "toy.example"

    def configured(self) -> str:
        return ""

    def search(self, query: str, cancel: CancelToken) -> SearchAnswer:
        return SearchAnswer((SearchResult(query, "https://toy.example/", "A toy."),), asked=query)


@pytest.mark.claim("AD-003")
def test_a_toy_is_a_provider_like_any_other() -> None:
    toy: Provider = Toy()
    record = search_through(toy).find("tides", CancelToken())
    assert (record.provider, record.error) == ("toy", "")
    assert record.results == (SearchResult("tides", "https://toy.example/", "A toy."),)


@pytest.mark.claim("AD-011")
def test_only_the_registry_knows_single_services() -> None:
    importing = [
        path.relative_to(PACKAGE).as_posix()
        for path in PACKAGE.rglob("*.py")
        if re.search(r"websearch\.providers\.(?!jina)", path.read_text(encoding="utf-8"))
    ]
    assert [name for name in importing if not name.startswith("websearch/providers/")] == ["websearch/registry.py"]


@pytest.mark.claim("AD-021", "ST-049")
@pytest.mark.parametrize("name", PROVIDERS)
def test_the_documentation_says_what_each_needs_and_that_none_was_tried_live(name: str) -> None:
    text = (PACKAGE.parent / "docs" / "providers.md").read_text(encoding="utf-8")
    (row,) = [line for line in text.splitlines() if line.startswith(f"| `{name}` ")]
    assert ("not verified live" in row) == (name != "searxng")
    assert ("unofficial" in row) == (name == "duckduckgo")
    assert KEY_VARIABLES.get(name, "") in row
