"""Addresses as people type them."""

from __future__ import annotations

import pytest

from llamachat.core.errors import ConfigError
from llamachat.llm.address import crosses_network_unencrypted, host_of, is_private_host, normalize_base_url


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


@pytest.mark.parametrize(
    ("host", "private"),
    [
        *(("127.0.0.1", True), ("127.9.9.9", True), ("::1", True), ("[::1]", True), ("0.0.0.0", True)),
        *(("192.168.1.9", True), ("10.0.0.1", True), ("172.16.3.4", True), ("169.254.1.1", True)),
        *(("fe80::1%eth0", True), ("fd00::1", True), ("::ffff:192.168.0.1", True), ("100.64.0.1", True)),
        *(("localhost", True), ("LOCALHOST.", True), ("api.localhost", True), ("box", True), ("box.local", True)),
        *(("nas.home.arpa", True), ("8.8.8.8", False), ("2606:4700::1", False), ("::ffff:8.8.8.8", False)),
        *(("example.org", False), ("local.example.org", False), ("172.32.0.1", False)),
    ],
)
def test_private_hosts(host: str, *, private: bool) -> None:
    assert is_private_host(host) is private


@pytest.mark.parametrize(
    ("url", "crosses"),
    [
        ("http://127.0.0.1:8080", False),
        ("http://localhost:8080", False),
        ("http://[::1]:8080", False),
        ("http://192.168.1.9:8080", True),
        ("http://example.org", True),
        ("https://example.org", False),
    ],
)
def test_crosses_network_unencrypted(url: str, *, crosses: bool) -> None:
    assert crosses_network_unencrypted(url) is crosses


def test_host_of() -> None:
    assert host_of("http://[::1]:8080/x") == "::1"
    assert host_of("http://[::1") == ""
