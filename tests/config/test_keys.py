"""Settings by name."""

from __future__ import annotations

import dataclasses

import pytest

from llamachat.config.keys import Setting, changed_keys, effective, find_option, needs_restart, value_from_text
from llamachat.config.option import options
from llamachat.config.schema import Config, PromptSettings, ServerSettings
from llamachat.core.errors import ConfigError


def test_everything_in_force_is_listed_with_what_is_default() -> None:
    found = effective(Config(theme="dark", servers={"my box": ServerSettings(model="m")}))
    assert [setting.key for setting in found[: len(options(Config))]] == list(options(Config))
    assert Setting("theme", "dark", False) in found
    assert Setting("search_results", 5, True) in found
    assert found[-3:] == [
        Setting('servers."my box".base_url', "http://127.0.0.1:8080", True),
        Setting('servers."my box".api_key_env', "", True),
        Setting('servers."my box".model', "m", False),
    ]


def test_passwords_are_not_listed() -> None:
    config = Config(
        base_url="http://me:s3cret@box",
        search_url="https://box/search?token=s3cret",
        servers={"box": ServerSettings(base_url="me:s3cret@box")},
    )
    values = [setting.value for setting in effective(config)]
    assert "s3cret" not in repr(values)
    assert {"http://***@box", "https://box/search?token=***", "***@box"} <= set(values)


def test_changes_are_named() -> None:
    old = Config(prompts={"a": PromptSettings(text="A"), "b": PromptSettings(), "same": PromptSettings()})
    new = dataclasses.replace(
        old,
        theme="dark",
        seed=1,
        prompts={"a": PromptSettings(text="B"), "c d": PromptSettings(), "same": PromptSettings()},
    )
    assert changed_keys(old, new) == ("seed", "theme", "prompts.a", "prompts.b", 'prompts."c d"')
    assert changed_keys(old, old) == ()


def test_whether_a_restart_is_needed_is_what_the_declaration_says() -> None:
    for option in options(Config).values():
        assert needs_restart(option.name) == option.traits.restart
    for key in ("prompts.x", "prompts.x.text", 'servers."my box"'):
        assert needs_restart(key) is False


@pytest.mark.parametrize(
    ("key", "name", "path"),
    [
        ("theme", "theme", ("theme",)),
        ("prompts.coder.text", "text", ("prompts", "coder", "text")),
        ('prompts."my own".model', "model", ("prompts", "my own", "model")),
    ],
)
def test_options_are_found(key: str, name: str, path: tuple[str, ...]) -> None:
    option, found = find_option(key)
    assert (option.name, found) == (name, path)


def test_the_model_of_a_prompt_is_not_that_of_the_server() -> None:
    assert find_option("prompts.x.model")[0] != find_option("model")[0]


@pytest.mark.parametrize(
    ("key", "near"),
    [
        ("themes", "theme"),
        ("servers.box.base_ur", "base_url"),
        ("prompts.x.search_url", ""),
        ("servers.box.y.model", ""),
        ("servers..model", "server"),
        ('servers."".model', ""),
        ("a b", ""),
        ("", ""),
        ("theme = 1\nmodel", ""),
    ],
)
def test_unknown_names_are_refused(key: str, near: str) -> None:
    with pytest.raises(ConfigError, match="There is no setting") as caught:
        find_option(key)
    assert caught.value.next_step == (f"Did you mean {near}?" if near else "")


@pytest.mark.parametrize(
    ("key", "text", "value"),
    [
        ("search_enabled", "true", True),
        ("search_enabled", "False", False),
        ("search_results", "7", 7),
        ("temperature", "0.5", 0.5),
        ("temperature", "1", 1.0),
        ("theme", "dark", "dark"),
        ("model", "7", "7"),
        ("default_prompt", "a\nb", "a\nb"),
    ],
)
def test_typed_text_becomes_a_value(key: str, text: str, value: str | float) -> None:
    read = value_from_text(key, text)
    assert read == value
    assert type(read) is type(value)


@pytest.mark.parametrize(
    ("key", "text", "words"),
    [
        ("search_enabled", "yes", "true or false"),
        ("search_results", "many", "a whole number from 1 to 20"),
        ("search_results", "21", "a whole number from 1 to 20"),
        ("temperature", "nan", "a number"),
        ("seed", "9" * 5000, "a whole number"),
        ("theme", "blue", "one of"),
    ],
)
def test_typed_text_that_does_not_fit_is_refused(key: str, text: str, words: str) -> None:
    with pytest.raises(ConfigError, match=words):
        value_from_text(key, text)
