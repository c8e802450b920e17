"""How searches stand, in words: how many went out, what was held back, until when and why. No Qt."""

from __future__ import annotations

from datetime import datetime, tzinfo

from llamachat.core.text import tr
from llamachat.websearch.guard import GuardStatus, spoken_time


def guard_text(status: GuardStatus, *, now: float, zone: tzinfo | None = None) -> str:
    """Counts, and on lines of their own what keeps the next search back. now: seconds since 1970."""
    lines = [
        tr("Sent: {sent} · from cache: {cached} · paced: {paced} · refused while paused: {paused}").format(
            sent=status.sent, cached=status.cached, paced=status.paced, paused=status.paused
        )
    ]
    if status.paused_s:
        pause = tr("Paused for {time}, until {clock}: {reason}.")
        until = datetime.fromtimestamp(now + status.paused_s, zone)
        reason = status.reason.rstrip(".")
        lines.append(pause.format(time=spoken_time(status.paused_s), clock=until.strftime("%H:%M"), reason=reason))
    elif not status.free:
        lines.append(tr("Paced: the next search has to wait a little."))
    if status.since:
        since = datetime.fromtimestamp(status.since, zone).strftime("%Y-%m-%d %H:%M")
        lines.append(tr("Counted since {time}, for all windows and commands together.").format(time=since))
    return "\n".join(lines)
