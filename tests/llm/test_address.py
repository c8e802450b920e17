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


def test_a_password_in_the_address_is_refused_and_not_repeated() -> None:
    with pytest.raises(ConfigError) as caught:
        normalize_base_url("http://me:s3cret@box:8080")
    assert "s3cret" not in str(caught.value)
