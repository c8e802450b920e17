"""Addresses as people type them."""

from __future__ import annotations

import pytest

from llamachat.core.errors import ConfigError
from llamachat.llm.address import normalize_base_url


@pytest.mark.parametrize(
    ("typed", "address"),
    [
        ("http://127.0.0.1:8080", "http://127.0.0.1:8080"),
        ("http://127.0.0.1:8080/", "http://127.0.0.1:8080"),
        ("http://127.0.0.1:8080/v1", "http://127.0.0.1:8080"),
        ("http://127.0.0.1:8080/v1/", "http://127.0.0.1:8080"),
        (" 127.0.0.1:8080\n", "http://127.0.0.1:8080"),
        ("localhost:8080/v1/chat/completions", "http://localhost:8080"),
        ("box", "http://box"),
        ("HTTPS://Example.ORG/Llama/v1", "https://example.org/Llama"),
        ("http://[::1]:8080/v1", "http://[::1]:8080"),
        ("http://127.0.0.1:8080/#/chat/12", "http://127.0.0.1:8080"),
        ("http://127.0.0.1:8080/?x=1", "http://127.0.0.1:8080"),
        ("https://müller.example", "https://müller.example"),
    ],
)
def test_normalized(typed: str, address: str) -> None:
    assert normalize_base_url(typed) == address
    assert normalize_base_url(address) == address


@pytest.mark.parametrize(
    "typed",
    [
        *(
            "",
            "   ",
            "ftp://box",
            "file:///etc/passwd",
            "http://",
            "http:// box",
            "http://box:port",
            "http://box:99999",
        ),
        *("http://box:", "http://box:0", "::1", "http://[::1", "C:\\llama", "a\x00b", "http://a b:8080"),
    ],
)
def test_refused(typed: str) -> None:
    with pytest.raises(ConfigError) as caught:
        normalize_base_url(typed)
    assert caught.value.sentence.endswith(".")
    assert "http://127.0.0.1:8080" in caught.value.next_step


@pytest.mark.parametrize(
    "typed",
    [
        "http://me:s3cret@box:8080",
        "http://me:s3cret\\x@box",
        "http://me:s3cret x@box",
        "http://me:s3cret/x@box",
        "ftp://me:s3cret@box",
        "me:s3cret@box:port",
        "http://box:port/?token=s3cret",
    ],
)
def test_a_password_in_an_address_that_is_refused_is_not_repeated(typed: str) -> None:
    with pytest.raises(ConfigError) as caught:
        normalize_base_url(typed)
    assert "s3cret" not in str(caught.value)
