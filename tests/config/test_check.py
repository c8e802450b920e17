"""Whether a value fits a setting, and the words where it does not."""

from __future__ import annotations

import pytest

from llamachat.config.check import displayed, fault, fitted, needed
from llamachat.config.option import Option, options
from llamachat.config.schema import Config


def _option(name: str) -> Option:
    return options(Config)[name]


@pytest.mark.parametrize(
    ("name", "value"),
    [
        ("search_results", 1),
        ("search_results", 20),
        ("search_timeout", 10),
        ("search_timeout", 0.5),
        ("temperature", 0),
        ("search_enabled", True),
        ("theme", "dark"),
        ("default_prompt", "Two\nlines\tand a tab"),
        ("search_language", "xx-invalid"),
    ],
)
def test_fits(name: str, value: object) -> None:
    assert fault(_option(name), value) is None


@pytest.mark.parametrize(
    ("name", "value", "words"),
    [
        ("search_results", 0, "a whole number from 1 to 20, not 0"),
        ("search_results", 21, "not 21"),
        ("search_results", 5.0, "not 5.0"),
        ("search_results", True, "not true"),
        ("search_results", "ten", 'not "ten"'),
        ("search_results", 10**400, "a whole number"),
        ("temperature", float("nan"), "a number from 0 to 5, not nan"),
        ("temperature", float("inf"), "not inf"),
        ("temperature", False, "not false"),
        ("search_enabled", 1, "true or false, not 1"),
        ("search_enabled", "true", 'not "true"'),
        ("theme", "Dark", '"system", "light", "dark", not "Dark"'),
        ("model", 3, "text in quotes, not 3"),
        ("model", ["a"], "not a list"),
        ("model", {"a": 1}, "not a table"),
        ("model", "two\nlines", "without line breaks"),
        ("default_prompt", "nul \0", "control characters"),
        ("base_url", "ftp://box", "http://"),
        ("api_key_env", "sk-secret", "name of an environment variable"),
    ],
)
def test_does_not_fit(name: str, value: object, words: str) -> None:
    reason = fault(_option(name), value)
    assert reason is not None
    assert words in reason


def test_a_key_typed_in_the_wrong_place_is_not_repeated() -> None:
    assert "sk-secret" not in (fault(_option("api_key_env"), "sk-secret") or "")


def test_whole_numbers_become_fractions_where_the_setting_has_them() -> None:
    assert isinstance(fitted(_option("search_timeout"), 10), float)
    assert isinstance(fitted(_option("search_results"), 10), int)


def test_displayed_values_are_short_and_hide_passwords() -> None:
    assert displayed(_option("search_url"), "https://me:s3cret@box/x") == '"https://***@box/x"'
    assert displayed(_option("model"), "x" * 500) == '"' + "x" * 40 + '…"'
    assert displayed(_option("default_prompt"), "a\n\n b") == '"a b"'
    assert displayed(_option("model"), "\x1b[31m") == '"\\u001b[31m"'
    assert displayed(_option("request_timeout"), 300.0) == "300"
    assert displayed(_option("search_enabled"), True) == "true"


def test_needs_are_told_by_type() -> None:
    assert needed(_option("seed")) == "a whole number from -1 to 4294967295"
    assert needed(_option("min_p")) == "a number from 0 to 1"
