"""Keys that are written by two processes at once: each finds its own, and nobody stumbles over the other."""

from __future__ import annotations

import threading
from collections.abc import Callable
from pathlib import Path

import pytest

from llamachat.key_store import KeyStore
from tests.fakes.memory_keyring import MemoryKeyring

VARIABLES = {"brave": "BRAVE_API_KEY"}
MINE, OTHERS = "key-of-this-process", "key-of-another-process"
LONGER_THAN_IT_TAKES_S = 0.3


class Interrupted(MemoryKeyring):
    """Another process comes at the worst moment: `between` runs in a thread as soon as this one is at work."""

    def __init__(self) -> None:
        super().__init__()
        self.between: Callable[[], object] | None = None
        self.failures: list[Exception] = []
        self.thread = threading.Thread(target=self._run)

    def get_password(self, service: str, username: str) -> str | None:
        """The secret, and then the other one comes."""
        found = super().get_password(service, username)
        self._let_in()
        return found

    def set_password(self, service: str, username: str, password: str) -> None:
        """Keep it, and then the other one comes."""
        super().set_password(service, username, password)
        self._let_in()

    def _let_in(self) -> None:
        if self.between and not self.thread.ident:
            self.thread.start()
            self.thread.join(LONGER_THAN_IT_TAKES_S)

    def _run(self) -> None:
        assert self.between
        try:
            self.between()
        except Exception as error:  # noqa: BLE001  # whatever it is, the test tells it
            self.failures.append(error)


@pytest.fixture
def keyring() -> Interrupted:
    """Empty."""
    return Interrupted()


@pytest.fixture
def stores(monkeypatch: pytest.MonkeyPatch, tmp_path: Path, keyring: Interrupted) -> tuple[KeyStore, KeyStore]:
    """Those of two processes: they share the keyring and the file, and no lock of a thread."""
    monkeypatch.delenv("BRAVE_API_KEY", raising=False)
    lock = tmp_path / "cache" / "keys.lock"
    one, other = (KeyStore(VARIABLES, opened=lambda: keyring, lock_file=lock) for _ in range(2))
    return one, other


def test_a_key_that_is_replaced_at_once_was_kept_all_the_same(
    keyring: Interrupted, stores: tuple[KeyStore, KeyStore]
) -> None:
    mine, other = stores
    keyring.between = lambda: other.set("brave", OTHERS)
    mine.set("brave", MINE)
    keyring.thread.join()
    assert keyring.failures == []
    assert mine.get("brave") == OTHERS


def test_a_key_that_two_drop_at_once_is_dropped_by_one(
    keyring: Interrupted, stores: tuple[KeyStore, KeyStore]
) -> None:
    mine, other = stores
    mine.set("brave", MINE)
    dropped: list[bool] = []
    keyring.between = lambda: dropped.append(other.forget("brave"))
    dropped.append(mine.forget("brave"))
    keyring.thread.join()
    assert keyring.failures == []
    assert sorted(dropped) == [False, True]


def test_where_there_can_be_no_lock_keys_are_kept_all_the_same(tmp_path: Path, keyring: Interrupted) -> None:
    (tmp_path / "cache").write_text("no folder")
    keys = KeyStore(VARIABLES, opened=lambda: keyring, lock_file=tmp_path / "cache" / "keys.lock")
    keys.set("brave", MINE)
    assert keyring.kept == {("llamachat", "brave"): MINE}
