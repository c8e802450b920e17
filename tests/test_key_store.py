"""Keys: the environment first, then a keyring that really keeps them; shown nowhere."""

from __future__ import annotations

import sys
from types import ModuleType

import pytest

from llamachat.core.errors import KeyStoreError, SearchCause, SearchError
from llamachat.core.seams import Secrets
from llamachat.key_store import FAILED_S, Keyring, KeyStore, system_keyring
from tests.fakes.memory_keyring import LockedKeyring, MemoryKeyring, PretendingKeyring
from tests.fakes.still_clock import StillClock

VARIABLES = {"brave": "BRAVE_API_KEY", "exa": "EXA_API_KEY"}
KEY = "BSA-0123456789abcdef"


@pytest.fixture(autouse=True)
def _bare_environment(monkeypatch: pytest.MonkeyPatch) -> None:
    for variable in VARIABLES.values():
        monkeypatch.delenv(variable, raising=False)


def store(keyring: Keyring | None) -> KeyStore:
    return KeyStore(VARIABLES, opened=lambda: keyring)


def test_a_key_is_kept_found_again_and_forgotten() -> None:
    keyring = MemoryKeyring()
    keys = store(keyring)
    keys.set("brave", f"  {KEY}\n")
    assert keyring.kept == {("llamachat", "brave"): KEY}
    secrets: Secrets = store(keyring)
    assert (secrets.get("brave"), secrets.get("exa")) == (KEY, "")
    assert keys.forget("brave")
    assert not keys.forget("brave")
    assert keyring.kept == {}
    assert keys.get("brave") == ""


@pytest.mark.claim("AD-013")
def test_the_environment_goes_first_and_no_keyring_is_asked(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("BRAVE_API_KEY", f" {KEY} ")
    keys = store(LockedKeyring())
    assert keys.get("brave") == KEY
    assert keys.known("brave")
    assert keys.in_environment("brave")
    assert not keys.in_environment("exa")


def test_what_is_known_without_asking() -> None:
    keyring = MemoryKeyring()
    keys = store(keyring)
    assert keys.known("brave") is None
    keys.get("brave")
    assert keys.known("brave") is False
    keys.set("brave", KEY)
    assert keys.known("brave") is True
    keys.forget("brave")
    assert keys.known("brave") is False


def test_a_key_that_another_process_stores_is_found_at_once() -> None:
    keyring = MemoryKeyring()
    keys = store(keyring)
    assert keys.get("brave") == ""
    keyring.set_password("llamachat", "brave", KEY)
    assert keys.get("brave") == KEY


def test_without_a_keyring_there_are_no_keys_and_none_can_be_kept() -> None:
    keys = store(None)
    assert keys.get("brave") == ""
    for act in (lambda: keys.set("brave", KEY), lambda: keys.forget("brave")):
        with pytest.raises(KeyStoreError) as failed:
            act()
        assert "BRAVE_API_KEY" in failed.value.next_step
        assert KEY not in str(failed.value)


def test_a_keyring_that_only_pretends_is_found_out() -> None:
    with pytest.raises(KeyStoreError, match="no keyring"):
        store(PretendingKeyring()).set("brave", KEY)


def test_a_locked_keyring_is_told_apart_from_no_key() -> None:
    with pytest.raises(SearchError) as failed:
        store(LockedKeyring()).get("brave")
    assert failed.value.cause is SearchCause.NO_KEY
    assert "Prompt dismissed" in failed.value.sentence
    assert "BRAVE_API_KEY" in failed.value.next_step


def test_who_dismissed_the_dialog_of_a_locked_keyring_is_left_alone_for_a_minute() -> None:
    clock, keyrings = StillClock(), [LockedKeyring(), MemoryKeyring()]
    asked: list[Keyring] = []

    def opened() -> Keyring:
        asked.append(keyrings[len(asked)])
        return asked[-1]

    keys = KeyStore(VARIABLES, opened=opened, clock=clock)
    for _ in range(3):
        with pytest.raises(SearchError, match="Prompt dismissed"):
            keys.get("brave")
    with pytest.raises(SearchError) as other:
        keys.get("exa")
    assert "EXA_API_KEY" in other.value.next_step
    assert len(asked) == 1
    clock.move(FAILED_S)
    assert keys.get("brave") == ""
    assert len(asked) == 2


def test_an_error_that_repeats_the_key_does_not_carry_it_on() -> None:
    with pytest.raises(KeyStoreError) as failed:
        store(LockedKeyring()).set("brave", KEY)
    assert "cannot keep ***" in failed.value.sentence
    assert failed.value.__cause__ is None
    assert failed.value.__suppress_context__


@pytest.mark.parametrize("key", ["", "  ", "two words", "schlüssel", "a\nb", "x" * 1001])
def test_what_is_no_key_is_not_kept(key: str) -> None:
    keyring = MemoryKeyring()
    with pytest.raises(KeyStoreError, match="That is no API key"):
        store(keyring).set("brave", key)
    assert keyring.kept == {}


def test_only_services_that_need_a_key_have_one() -> None:
    with pytest.raises(KeyStoreError, match="brave, exa"):
        store(MemoryKeyring()).set("duckduckgo", KEY)
    assert store(LockedKeyring()).get("searxng") == ""


def test_no_key_shows_in_the_repr(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("BRAVE_API_KEY", KEY)
    keys = store(MemoryKeyring())
    keys.set("exa", KEY)
    assert KEY not in repr(keys) + repr(vars(keys))


def backend(module: str) -> Keyring:
    """A backend that comes from this module."""
    made = type("Keyring", (MemoryKeyring,), {"__module__": module})()
    assert isinstance(made, MemoryKeyring)
    return made


@pytest.fixture
def library(monkeypatch: pytest.MonkeyPatch) -> ModuleType:
    """A module in the place of `keyring`, which need not be installed."""
    module = ModuleType("keyring")
    monkeypatch.setitem(sys.modules, "keyring", module)
    return module


@pytest.mark.parametrize("module", ["keyring.backends.null", "keyring.backends.fail", "keyrings.alt.file"])
def test_backends_that_keep_nothing_or_in_the_open_are_no_keyring(library: ModuleType, module: str) -> None:
    library.get_keyring = lambda: backend(module)  # type: ignore[attr-defined]  # a module made here
    assert system_keyring() is None


def test_the_first_usable_backend_of_a_chain_is_taken(library: ModuleType) -> None:
    usable = backend("keyring.backends.SecretService")
    chain = backend("keyring.backends.chainer")
    chain.backends = [backend("keyrings.alt.file"), usable]  # type: ignore[attr-defined]  # what a chain has
    library.get_keyring = lambda: chain  # type: ignore[attr-defined]  # a module made here
    assert system_keyring() is usable


def test_without_the_library_there_is_no_keyring(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "keyring", None)
    assert system_keyring() is None


def test_the_real_library_without_a_desktop_has_no_keyring(monkeypatch: pytest.MonkeyPatch) -> None:
    keyring = pytest.importorskip("keyring")
    before = keyring.get_keyring()
    try:
        for useless in ("fail", "null"):
            keyring.set_keyring(pytest.importorskip(f"keyring.backends.{useless}").Keyring())
            assert system_keyring() is None
    finally:
        keyring.set_keyring(before)
