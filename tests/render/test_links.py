"""Which addresses may be opened, what tooltips say, and the program's own anchors."""

from __future__ import annotations

import pytest

from llamachat.render.links import Anchor, AnchorKind, allowed_link, describe_link, parse_anchor


@pytest.mark.claim("LC-037")
@pytest.mark.parametrize(
    ("address", "opened"),
    [
        ("https://ok.example/", "https://ok.example/"),
        ("  https://ok.example/a b", "https://ok.example/a%20b"),
        ("HTTP://ok.example", "HTTP://ok.example"),
        ("http://[::1]:8080/x", "http://[::1]:8080/x"),
        ("mailto:a@example.org", "mailto:a@example.org"),
        ("https://ok.example/?q=1&lt=2#x", "https://ok.example/?q=1&lt=2#x"),
    ],
)
def test_web_and_mail_addresses_are_allowed(address: str, opened: str) -> None:
    assert allowed_link(address) == opened


@pytest.mark.claim("LC-037", "ST-041")
@pytest.mark.parametrize(
    "address",
    [
        "",
        "javascript:alert(1)",
        "JaVaScRiPt:1",
        "data:text/html,<h1>Login</h1>",
        "file:///etc/passwd",
        "smb://10.0.0.5/x",
        "vscode://x",
        "ms-msdt:/id",
        "//host/x",
        "#sec",
        "page.html",
        "https:",
        "https://",
        "http:///path",
        "https://[::1",
        "https://host:port/",
        "mailto:",
        "mailto:nobody",
        "x-llamachat-search:1/0",
        "x-llamachat-retry:1",
        "qrc:/x",
        "\\\\host\\share",
        "https://" + "a" * 3000 + ".example",
    ],
)
def test_everything_else_is_refused(address: str) -> None:
    assert allowed_link(address) is None


def test_characters_that_hide_where_a_link_goes_do_not_survive() -> None:
    for character in '\u202e\u200b\n\t"<>\\':
        opened = allowed_link(f"https://ok.example/{character}x")
        assert opened is None or character not in opened


def test_a_tooltip_names_the_host_that_a_user_name_hides() -> None:
    assert describe_link("https://ok.example@evil.example/") == "evil.example\nhttps://ok.example@evil.example/"
    assert describe_link("https://ok.example/x") == "https://ok.example/x"
    assert describe_link("https://xn--e1afmkfd.example/").startswith("xn--e1afmkfd.example\n")


@pytest.mark.parametrize("kind", list(AnchorKind))
def test_an_anchor_reads_back(kind: AnchorKind) -> None:
    anchor = Anchor(kind, 7, 3 if kind in (AnchorKind.SEARCH, AnchorKind.CODE) else 0)
    assert parse_anchor(str(anchor)) == anchor


def test_anchors_have_the_form_that_exports_and_pages_know() -> None:
    assert str(Anchor(AnchorKind.SEARCH, 12, 1)) == "x-llamachat-search:12/1"
    assert str(Anchor(AnchorKind.REASONING, 12)) == "x-llamachat-reasoning:12"


@pytest.mark.parametrize(
    "text", ["", "x-llamachat-search:", "x-llamachat-boom:1", "x-llamachat-copy:1 ", "https://x"]
)
def test_other_text_is_no_anchor(text: str) -> None:
    assert parse_anchor(text) is None
