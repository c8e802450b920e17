"""Where files lie."""

from __future__ import annotations

from pathlib import Path

import platformdirs

from llamachat.config.paths import resolve_paths


def test_usual_places() -> None:
    paths = resolve_paths()
    assert paths.config_file == platformdirs.user_config_path("llamachat", False) / "config.toml"
    assert paths.data_dir == platformdirs.user_data_path("llamachat", False)
    assert paths.cache_dir == platformdirs.user_cache_path("llamachat", False)
    assert paths.database.parent == paths.data_dir
    assert paths.runtime_dir.parent == paths.data_dir


def test_arguments_win() -> None:
    paths = resolve_paths(Path("my.toml"), Path("my data"))
    assert paths.config_file == Path.cwd() / "my.toml"
    assert paths.data_dir == Path.cwd() / "my data"
    assert paths.runtime_dir.is_relative_to(paths.data_dir)
    assert paths.cache_dir == resolve_paths().cache_dir


def test_home_is_understood() -> None:
    assert resolve_paths(Path("~/x.toml")).config_file == Path.home() / "x.toml"


def test_a_demo_lies_apart() -> None:
    real, demo = resolve_paths(), resolve_paths(demo=True)
    assert demo.config_file != real.config_file
    assert demo.database != real.database
    assert demo.runtime_dir != real.runtime_dir
    assert demo.config_file.parent == demo.data_dir


def test_a_demo_in_another_data_folder_lies_apart_too() -> None:
    real, demo = resolve_paths(data_dir=Path("/d")), resolve_paths(data_dir=Path("/d"), demo=True)
    assert (real.database.parent, demo.database.parent) == (Path("/d"), Path("/d/demo"))


def test_a_demo_reads_a_config_that_is_named() -> None:
    assert resolve_paths(Path("/c.toml"), demo=True).config_file == Path("/c.toml")


def test_nothing_is_created(tmp_path: Path) -> None:
    resolve_paths(tmp_path / "c" / "config.toml", tmp_path / "d", demo=True)
    assert list(tmp_path.iterdir()) == []
