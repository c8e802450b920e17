"""Hosts and pages by their addresses alone."""

from __future__ import annotations

import pytest

from llamachat.core.web_address import (
    crosses_network_unencrypted,
    host_of,
    is_loopback_host,
    is_private_host,
    page_key,
    without_secrets,
)


@pytest.mark.parametrize(
    "host",
    [
        "localhost", "LOCALHOST.", "127.0.0.1", "127.8.8.8", "::1", "[::1]", "10.1.2.3", "192.168.1.5", "172.31.0.1",
        "169.254.1.1", "100.64.0.7", "fd00::1", "fe80::1%eth0", "::ffff:127.0.0.1", "nas", "box.lan", "nas.local",
        "search.home.arpa", "0.0.0.0", "::ffff:192.168.0.1",
    ],
)  # fmt: skip
def test_own_hosts(host: str) -> None:
    assert is_private_host(host)


@pytest.mark.parametrize(
    "host",
    ["example.org", "8.8.8.8", "::ffff:8.8.8.8", "2606:4700::1111", "172.32.0.1", "local.example.org", "notlan.com"],
)
def test_public_hosts(host: str) -> None:
    assert not is_private_host(host)


@pytest.mark.parametrize(
    ("host", "loopback"),
    [
        *(("127.0.0.1", True), ("::1", True), ("localhost", True), ("api.localhost", True), ("0.0.0.0", True)),
        *(("192.168.1.9", False), ("box", False), ("localhost.example", False), ("", False)),
    ],
)
def test_loopback_hosts(host: str, *, loopback: bool) -> None:
    assert is_loopback_host(host) is loopback


@pytest.mark.claim("ST-043")
@pytest.mark.parametrize(
    ("url", "crosses"),
    [
        ("http://127.0.0.1:8080", False),
        ("http://localhost:8080", False),
        ("http://[::1]:8080", False),
        ("http://192.168.1.9:8080", True),
        ("http://example.org", True),
        ("https://example.org", False),
        ("http://[::1", False),
    ],
)
def test_crosses_network_unencrypted(url: str, *, crosses: bool) -> None:
    assert crosses_network_unencrypted(url) is crosses


@pytest.mark.parametrize(
    ("url", "host"),
    [
        ("https://user:pw@Box.Example:81/x", "box.example"),
        ("http://[::1]:8080/x", "::1"),
        ("http://[not-an-ip/", ""),
        ("mailto:someone@example.org", ""),
        ("", ""),
    ],
)
def test_host_of(url: str, host: str) -> None:
    assert host_of(url) == host


@pytest.mark.parametrize(
    ("address", "shown"),
    [
        ("http://box/search", "http://box/search"),
        ("me:pw@box", "***@box"),
        ("https://me:p@w/x@box:1/a", "https://***@box:1/a"),
        ("http://me:p\\w@box", "http://***@box"),
        ("http://me:pw@box/?next=http://else", "http://***@box/?next=***"),
        ("box/search?token=abc&q=%s&x=#top", "box/search?token=***&q=***&x=#top"),
    ],
)
def test_secrets_are_hidden(address: str, shown: str) -> None:
    assert without_secrets(address) == shown


@pytest.mark.parametrize(
    "url",
    [
        "https://e.example/p/",
        "https://e.example/p#top",
        "https://e.example/p?utm_source=z",
        "http://www.e.example/p",
        "https://E.example/p?fbclid=1",
    ],
)
def test_one_page_has_one_key(url: str) -> None:
    assert page_key(url) == page_key("https://e.example/p")


@pytest.mark.parametrize(
    "url",
    [
        "https://e.example/p?id=2",
        "https://e.example/P",
        "https://e.example:8443/p",
        "https://sub.e.example/p",
        "https://e.example/p#!/second",
        "ftp://e.example/p",
        "http://[not-an-ip/",
        "https://e.example/p?x=\ud800",
        "",
    ],
)
def test_other_pages_have_other_keys(url: str) -> None:
    assert page_key(url) != page_key("https://e.example/p")
