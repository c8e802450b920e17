"""Writing several settings one after the other, for a lane's thread."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import TypeAlias

from llamachat.app import App, Reconfigured
from llamachat.core.errors import ConfigError

Values: TypeAlias = dict[str, str | float]


@dataclass(frozen=True, slots=True)
class Saved:
    """What came of it: those before the error, if there was one, are written."""

    done: Reconfigured
    error: ConfigError | None = None


def save_values(app: App, values: Mapping[str, str | float]) -> Saved:
    """Write the values in their order, up to one that is refused."""
    changed: list[str] = []
    waiting: list[str] = []
    error = None
    try:
        for key, value in values.items():
            done = app.set_setting(key, value)
            changed += done.changed
            waiting += done.waiting
    except ConfigError as refused:
        error = refused
    return Saved(Reconfigured(tuple(dict.fromkeys(changed)), tuple(dict.fromkeys(waiting))), error)
