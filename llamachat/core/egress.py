"""One request that left for anything but the model server, as the journal keeps it."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, replace


@dataclass(frozen=True, slots=True)
class Egress:
    """A request and how it ended. Holds no key and no password.

    at: seconds since 1970. host: whom it was sent to. what: "search", "page", "jina" or "package". query: the words
    or the address that were sent. bytes_out, bytes_in: with the headers, as far as they are known. outcome: "ok",
    or why there was no answer. message_id: the answer it was made for, 0 for none.
    """

    at: float
    host: str
    what: str
    query: str = ""
    bytes_out: int = 0
    bytes_in: int = 0
    seconds: float = 0.0
    outcome: str = ""
    message_id: int = 0


class NoEgressLog:
    """The EgressLog seam where nothing is kept."""

    def record(self, egress: Egress) -> None:
        """Forget it."""


@dataclass(frozen=True, slots=True)
class EgressOf:
    """The EgressLog seam for what is done for one answer: `kept` gets each request with the answer's id."""

    message_id: int
    kept: Callable[[Egress], None]

    def record(self, egress: Egress) -> None:
        """Hand it on."""
        self.kept(replace(egress, message_id=self.message_id))
