"""The command line as a process, with files of its own."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any


@dataclass(frozen=True, slots=True)
class Cli:
    """Runs `llamachat` in its own process with a config file and a data folder in `folder`."""

    folder: Path
    environment: dict[str, str] = field(default_factory=dict)

    @property
    def config(self) -> Path:
        """The settings file."""
        return self.folder / "config.toml"

    @property
    def data(self) -> Path:
        """The folder of the chats."""
        return self.folder / "data"

    def command(self, *arguments: str) -> list[str]:
        """The whole command line."""
        places = ["--config", str(self.config), "--data-dir", str(self.data)]
        return [sys.executable, "-m", "llamachat", *places, *arguments]

    def run(self, *arguments: str, stdin: str = "") -> subprocess.CompletedProcess[str]:
        """Run to the end and capture what it prints."""
        return subprocess.run(
            self.command(*arguments),
            input=stdin,
            capture_output=True,
            encoding="utf-8",
            env=self.whole_environment(),
            timeout=60,
            check=False,
        )

    def whole_environment(self) -> dict[str, str]:
        """The machine's environment with this one's own on top."""
        return {**os.environ, **self.environment}

    def events(self, *arguments: str) -> list[dict[str, Any]]:
        """The events of `ask --json`; fails where a line is no JSON."""
        done = self.run("ask", "--json", *arguments)
        assert done.returncode == 0, done.stderr
        return [json.loads(line) for line in done.stdout.splitlines()]
