"""A message of the document: how many blocks its parts have, and what else is known of it while it is shown."""

from __future__ import annotations

from dataclasses import dataclass, field

from llamachat.core.messages import StoredMessage
from llamachat.ui.transcript.body import GrowingBody
from llamachat.ui.transcript.kept_html import KeptHtml
from llamachat.ui.transcript.live_turn import LiveTurn
from llamachat.ui.transcript.parts import Part


@dataclass(eq=False)
class Entry:
    """A message in the document. counts: the number of blocks of each part. shown: the HTML of all but the body.

    notices: what was said about the turn while it ran. waiting, live: only while the answer comes.
    body: while it comes, and while a long one is not drawn as a whole. kept: its HTML, of a long one that is.
    drawn: how often the body was drawn as a whole. plain: it cannot be drawn as Markdown. cut: not all is shown.
    """

    message: StoredMessage
    counts: list[int] = field(default_factory=lambda: [0] * len(Part))
    notices: list[str] = field(default_factory=list)
    waiting: str = ""
    live: LiveTurn | None = None
    body: GrowingBody | None = None
    kept: KeptHtml | None = None
    drawn: int = 0
    shown: dict[Part, str] = field(default_factory=dict)
    plain: bool = False
    cut: bool = False

    @property
    def unfinished(self) -> bool:
        """True while some of the text that is there is still to be drawn, or its end to be told."""
        return self.body is not None and (self.live is None or self.body.taken < len(self.message.content))

    @property
    def total(self) -> int:
        """How many blocks the message has."""
        return sum(self.counts)
