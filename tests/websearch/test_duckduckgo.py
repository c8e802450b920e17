"""DuckDuckGo's page beyond the recorded ones: hostile ones end soon, and blocked is never mistaken for empty."""

from __future__ import annotations

import pytest

from llamachat.core.errors import SearchCause
from llamachat.searxng.reply import Reply
from llamachat.websearch.adapter import Found
from llamachat.websearch.providers.duckduckgo import DUCKDUCKGO

FORM = '<form action="/lite/" method="post"><input name="q"></form>'


def results(page: str) -> list[Found] | None:
    found = DUCKDUCKGO.results(Reply(200, {}, page.encode()))
    return None if found is None else list(found)


@pytest.mark.timeout(20)  # a parser that looks for each end anew needs minutes for the first
@pytest.mark.parametrize("piece", ["<!--", "<!", "<?", "<![CDATA[", "</", "<a href='", "<a x=' ", "&#", "<script>"])
def test_no_page_takes_long(piece: str) -> None:
    page = FORM + "<a class=result-link href=https://a.example/>" + piece * (1_000_000 // len(piece))
    assert DUCKDUCKGO.refusal(Reply(200, {}, page.encode())) is None
    assert results(page) is not None


@pytest.mark.parametrize(
    ("href", "url"),
    [
        ("https://a.example/x?a=1&amp;b=2", "https://a.example/x?a=1&b=2"),
        ("//duckduckgo.com/l/?uddg=https%3A%2F%2Fa.example%2F%C3%BC&amp;rut=1", "https://a.example/ü"),
        ("https://lite.duckduckgo.com/l/?uddg=https%3A%2F%2Fa.example%2F", "https://a.example/"),
        (
            "https://a.example/l/?uddg=https%3A%2F%2Fb.example%2F",
            "https://a.example/l/?uddg=https%3A%2F%2Fb.example%2F",
        ),
        ("https://duckduckgo.com/about", "https://duckduckgo.com/about"),
        ("http://[::1", "http://[::1"),
    ],
)
def test_where_a_result_leads(href: str, url: str) -> None:
    found = results(f'{FORM}<a class="x result-link" href="{href}">T</a><td class=result-snippet>S</td>')
    assert found == [Found("T", url, "S")]


@pytest.mark.parametrize("href", ["https://duckduckgo.com/y.js?ad_domain=x", "//duckduckgo.com/l/?rut=1", ""])
def test_advertisements_and_results_without_an_address_are_left_out(href: str) -> None:
    assert results(f'{FORM}<a class="result-link" href="{href}">T</a>') == []


def test_a_snippet_without_a_result_belongs_to_none() -> None:
    assert results(f"{FORM}<td class='result-snippet'>S</td>") == []


@pytest.mark.claim("ST-033")
@pytest.mark.parametrize(
    "form",
    [
        '<form id="challenge-form" action="/x">',
        "<FORM ACTION='//duckduckgo.com/anomaly.js?sv=lite'>",
        f'{FORM}<form id=challenge-form action="/lite/">',
    ],
)
def test_a_page_for_robots_is_told_as_one_whatever_else_is_on_it(form: str) -> None:
    page = f'{form}</form><a class="result-link" href="https://a.example/">T</a>'
    refusal = DUCKDUCKGO.refusal(Reply(200, {}, page.encode()))
    assert refusal is not None
    assert refusal.cause is SearchCause.BOT_PAGE


def test_what_has_no_form_of_its_own_is_no_page_of_results() -> None:
    assert results("") is None
    assert results('<form action="/login"></form><a class="result-link" href="https://a.example/">T</a>') is None
