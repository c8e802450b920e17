"""What the commands share: where each declares itself, and the exit code for what failed."""

from __future__ import annotations

import argparse
from typing import Protocol

FAILED = 1


class Commands(Protocol):
    """argparse's group of subcommands, by the one method that is used."""

    def add_parser(self, name: str, *, help: str) -> argparse.ArgumentParser:  # noqa: A002 - argparse's own name
        """Add a subcommand and return its parser."""
        ...
