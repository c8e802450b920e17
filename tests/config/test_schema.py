"""The declaration itself: sound defaults, bounds and prose; the server and the prompt in force."""

from __future__ import annotations

import pytest

from llamachat.config.check import fault
from llamachat.config.option import Option, options, tables
from llamachat.config.schema import Config, PromptSettings, SamplingSettings, ServerSettings
from llamachat.core.completion import Sampling

_EVERY = [option for section in (Config, PromptSettings, ServerSettings) for option in options(section).values()]


@pytest.mark.parametrize("option", _EVERY, ids=lambda option: option.name)
def test_default_and_example_fit(option: Option) -> None:
    assert option.default is None or fault(option, option.default) is None
    assert option.traits.example is None or fault(option, option.traits.example) is None
    assert option.default is not None or option.traits.example is not None, "unset needs an example"


@pytest.mark.parametrize("option", _EVERY, ids=lambda option: option.name)
def test_numbers_have_bounds_and_all_have_prose(option: Option) -> None:
    assert (option.type in (int, float)) == (option.traits.low is not None) == (option.traits.high is not None)
    assert option.traits.prose.endswith(".")
    assert option.heading


def test_the_search_is_off_and_has_the_agreed_names_and_defaults() -> None:
    config = Config()
    assert (config.search_enabled, config.search_url, config.search_results) == (False, "", 5)
    assert (config.search_snippet_chars, config.search_timeout, config.max_searches) == (300, 10, 2)


def test_samplers_have_the_names_of_a_request() -> None:
    assert list(options(SamplingSettings)) == list(Sampling.__slots__)


def test_names_of_tables_are_not_those_of_settings() -> None:
    assert not tables(Config).keys() & options(Config).keys()


def test_server_in_force_is_the_keys_at_the_top() -> None:
    config = Config(base_url="http://box:1", api_key_env="KEY", model="m", servers={"other": ServerSettings()})
    assert config.active_server() == ServerSettings(base_url="http://box:1", api_key_env="KEY", model="m")


def test_named_server_takes_nothing_from_the_top() -> None:
    named = ServerSettings(base_url="http://other:2")
    config = Config(base_url="http://box:1", api_key_env="KEY", model="m", server="other", servers={"other": named})
    assert config.active_server() == named
    assert named.api_key_env == ""


def test_prompt_in_force_is_the_default_prompt_with_the_sampling_at_the_top() -> None:
    prompt = Config(default_prompt="Be brief.", temperature=0.5, seed=0).active_prompt()
    assert prompt == PromptSettings(text="Be brief.", temperature=0.5, seed=0)


def test_named_prompt_takes_from_the_top_what_it_leaves_unset() -> None:
    named = PromptSettings(text="Review.", model="coder", temperature=0.0)
    config = Config(
        default_prompt="x", model="m", temperature=0.9, top_k=7, prompt="review", prompts={"review": named}
    )
    assert config.active_prompt() == PromptSettings(text="Review.", model="coder", temperature=0.0, top_k=7)
    assert config.prompt_named(config.prompt) == config.active_prompt()


def test_a_prompt_that_is_gone_has_the_settings_at_the_top_of_the_file() -> None:
    config = Config(default_prompt="Be brief.", temperature=0.5)
    assert config.prompt_named("gone") == config.prompt_named("") == PromptSettings(text="Be brief.", temperature=0.5)
