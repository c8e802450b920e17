"""Passwords of the search address that a server repeats: none of their forms gets in."""

from __future__ import annotations

import base64
import json
from urllib.parse import quote

import pytest

from llamachat.core.errors import SearchError
from llamachat.searxng.address import redirected, searxng_address
from llamachat.searxng.answer import read_answer
from llamachat.searxng.reply import Reply
from llamachat.searxng.secrets import mask_for

PASSWORD = 'p@ss/w"ö rd?&<'
URL = f"https://me:{quote(PASSWORD, safe='')}@box.example/?token=0123456789abcdef"
BASIC = base64.b64encode(f"me:{PASSWORD}".encode()).decode()
ECHOES = {
    "as it is": PASSWORD,
    "in the header": f"Basic {BASIC}",
    "in the header, safe for addresses": base64.urlsafe_b64encode(f"me:{PASSWORD}".encode()).decode().rstrip("="),
    "in the header, quoted": quote(BASIC, safe=""),
    "in the address": URL,
    "quoted": quote(PASSWORD),
    "quoted in small letters": "p%40ss%2fw%22%c3%b6%20rd%3f%26%3c",
    "as a form": "p%40ss%2Fw%22%C3%B6+rd%3F%26%3C",
    "in a page": "p@ss/w&quot;ö rd?&amp;&lt;",
    "in JSON": json.dumps({"password": PASSWORD}),
    "a parameter": "0123456789abcdef",
}
TRACES = (PASSWORD, "ss/w", "p%40ss", BASIC[:-4], "0123456789", "&quot;")


def said(status: int, payload: object) -> str:
    """All that is read of a reply, or said of it."""
    address = searxng_address(URL)
    reply = Reply(status, {}, json.dumps(payload).encode(), address.mask)
    try:
        return repr(read_answer(reply, site=address.site, count=5, snippet_chars=300))
    except SearchError as error:
        return f"{error} {error.engines}"


@pytest.mark.parametrize("echo", ECHOES.values(), ids=ECHOES)
@pytest.mark.parametrize("status", [200, 400, 500])
def test_nothing_that_is_read_holds_a_secret(echo: str, status: int) -> None:
    page = {"url": f"https://e.example/{echo}", "title": echo, "content": f"before {echo} behind"}
    box = {"infobox": echo, "content": echo, "attributes": [{"label": echo, "value": echo}], "urls": [{"url": echo}]}
    found = {"results": [page], "answers": [{"answer": echo}], "infoboxes": [box]}
    for payload in (
        {**found, "unresponsive_engines": [["brave", echo]]},
        {"results": [], "unresponsive_engines": [["brave", echo]]},
        {"error": f"{'x' * 190} {echo}"},
    ):
        text = said(status, payload)
        assert not [trace for trace in TRACES if trace in text]


def test_what_is_around_a_secret_stays() -> None:
    text = said(200, {"results": [{"url": "https://e.example/", "title": "T", "content": f"before {BASIC} behind"}]})
    assert "before *** behind" in text


def test_where_a_search_is_sent_on_to_holds_none() -> None:
    address = searxng_address("https://me:secret-word@box.example/")
    with pytest.raises(SearchError) as caught:
        redirected(address, "/login/secret-word")
    assert "secret-word" not in str(caught.value)
    assert "secret-word" not in redirected(address, "/secret-word/search").site


def test_a_short_password_is_masked_only_with_its_user() -> None:
    mask = mask_for("me", "cat", ["simple"])
    assert mask.text("the cat is simple, me:cat, bWU6Y2F0") == "the cat is simple, ***, ***"


def test_a_token_in_the_place_of_the_user_is_masked_alone() -> None:
    assert mask_for("0123abcd", "", []).text("token 0123abcd") == "token ***"


def test_keys_stay() -> None:
    mask = mask_for("me", "results", [])
    assert mask.value({"results": ["results", 1, None]}) == {"results": ["***", 1, None]}


def test_without_secrets_nothing_is_touched() -> None:
    mask = searxng_address("http://127.0.0.1:8888/?theme=simple").mask
    assert mask.text("theme=simple : me") == "theme=simple : me"
    assert "secret" not in repr(searxng_address("http://me:secret-word@127.0.0.1/"))
