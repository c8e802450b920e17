"""Every search provider by the value of `search_provider`, and the making of one."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field

from llamachat.core.seams import Clock, EgressLog, Secrets
from llamachat.search import SearxngSettings
from llamachat.websearch.adapter import Adapter
from llamachat.websearch.cloud import CloudProvider, Extent
from llamachat.websearch.given_up import GivenUp
from llamachat.websearch.provider import OwnSearxng, Provider
from llamachat.websearch.providers.brave import BRAVE
from llamachat.websearch.providers.duckduckgo import DUCKDUCKGO
from llamachat.websearch.providers.exa import EXA
from llamachat.websearch.providers.firecrawl import FIRECRAWL
from llamachat.websearch.providers.ollama import OLLAMA
from llamachat.websearch.providers.own_searxng import OwnSearxngProvider
from llamachat.websearch.providers.perplexity import PERPLEXITY
from llamachat.websearch.providers.searxng import SearxngProvider
from llamachat.websearch.providers.serpapi import SERPAPI
from llamachat.websearch.providers.serper import SERPER
from llamachat.websearch.providers.tavily import TAVILY

_ADAPTERS = (DUCKDUCKGO, BRAVE, TAVILY, SERPER, EXA, PERPLEXITY, SERPAPI, FIRECRAWL, OLLAMA)

# None: SearXNG, which has no adapter.
PROVIDERS: Mapping[str, Adapter | None] = {
    SearxngProvider.id: None,
    **{adapter.id: adapter for adapter in _ADAPTERS},
}
KEY_VARIABLES: Mapping[str, str] = {adapter.id: adapter.key_variable for adapter in _ADAPTERS if adapter.key_variable}


@dataclass(frozen=True, slots=True)
class ProviderSettings:
    """What providers are made of. addresses: by provider, in the place of the ones they have.

    own_searxng: asked in the place of the SearXNG of `searxng`.
    """

    searxng: SearxngSettings
    addresses: Mapping[str, str] = field(default_factory=dict)
    own_searxng: OwnSearxng | None = None


def make_provider(
    name: str,
    settings: ProviderSettings,
    *,
    secrets: Secrets,
    log: EgressLog,
    clock: Clock,
    given_up: GivenUp | None = None,
) -> Provider:
    """The provider of this name; SearXNG for every name that there is not.

    given_up: shared by all that are made, so that a key that was not accepted is not sent again by the next one.
    """
    adapter = PROVIDERS.get(name)
    searxng = settings.searxng
    if adapter is None and settings.own_searxng:
        return OwnSearxngProvider(settings.own_searxng, searxng, log=log, clock=clock)
    if adapter is None:
        return SearxngProvider(searxng, log=log, clock=clock)
    extent = Extent(searxng.count, searxng.snippet_chars, searxng.timeout_s)
    address = settings.addresses.get(name, "")
    known = given_up or GivenUp(clock=clock)
    return CloudProvider(adapter, extent, secrets=secrets, log=log, clock=clock, given_up=known, address=address)
