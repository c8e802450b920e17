"""Who is asked to search, out of the settings in force: the provider, its key, and whether models may search now."""

from __future__ import annotations

import os
from collections.abc import Callable, Iterator
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path

from llamachat.config.schema import Config
from llamachat.core.cancel import CancelToken
from llamachat.core.check_step import CheckStep
from llamachat.core.egress import NoEgressLog
from llamachat.core.errors import SearchError
from llamachat.core.seams import Clock, Consent, EgressLog, Secrets
from llamachat.core.text import tr
from llamachat.core.web_address import host_of
from llamachat.engines.page_process import PageProcesses
from llamachat.key_store import KeyStore
from llamachat.search import SearxngSettings
from llamachat.websearch.budget import search_budget
from llamachat.websearch.doctor import Patient, examine
from llamachat.websearch.given_up import GivenUp
from llamachat.websearch.guard import Guard, GuardLimits
from llamachat.websearch.provider import OwnSearxng, Provider
from llamachat.websearch.reader import PageReader, PageSettings
from llamachat.websearch.registry import KEY_VARIABLES, ProviderSettings, make_provider
from llamachat.websearch.service import PageReading, SearchManners, WebSearch

SEARXNG_URL = "SEARXNG_URL"


@dataclass(frozen=True, slots=True)
class SearchPermission:
    """Whether models may search, and a sentence that says so, or why not and what to do.

    configured: the provider has all it needs, so that only the switch is missing where `ready` is false.
    """

    ready: bool
    sentence: str
    configured: bool = False


class SearchChoice:
    """Looks the settings up anew at each call, so that an edit counts from the next search on."""

    def __init__(
        self,
        config: Callable[[], Config],
        guard_file: Path,
        *,
        clock: Clock,
        log: EgressLog | None = None,
        own_searxng: OwnSearxng | None = None,
        key_lock: Path | None = None,
    ) -> None:
        """guard_file: what all processes of a person share of the guard. `consent` may be set: it asks the user.

        own_searxng: what the setting of that name means. key_lock: see KeyStore.
        """
        self.keys = KeyStore(KEY_VARIABLES, lock_file=key_lock)
        self.consent: Consent | None = None
        self.given_up = GivenUp(clock=clock)
        self._config, self._clock = config, clock
        self._guard = Guard(guard_limits(config()), guard_file, clock=clock)
        self._log = log or NoEgressLog()
        self._own_searxng = own_searxng

    def permission(self, name: str = "") -> SearchPermission:
        """Whether searches may go out now, in words; `name`: through this provider, not that of the settings.

        Never blocks: a key that was not looked up yet counts as there.
        """
        enabled = self._config().search_enabled
        provider = self._provider(name or self._config().search_provider, _Known(self.keys))
        missing = provider.configured()
        if missing and not enabled:
            steps = tr("Then set search_enabled = true in config.toml.")
            sentence = f"{tr('Web search is off.')} {missing} {steps}"
        elif missing:
            sentence = missing
        elif not enabled:
            sentence = f"{tr('Web search is off.')} {tr('Set search_enabled = true in config.toml.')}"
        elif provider.is_cloud:
            sentence = tr("The model may search the web through {provider}, a third party.").format(
                provider=provider.name
            )
        else:
            sentence = tr("The model may search the web through your SearXNG.")
        return SearchPermission(enabled and not missing, sentence, configured=not missing)

    def look_up_key(self, name: str = "") -> None:
        """See whether the provider has a key, for `permission`. May block: not for the window's thread."""
        if self._config().search_enabled:
            with suppress(SearchError):  # of a keyring that cannot be read now: the search itself will say so
                self.keys.get(name or self._config().search_provider)

    @property
    def key_unknown(self) -> bool:
        """Whether a key is needed that was not looked up yet; none is while search is off."""
        config = self._config()
        name = config.search_provider
        return config.search_enabled and name in KEY_VARIABLES and self.keys.known(name) is None

    def provider(self, name: str = "") -> Provider:
        """The provider of this name, or the one of the settings."""
        return self._provider(name or self._config().search_provider, self.keys)

    @property
    def guard(self) -> Guard:
        """The guard in front of every search, with the limits of the settings."""
        return self._limited(self._guard)

    def _limited(self, guard: Guard) -> Guard:
        guard.limits = guard_limits(self._config())
        return guard

    def web_search(
        self,
        name: str = "",
        *,
        count: int = 0,
        asked_by_user: bool = False,
        context_tokens: int | None = None,
        reads_pages: bool = True,
        log: EgressLog | None = None,
        guard: Guard | None = None,
        chat_id: int | None = None,
    ) -> WebSearch:
        """The search; a provider that lacks something makes every search a record that says so.

        name, count: in the place of what the settings say. asked_by_user: who wrote the query is not asked about it.
        context_tokens: the model's context, of which pages get a part; None where it is not known. reads_pages: False
        reads none, whatever the settings say. log, guard: in the place of the program's own.
        chat_id: the chat that searches.
        """
        log = log or self._log
        config = self._config()
        amount = count or config.search_results, config.search_snippet_chars
        manners = SearchManners(
            self._limited(guard or self._guard),
            scope=(self.searxng_url(), config.search_language, config.search_categories, *amount),
            confirm="never" if asked_by_user else config.search_confirm,
            consent=self.consent,
            pages=self._page_reading(context_tokens, log) if reads_pages else None,
            chat_id=chat_id,
        )
        provider = self._provider(name or config.search_provider, self.keys, count=count, log=log)
        return WebSearch(provider, manners, clock=self._clock)

    def examine(self, cancel: CancelToken, name: str = "") -> Iterator[CheckStep]:
        """Take the way of a search step by step, up to what is wrong; `name`: through this provider.

        One that gave a key up is asked again. Blocks; raises Cancelled only.
        """
        self.given_up.clear()
        patient = Patient(
            self.provider(name),
            self.guard,
            self.web_search(name, asked_by_user=True),
            enabled=self._config().search_enabled,
        )
        yield from examine(patient, cancel)

    def paused(self) -> str:
        """Why no search can go out now, "" where one can."""
        refusal = self.guard.refusal(self._config().search_provider)
        return str(refusal) if refusal else ""

    def searxng_url(self) -> str:
        """The address of SearXNG: of the settings, else of the environment. It may hold a password.

        "" where the one that the program has installed is meant.
        """
        config = self._config()
        return config.search_url or ("" if config.own_searxng else os.environ.get(SEARXNG_URL, ""))

    def needs_own_searxng(self) -> bool:
        """Whether searches go to the SearXNG that the program has installed, by the settings."""
        config = self._config()
        chosen = config.search_enabled and config.search_provider == "searxng"
        return chosen and config.own_searxng and not config.search_url

    def _page_reading(self, context_tokens: int | None, log: EgressLog) -> PageReading | None:
        config = self._config()
        if not config.read_pages:
            return None
        servers = [config.active_server(), *config.servers.values()]
        own = [self.searxng_url(), config.jina_url, config.ollama_url, *(server.base_url for server in servers)]
        settings = PageSettings(
            config.page_reader, config.jina_url, off_limits=tuple(filter(None, (_host(url) for url in own)))
        )
        reader = PageReader(settings, extractor=PageProcesses(), log=log, clock=self._clock)
        limit = config.page_text_limit
        budget = search_budget(context_tokens, pages=config.read_pages, page_limit=limit)
        return PageReading(reader, config.read_pages, limit_chars=budget, page_limit=limit)

    def _provider(self, name: str, secrets: Secrets, *, count: int = 0, log: EgressLog | None = None) -> Provider:
        config = self._config()
        searxng = SearxngSettings(
            url=self.searxng_url(),
            count=count or config.search_results,
            snippet_chars=config.search_snippet_chars,
            timeout_s=config.search_timeout,
            language=config.search_language,
            categories=config.search_categories,
            ca_file=config.search_ca_file,
        )
        ollama = config.ollama_url if "://" in config.ollama_url else f"http://{config.ollama_url}"
        own = self._own_searxng if config.own_searxng and not config.search_url else None
        settings = ProviderSettings(searxng, addresses={"ollama": ollama}, own_searxng=own)
        return make_provider(
            name,
            settings,
            secrets=secrets,
            log=log or self._log,
            clock=self._clock,
            given_up=self.given_up,
        )


def _host(url: str) -> str:
    return host_of(url if "://" in url else f"http://{url}")


def guard_limits(config: Config) -> GuardLimits:
    """The guard's limits in the settings."""
    return GuardLimits(
        cache_s=config.search_cache_s,
        burst=config.search_burst,
        refill_s=config.search_refill_s,
        trip_after=config.search_trip_after,
        pause_s=config.search_pause_s,
        pause_max_s=config.search_pause_max_s,
    )


class _Known:
    """The Secrets seam for whether there is a key, without asking for it."""

    def __init__(self, keys: KeyStore) -> None:
        self._keys = keys

    def get(self, name: str) -> str:
        return "" if self._keys.known(name) is False else "?"
