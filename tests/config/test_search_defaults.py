"""What the settings of the web search are before anybody sets one, and how the first config.toml tells of them."""

from __future__ import annotations

from pathlib import Path

import pytest

from llamachat.config.load import load_config, write_first_config
from llamachat.config.option import options
from llamachat.config.schema import Config
from llamachat.config.search_settings import SearchSettings


@pytest.mark.claim("LC-006", "LC-020", "LC-021", "LC-022", "ST-050")
def test_the_first_values() -> None:
    config = Config()
    assert (config.search_enabled, config.search_url) == (False, "")
    assert (config.search_results, config.search_snippet_chars, config.read_pages) == (5, 300, 0)
    assert (config.search_timeout, config.max_searches) == (10, 2)
    assert config.request_timeout > config.search_timeout


@pytest.mark.claim("LC-024")
def test_the_first_file_holds_every_setting_commented_out_with_an_explanation(tmp_path: Path) -> None:
    path = tmp_path / "config.toml"
    write_first_config(path)
    lines = path.read_text(encoding="utf-8").splitlines()
    for key in options(SearchSettings):
        at = next(number for number, line in enumerate(lines) if line.startswith(f"# {key} = "))
        assert lines[at - 1].startswith("# "), key
        assert " = " not in lines[at - 1].split(".")[0], key
    assert load_config(path).config == Config()


@pytest.mark.claim("ST-060")
@pytest.mark.parametrize("value", ["0", "-1", "10000", '"many"'])
def test_a_number_of_results_that_makes_no_sense_is_told_and_not_taken(value: str, tmp_path: Path) -> None:
    path = tmp_path / "config.toml"
    path.write_text(f"search_results = {value}\n", encoding="utf-8")
    loaded = load_config(path)
    assert [problem.key for problem in loaded.problems] == ["search_results"]
    assert loaded.config.search_results == 5
