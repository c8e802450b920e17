"""From config.toml to a Config, with every mistake found on the way. Never raises for what a file holds."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path

from llamachat.config.problem import Problem
from llamachat.config.schema import Config


@dataclass(frozen=True, slots=True)
class Loaded:
    """The settings in force and what is wrong with the file, in the order of its lines.

    savable: the program may change the file. False while it does not parse or holds a wrong value; keys that the
    program does not know are warnings and do not count.
    """

    config: Config
    problems: tuple[Problem, ...] = ()
    savable: bool = True


def load_config(path: Path, last_good: Config | None = None) -> Loaded:
    """Read the settings.

    Where a value is wrong, that of `last_good` stays in force (the default where there is none); where the file
    does not parse, all of `last_good`. A file that does not exist means the defaults.
    """
    raise NotImplementedError


def write_first_config(path: Path) -> None:
    """Write the file with every setting explained and commented out. An existing file is left alone.

    Raises ConfigError.
    """
    raise NotImplementedError
