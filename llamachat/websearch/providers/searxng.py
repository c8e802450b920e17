"""SearXNG, the default: one's own server, asked by the client in `search.py`."""

from __future__ import annotations

from llamachat.core.cancel import CancelToken
from llamachat.core.errors import SearchError
from llamachat.core.seams import Clock, EgressLog
from llamachat.core.web_address import host_of
from llamachat.search import SearxngSettings, check_search_url, plain_query, search_searxng
from llamachat.searxng.address import searxng_address
from llamachat.searxng.answer import SearchAnswer
from llamachat.websearch.journaling import journaled


class SearxngProvider:
    """Asks the SearXNG of the settings."""

    id = "searxng"
    name = "SearXNG"
    is_cloud = False
    requires_upload_warning = False

    def __init__(self, settings: SearxngSettings, *, log: EgressLog, clock: Clock) -> None:
        self._settings, self._log, self._clock = settings, log, clock

    @property
    def host(self) -> str:
        """The host of the SearXNG, "" where none is set."""
        try:
            return host_of(searxng_address(self._settings.url).site)
        except SearchError:
            return ""

    def configured(self) -> str:
        """ "" where an address is set that can be used."""
        return check_search_url(self._settings.url) or ""

    def search(self, query: str, cancel: CancelToken) -> SearchAnswer:
        """Search once; raises SearchError, or Cancelled as soon as the token is set."""
        asked = plain_query(query)
        with journaled(self._log, self._clock, host=self.host, what="search", query=asked) as traffic:
            return search_searxng(query, self._settings, cancel=cancel, traffic=traffic)
