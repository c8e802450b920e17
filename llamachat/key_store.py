"""The API keys of search services: from the environment, else from the system's keyring. Never in a file of ours.

The keyring is an optional library (extra `keys`) that asks another program over D-Bus, which may ask the user: all
methods but `known` may block, so they are not for the thread of the window.
"""

from __future__ import annotations

import os
import threading
from collections.abc import Callable, Iterator, Mapping
from contextlib import ExitStack, contextmanager, suppress
from pathlib import Path
from typing import Protocol

from llamachat.core.clock import SystemClock
from llamachat.core.errors import KeyStoreError, SearchCause, SearchError
from llamachat.core.file_lock import lock
from llamachat.core.plain_file import open_lock_file
from llamachat.core.plain_text import cut_at_word, plain_line
from llamachat.core.seams import Clock
from llamachat.core.text import tr

SERVICE = "llamachat"
FAILED_S = 60.0
_MAX_CHARS = 1000  # Windows keeps 1,280
# Backends that keep nothing, and those that keep a file anybody can read.
_USELESS = ("keyring.backends.fail", "keyring.backends.null", "keyrings.alt")


class Keyring(Protocol):
    """What is needed of a backend of the library `keyring`."""

    def get_password(self, service: str, username: str) -> str | None:
        """The secret, None where there is none."""
        ...

    def set_password(self, service: str, username: str, password: str) -> None:
        """Keep a secret."""
        ...

    def delete_password(self, service: str, username: str) -> None:
        """Drop a secret that is there."""
        ...


def system_keyring() -> Keyring | None:
    """The system's keyring; None where the library is missing, or has nothing to keep keys in."""
    try:
        import keyring
    except ImportError:
        return None
    backend = keyring.get_keyring()
    chained = getattr(backend, "backends", None) or [backend]
    usable = [one for one in chained if not type(one).__module__.startswith(_USELESS)]
    return usable[0] if usable else None


class KeyStore:
    """The keys by the ids of their services, for any thread. `variables`: the environment variable of each.

    lock_file: held while a key is written, so that no other process of the person writes one at the same time.
    """

    def __init__(
        self,
        variables: Mapping[str, str],
        *,
        opened: Callable[[], Keyring | None] = system_keyring,
        clock: Clock | None = None,
        lock_file: Path | None = None,
    ) -> None:
        self._variables, self._lock_file = variables, lock_file
        self._opened, self._clock = opened, clock or SystemClock()
        self._known: dict[str, bool] = {}
        self._lock = threading.Lock()  # nobody is asked twice at once to unlock a keyring
        self._writing = threading.Lock()
        self._failed: tuple[float, str] | None = None  # when, and what was said

    def get(self, name: str) -> str:
        """The key, "" where there is none. Raises SearchError where the keyring is there but cannot be read.

        For a minute after that it is not asked again: whoever dismissed its dialog has answered.
        """
        if key := self._from_environment(name):
            return key
        if name not in self._variables:
            return ""
        with self._lock:
            if self._failed and self._clock.monotonic() - self._failed[0] < FAILED_S:
                raise self._unreadable(name, self._failed[1])
            try:
                with _translated():
                    keyring = self._opened()
                    key = (keyring.get_password(SERVICE, name) or "") if keyring else ""
            except KeyStoreError as failed:
                self._failed = self._clock.monotonic(), failed.sentence
                raise self._unreadable(name, failed.sentence) from None
        self._known[name] = bool(key)
        return key

    def known(self, name: str) -> bool | None:
        """Whether there is a key, without asking the keyring; None where that was not asked yet."""
        return True if self._from_environment(name) else self._known.get(name)

    def in_environment(self, name: str) -> bool:
        """Whether the key comes from the environment, which goes before the keyring."""
        return bool(self._from_environment(name))

    def set(self, name: str, key: str) -> None:
        """Keep a key in the keyring. Raises KeyStoreError, also where the keyring only pretends to keep it."""
        self._check_name(name)
        key = key.strip()
        if not key or len(key) > _MAX_CHARS or not key.isascii() or not key.isprintable() or " " in key:
            raise KeyStoreError(tr("That is no API key."), tr("Copy it once more: it is one word of plain letters."))
        keyring = self._keyring(name)
        with self._alone(), _translated(hidden=key):
            keyring.set_password(SERVICE, name, key)
            kept = keyring.get_password(SERVICE, name) == key
        if not kept:
            raise self._no_keyring(name)
        self._known[name], self._failed = True, None

    def forget(self, name: str) -> bool:
        """Drop a key from the keyring; False where there was none. Raises KeyStoreError."""
        self._check_name(name)
        keyring = self._keyring(name)
        with self._alone(), _translated():
            there = keyring.get_password(SERVICE, name) is not None
            if there:
                keyring.delete_password(SERVICE, name)
        self._known[name] = False
        return there

    def _unreadable(self, name: str, sentence: str) -> SearchError:
        step = tr("Unlock it, or set {variable} in the environment.").format(variable=self._variables[name])
        return SearchError(sentence, step, cause=SearchCause.NO_KEY)

    def forget_all(self) -> tuple[str, ...]:
        """Drop every key from the keyring; returns whose there were. Raises KeyStoreError."""
        with _translated():
            there = self._opened() is not None
        return tuple(name for name in self._variables if there and self.forget(name))

    def set_variables(self) -> tuple[str, ...]:
        """The variables of the environment that hold a key."""
        return tuple(self._variables[name] for name in self._variables if self._from_environment(name))

    def _from_environment(self, name: str) -> str:
        return os.environ.get(self._variables.get(name, ""), "").strip()

    def _check_name(self, name: str) -> None:
        if name not in self._variables:
            raise KeyStoreError(
                tr("No key is kept for {name}.").format(name=plain_line(name)),
                tr("Keys are for {names}.").format(names=", ".join(self._variables)),
            )

    @contextmanager
    def _alone(self) -> Iterator[None]:
        """A key is read back when it was written, and looked for before it is dropped: nobody may come between."""
        with self._writing, ExitStack() as stack:
            if self._lock_file:
                with suppress(OSError):  # a folder that cannot be written to, a disk without locks
                    self._lock_file.parent.mkdir(parents=True, exist_ok=True)
                    lock(stack.enter_context(open_lock_file(self._lock_file)))
            yield

    def _keyring(self, name: str) -> Keyring:
        with _translated():
            keyring = self._opened()
        if keyring is None:
            raise self._no_keyring(name)
        return keyring

    def _no_keyring(self, name: str) -> KeyStoreError:
        return KeyStoreError(
            tr("There is no keyring in which the key could be kept."),
            tr(
                "Install llamachat[keys] and a keyring such as GNOME Keyring, or set {variable} in the environment."
            ).format(variable=self._variables[name]),
        )


@contextmanager
def _translated(*, hidden: str = "***") -> Iterator[None]:
    """Turn what a backend raises into one error; the library lets through whatever its layers below raise."""
    try:
        yield
    except Exception as error:  # noqa: BLE001  # of D-Bus, of the system, of the keyring's own: there is no common root
        said = plain_line(str(error)).replace(hidden, "***")
        reason = cut_at_word(said or type(error).__name__, 120).rstrip(".")
        raise KeyStoreError(
            tr("The system's keyring cannot be used ({reason}).").format(reason=reason),
            tr("Unlock it, and look whether it runs."),
        ) from None
