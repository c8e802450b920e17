"""Backends of the library `keyring` as it may meet them: one that keeps, one that pretends to, one that fails."""

from __future__ import annotations


class MemoryKeyring:
    """Keeps secrets as long as it lives."""

    def __init__(self) -> None:
        self.kept: dict[tuple[str, str], str] = {}

    def get_password(self, service: str, username: str) -> str | None:
        """The secret, None where there is none."""
        return self.kept.get((service, username))

    def set_password(self, service: str, username: str, password: str) -> None:
        """Keep a secret."""
        self.kept[service, username] = password

    def delete_password(self, service: str, username: str) -> None:
        """Drop a secret; one that is not there is an error, as with the real ones."""
        del self.kept[service, username]


class PretendingKeyring(MemoryKeyring):
    """Takes everything and keeps nothing, like the library's null backend."""

    def set_password(self, service: str, username: str, password: str) -> None:
        """Say nothing."""


class LockedKeyring(MemoryKeyring):
    """Nobody unlocks it. Its error repeats what it was given."""

    def get_password(self, service: str, username: str) -> str | None:
        """Fail."""
        raise RuntimeError("Prompt dismissed..")

    def set_password(self, service: str, username: str, password: str) -> None:
        """Fail, and tell all."""
        raise RuntimeError(f"cannot keep {password}")
