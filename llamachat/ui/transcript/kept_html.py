"""The HTML of bodies as they were drawn, kept of long ones: another size or theme need not read their Markdown again.

No Qt.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass

from llamachat.core.messages import StoredMessage
from llamachat.render.incremental import Piece, normalize
from llamachat.render.limits import Limits, drawn_part

LONG = 10_000  # characters; a shorter one is drawn in some milliseconds


@dataclass(frozen=True, slots=True)
class KeptHtml:
    """A body as it is drawn, and what that depends on. cut: not all of the text is in it."""

    html: str
    cut: bool
    message: StoredMessage
    limits: Limits | None

    @property
    def is_long(self) -> bool:
        """Whether it is worth being kept."""
        return len(self.message.content) >= LONG

    def fits(self, message: StoredMessage, limits: Limits | None) -> bool:
        """Whether the body of `message` would be drawn in the same way now."""
        return limits == self.limits and _drawn_from(message) == _drawn_from(self.message)


def as_drawn(pieces: Sequence[Piece], message: StoredMessage, *, limits: Limits | None, cut: bool) -> KeptHtml:
    """A body that is drawn as a whole."""
    return KeptHtml("".join(piece.html for piece in pieces), cut, message, limits)


def kept_or_drawn(
    kept: KeptHtml | None, message: StoredMessage, *, limits: Limits | None, draw: Callable[[], Sequence[Piece]]
) -> KeptHtml:
    """What was kept, where it would be drawn in the same way now; else what `draw` gives."""
    if kept and kept.fits(message, limits):
        return kept
    return as_drawn(draw(), message, limits=limits, cut=drawn_part(normalize(message.content), limits)[1])


def _drawn_from(message: StoredMessage) -> tuple[object, ...]:
    return message.id, message.role, message.content, message.searches
