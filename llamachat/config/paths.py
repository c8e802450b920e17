"""Where the program's files lie. Nothing is created here."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path

from platformdirs import PlatformDirs

from llamachat.core.errors import ConfigError
from llamachat.core.text import tr

_DIRS = PlatformDirs("llamachat", appauthor=False)


@dataclass(frozen=True, slots=True)
class Paths:
    """Settings, history, what can be fetched again, and locks and sockets of the running program.

    The locks lie beside the history they guard: the system's own folder for them is missing or unsafe on some
    machines, and two histories must not share a lock.
    """

    config_file: Path
    data_dir: Path
    cache_dir: Path
    runtime_dir: Path

    @property
    def database(self) -> Path:
        """The file with every conversation."""
        return self.data_dir / "llamachat.db"


def resolve_paths(config: Path | None = None, data_dir: Path | None = None, *, demo: bool = False) -> Paths:
    """The paths for the arguments of the command line (`--config FILE`, `--data-dir DIR`, `--demo`).

    A demo keeps its history and its settings in a folder `demo` inside the data folder, whichever that is, and
    reads the user's config.toml only where `config` names it. Raises ConfigError.
    """
    data = _absolute(data_dir) if data_dir else _DIRS.user_data_path
    config_dir = _DIRS.user_config_path
    if demo:
        data = config_dir = data / "demo"
    return Paths(
        config_file=_absolute(config) if config else config_dir / "config.toml",
        data_dir=data,
        cache_dir=_DIRS.user_cache_path,
        runtime_dir=data / "run",
    )


def _absolute(path: Path) -> Path:
    try:
        return path.expanduser().absolute()
    except RuntimeError as error:
        raise ConfigError(tr("{path} begins with a home folder that is not known.").format(path=path)) from error
