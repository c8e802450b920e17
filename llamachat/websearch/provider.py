"""The seam of search providers: what the rest of the search knows of each of them."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Protocol

from llamachat.core.cancel import CancelToken
from llamachat.searxng.answer import SearchAnswer


class Provider(Protocol):
    """Somebody who can be asked to search the web."""

    @property
    def id(self) -> str:
        """The value of `search_provider`, such as "brave"."""
        ...

    @property
    def name(self) -> str:
        """The name for people, such as "Brave"."""
        ...

    @property
    def is_cloud(self) -> bool:
        """Whether queries go to a company that answers them on its own machines."""
        ...

    @property
    def requires_upload_warning(self) -> bool:
        """Whether people are warned that queries go to a third party."""
        ...

    @property
    def host(self) -> str:
        """Where queries go, for people."""
        ...

    def configured(self) -> str:
        """ "" when it can be asked, else one sentence that says what is missing and how to set it.

        May ask the system for a key, and block for two seconds.
        """
        ...

    def search(self, query: str, cancel: CancelToken) -> SearchAnswer:
        """Search once; raises SearchError and Cancelled, nothing else."""
        ...


@dataclass(frozen=True, slots=True)
class OwnSearxng:
    """The SearXNG that the program has installed. installed: whether it can be started.

    start: gives its address, where need be after some seconds; raises EngineError, or Cancelled.
    """

    start: Callable[[CancelToken], str]
    installed: Callable[[], bool]
