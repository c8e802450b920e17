"""Libraries that are imported when something of them is first used: the window opens without waiting for them."""

from __future__ import annotations

from importlib import import_module


class LateModule:
    """Stands for a module. Whoever uses it names it in an `if TYPE_CHECKING` too, for those who check imports."""

    def __init__(self, name: str) -> None:
        self._name = name

    def __getattr__(self, name: str) -> object:
        found = getattr(import_module(self._name), name)
        setattr(self, name, found)
        return found
