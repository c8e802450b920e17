"""The SearXNG that the program has installed for the user: started before it is asked."""

from __future__ import annotations

from dataclasses import replace

from llamachat.core.cancel import CancelToken
from llamachat.core.errors import Cancelled, EngineError, SearchCause, SearchError
from llamachat.core.seams import Clock, EgressLog
from llamachat.core.text import tr
from llamachat.search import SearxngSettings, plain_query, search_searxng
from llamachat.searxng.answer import SearchAnswer
from llamachat.websearch.journaling import journaled
from llamachat.websearch.provider import OwnSearxng
from llamachat.websearch.providers.searxng import SearxngProvider


class OwnSearxngProvider:
    """Asks it, in the place of the SearXNG of the settings."""

    id = SearxngProvider.id
    name = SearxngProvider.name
    is_cloud = False
    requires_upload_warning = False

    def __init__(self, own: OwnSearxng, settings: SearxngSettings, *, log: EgressLog, clock: Clock) -> None:
        self._own, self._settings, self._log, self._clock = own, settings, log, clock

    @property
    def host(self) -> str:
        """Where queries end up: it runs on this machine and hands them on."""
        return tr("127.0.0.1 and public search engines")

    def configured(self) -> str:
        """ "" where it is installed."""
        if self._own.installed():
            return ""
        return tr(
            "Your own SearXNG is not installed. Install it with llamachat search --install-searxng, or name another "
            "one in search_url."
        )

    def search(self, query: str, cancel: CancelToken) -> SearchAnswer:
        """Start it, if it does not run, and search once; raises SearchError, or Cancelled once the token is set."""
        if missing := self.configured():
            raise SearchError(missing, cause=SearchCause.NOT_CONFIGURED)
        try:
            settings = replace(self._settings, url=self._own.start(cancel))
        except Cancelled:  # perhaps not by Stop, and then the turn goes on
            cancel.raise_if_cancelled()
            off = tr("Your own SearXNG was switched off while it started.")
            raise SearchError(off, cause=SearchCause.NOT_CONFIGURED) from None
        except EngineError as failed:
            raise SearchError(failed.sentence, failed.next_step, cause=SearchCause.UNREACHABLE) from failed
        with journaled(self._log, self._clock, host=self.host, what="search", query=plain_query(query)) as traffic:
            return search_searxng(query, settings, cancel=cancel, traffic=traffic)
