"""Shapes of text settings: addresses, names of variables, paths."""

from __future__ import annotations

import pytest

from llamachat.config.shapes import (
    absolute_path,
    bare_address,
    environment_name,
    font_name,
    no_blanks,
    search_address,
    server_address,
)

GOOD_ADDRESSES = [
    "http://127.0.0.1:8080",
    "http://127.0.0.1:8080/",
    "https://box.example/v1",
    "127.0.0.1:8080",
    "localhost",
    "box:8080/llama/v1",
    "http://[::1]:8080",
    "[::1]:8080",
    "http://user:pass@box:1",
    "HTTP://box",
    "http://bücher.example",
]
BAD_ADDRESSES = [
    "ftp://box",
    "file:///etc/passwd",
    "http://",
    "http:///v1",
    "http:/127.0.0.1",
    "http//box",
    "http:box",
    "http://box:0",
    "http://box:99999",
    "http://box:port",
    "http://[::1",
    "http://a b",
    " http://box",
    "http://box\n",
    "://box",
]


@pytest.mark.parametrize("address", GOOD_ADDRESSES)
def test_well_formed_addresses(address: str) -> None:
    assert server_address(address) is None
    assert search_address(address) is None


@pytest.mark.parametrize("address", BAD_ADDRESSES)
def test_malformed_addresses(address: str) -> None:
    assert server_address(address)
    assert search_address(address)


def test_only_the_search_may_be_empty_or_a_template() -> None:
    assert server_address("")
    assert search_address("") is None
    for template in ("http://box/search?q=%s", "http://box/search?q={query}&x=1", "http://box/search?q=<query>"):
        assert server_address(template)
        assert search_address(template) is None


def test_name_of_a_variable() -> None:
    assert environment_name("") is None
    assert environment_name("LLAMA_API_KEY") is None
    for key in ("sk-abcdef", "1KEY", "KEY=x", "two words"):
        reason = environment_name(key)
        assert reason
        assert key not in reason


def test_whole_path() -> None:
    assert absolute_path("") is None
    assert absolute_path("/etc/ca.pem") is None
    assert absolute_path("ca.pem")
    assert absolute_path("~/ca.pem")


def test_one_word() -> None:
    assert no_blanks("de-CH") is None
    assert no_blanks("de CH")


@pytest.mark.parametrize("name", ["", "Noto Sans", "JetBrains Mono NL", "源ノ角ゴシック", "P052-Roman"])
def test_names_of_fonts(name: str) -> None:
    assert font_name(name) is None


@pytest.mark.parametrize("name", ["A, B", "a'b", 'a"b', "a;color:red", "a}b", "a\nb", "a\\b", "<b>"])
def test_no_names_of_fonts(name: str) -> None:
    assert font_name(name)


def test_an_address_that_takes_no_password_is_a_server_address_without_one() -> None:
    assert bare_address("http://127.0.0.1:11434") is None
    assert bare_address("box:11434") is None
    for address in ("http://me:secret@box", "me@box", "", "ftp://box"):
        fault = bare_address(address)
        assert fault
        assert "secret" not in fault
