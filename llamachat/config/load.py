"""From config.toml to a Config, with every mistake found on the way. Never raises for what a file holds."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path

from llamachat.config.atomic import replace_file
from llamachat.config.document import example_toml
from llamachat.config.problem import Problem
from llamachat.config.read import read_values
from llamachat.config.schema import Config
from llamachat.config.syntax import BrokenFile, read_document
from llamachat.core.errors import ConfigError
from llamachat.core.text import tr


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
    try:
        document = read_document(path)
    except FileNotFoundError:
        return Loaded(Config())
    except BrokenFile as broken:
        return Loaded(last_good or Config(), (broken.problem,), savable=False)
    config, problems = read_values(document, last_good or Config())
    return Loaded(config, problems, savable=all(problem.severity == "warning" for problem in problems))


def write_first_config(path: Path) -> None:
    """Write the file with every setting explained and commented out. An existing file is left alone.

    Only the owner may read it: an address in it may hold a password. Raises ConfigError.
    """
    try:
        path.parent.mkdir(parents=True, exist_ok=True)
        if not path.exists():
            replace_file(path, example_toml().encode())
    except OSError as error:
        raise cannot_write(path, error) from error


def cannot_write(path: Path, error: OSError) -> ConfigError:
    """What to raise where writing the settings file failed."""
    return ConfigError(
        tr("The settings file {path} cannot be written: {why}.").format(path=path, why=error.strerror or error),
        tr("Check that you may write to the file and its folder."),
    )
