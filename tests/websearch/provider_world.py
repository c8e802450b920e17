"""Search services as their recorded answers have them, on loopback, and providers that ask there."""

from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path

from llamachat.core.messages import JsonObject
from llamachat.core.seams import Clock, EgressLog, Secrets
from llamachat.search import SearxngSettings
from llamachat.websearch.provider import Provider
from llamachat.websearch.registry import PROVIDERS, ProviderSettings, make_provider
from tests.fakes.replay import Behaviour, answer
from tests.fakes.searching import KeptEgress
from tests.fakes.still_clock import StillClock

KEY = "sk-0123456789abcdefghij"
CLOUD = [name for name in PROVIDERS if name != "searxng"]
_DATA = Path(__file__).resolve().parent.parent / "data" / "providers"


@dataclass(frozen=True)
class Case:
    """One recorded answer, and what is to be made of it."""

    provider: str
    case: str
    status: int
    headers: Mapping[str, str]
    body: JsonObject | str
    expect: JsonObject

    @property
    def behaviour(self) -> Behaviour:
        """The server that gives it."""
        body = self.body if isinstance(self.body, str) else json.dumps(self.body)
        return answer(self.status, self.headers, body.encode())


@dataclass
class FixedKeys:
    """The Secrets seam: the same key for each service."""

    key: str = field(default=KEY, repr=False)
    asked: list[str] = field(default_factory=list)

    def get(self, name: str) -> str:
        self.asked.append(name)
        return self.key


def recorded() -> list[Case]:
    """Every recorded answer of every service."""
    found = []
    for file in [_DATA / "more.json", *(_DATA / f"{name}.json" for name in PROVIDERS)]:
        rows = json.loads(file.read_text(encoding="utf-8"))
        found += [Case(**{"provider": file.stem, **row}) for row in rows]
    return found


def case_of(provider: str, case: str) -> Case:
    """The recorded answer of this name."""
    return next(one for one in recorded() if (one.provider, one.case) == (provider, case))


def success_of(provider: str) -> Case:
    """An answer of the service with results."""
    return next(one for one in recorded() if one.provider == provider and one.expect.get("results"))


def provider_at(
    name: str,
    url: str,
    *,
    keys: Secrets | None = None,
    log: EgressLog | None = None,
    clock: Clock | None = None,
    count: int = 5,
    snippet_chars: int = 300,
    timeout_s: float = 20,
) -> Provider:
    """The provider, with its service at this address."""
    searxng = SearxngSettings(url, count=count, snippet_chars=snippet_chars, timeout_s=timeout_s)
    return make_provider(
        name,
        ProviderSettings(searxng, addresses={} if name == "searxng" else {name: url}),
        secrets=keys or FixedKeys(),
        log=log or KeptEgress(),
        clock=clock or StillClock(),
    )
