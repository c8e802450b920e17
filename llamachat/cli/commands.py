"""The place where each command declares itself: argparse's group of subcommands, by the one method that is used."""

from __future__ import annotations

import argparse
from typing import Protocol


class Commands(Protocol):
    """A group of subcommands."""

    def add_parser(self, name: str, *, help: str) -> argparse.ArgumentParser:  # noqa: A002 - argparse's own name
        """Add a subcommand and return its parser."""
        ...
