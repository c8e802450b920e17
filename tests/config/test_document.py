"""The printed example file and the reference hold every setting and say the truth about it."""

from __future__ import annotations

import re
import tomllib
from pathlib import Path

import pytest

from llamachat.config.document import configuration_markdown, example_toml
from llamachat.config.load import load_config
from llamachat.config.option import options, tables
from llamachat.config.schema import Config

_COMMENTED_LINE = re.compile(r"^# (\w+ = .*|\[\w+\.\w+\])$", re.MULTILINE)


def _uncommented() -> str:
    return _COMMENTED_LINE.sub(r"\1", example_toml())


def test_example_says_nothing() -> None:
    assert tomllib.loads(example_toml()) == {}


def test_example_with_every_comment_taken_away_is_valid_and_complete(tmp_path: Path) -> None:
    file = tmp_path / "config.toml"
    file.write_text(_uncommented(), encoding="utf-8")
    values = tomllib.loads(_uncommented())
    assert load_config(file).problems == ()
    assert values.keys() == options(Config).keys() | tables(Config).keys()
    for table in tables(Config).values():
        assert values[table.name][table.example_name].keys() == options(table.section).keys()


def test_example_shows_the_defaults(tmp_path: Path) -> None:
    values = tomllib.loads(_uncommented())
    for option in options(Config).values():
        shown = option.traits.example if option.default is None else option.default
        assert values[option.name] == shown


@pytest.mark.parametrize("name", options(Config))
def test_each_setting_stands_once_at_the_top_of_the_example(name: str) -> None:
    top = example_toml().partition("# ---- [prompts.NAME] ----")[0]
    assert len(re.findall(rf"^# {name} = ", top, re.MULTILINE)) == 1


def test_lines_of_the_example_are_short() -> None:
    assert max(len(line) for line in example_toml().splitlines()) <= 100


@pytest.mark.parametrize("name", options(Config))
def test_reference_explains_each_setting(name: str) -> None:
    assert f"\n### `{name}`\n\n{options(Config)[name].traits.prose}\n" in configuration_markdown()


@pytest.mark.parametrize(
    ("name", "counts"), [("temperature", "the server decides"), ("font_size", "the one of the desktop counts")]
)
def test_it_is_said_what_counts_where_nothing_is_set(name: str, counts: str) -> None:
    above = example_toml().partition(f"\n# {name} = ")[0].rpartition("\n\n")[2]
    assert f"Not set: {counts}." in " ".join(above.replace("\n#", " ").split())
    of_it = configuration_markdown().partition(f"### `{name}`\n")[2].partition("\n### ")[0]
    assert f"Not set by default: {counts}." in of_it


def test_reference_names_bounds_choices_and_tables() -> None:
    text = configuration_markdown()
    assert "A whole number from 1 to 20. Default: `5`." in text
    assert 'One of "system", "light", "dark". Default: `"system"`.' in text
    for table in tables(Config).values():
        assert f"## `[{table.name}.NAME]`" in text
