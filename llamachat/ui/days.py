"""The headings of the list of chats: which one a time falls under. No Qt."""

from __future__ import annotations

from datetime import date, datetime, timedelta, tzinfo

from llamachat.core.text import tr


def heading(then: float, *, now: float, zone: tzinfo | None = None) -> str:
    """The heading for a time (seconds since 1970), in the calendar of `zone` (None: this machine's)."""
    day, today = _day(then, zone), _day(now, zone)
    age = (today - day).days
    if age <= 0:
        return tr("Today")
    if age == 1:
        return tr("Yesterday")
    if age <= 7:
        return tr("Last 7 days")
    if age <= 30:
        return tr("Last 30 days")
    return f"{_months()[day.month - 1]} {day.year}"


def day_of(then: float) -> str:
    """The day of a time in figures; "" where it is not known."""
    return datetime.fromtimestamp(then).strftime("%Y-%m-%d") if then else ""


def seconds_to_midnight(now: float, *, zone: tzinfo | None = None) -> float:
    """How long the headings stay right."""
    moment = datetime.fromtimestamp(now, zone)
    tomorrow = (moment + timedelta(days=1)).replace(hour=0, minute=0, second=0, microsecond=0)
    return tomorrow.timestamp() - now


def _day(moment: float, zone: tzinfo | None) -> date:
    return datetime.fromtimestamp(moment, zone).date()


def _months() -> tuple[str, ...]:
    return (
        tr("January"),
        tr("February"),
        tr("March"),
        tr("April"),
        tr("May"),
        tr("June"),
        tr("July"),
        tr("August"),
        tr("September"),
        tr("October"),
        tr("November"),
        tr("December"),
    )
