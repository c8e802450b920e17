"""Which error a reply without results is. The replies of real servers are in test_recorded.py."""

from __future__ import annotations

import pytest

from llamachat.core.errors import SearchCause
from llamachat.searxng.refusal import refusal
from llamachat.searxng.reply import Reply


def cause(status: int, body: bytes = b"", **headers: str) -> SearchCause:
    return refusal(Reply(status, headers, body), site="http://box.example").cause


@pytest.mark.parametrize("status", [201, 204, 301, 402, 405, 418, 451])
def test_other_statuses_are_told_with_their_number(status: int) -> None:
    error = refusal(Reply(status, {}, b"<html>secret page</html>"), site="http://box.example")
    assert error.cause is SearchCause.NOT_SEARXNG
    assert str(status) in str(error)
    assert "secret" not in str(error)


def test_a_403_is_told_apart() -> None:
    page = b"<!doctype html>\n<html lang=en>\n<title>403 Forbidden</title>"
    assert cause(403, page) is SearchCause.JSON_OFF
    assert cause(403, b"<!doctype html><title>403 Forbidden</title>") is SearchCause.JSON_OFF
    assert refusal(Reply(403, {"server-timing": "total"}, b""), site="x").cause is SearchCause.JSON_OFF
    assert cause(403, b"<html>\r\n<head><title>403 Forbidden</title></head>") is SearchCause.UNAUTHORIZED
    assert cause(403, b'{"error": "forbidden"}') is SearchCause.UNAUTHORIZED
    assert cause(403) is SearchCause.UNAUTHORIZED


def test_a_page_of_another_program_is_not_searxng() -> None:
    assert cause(200, b"<html><title>Login to SearXNG</title>") is SearchCause.NOT_SEARXNG
    assert cause(200, b'<meta name="generator" content="searxng/2026">') is SearchCause.JSON_OFF


def test_words_of_the_server_are_made_plain() -> None:
    error = refusal(
        Reply(400, {}, b'{"error": "bad <b>\\u202e {site} \\n' + b"x" * 900 + b'"}'), site="http://box.example"
    )
    assert error.cause is SearchCause.BAD_QUERY
    assert "\u202e" not in str(error)
    assert "\n" not in str(error)
    assert "{site}" in str(error)
    assert len(str(error)) < 400


def test_an_error_that_is_no_text_is_read_by_its_status() -> None:
    assert cause(429, b'{"error": {"code": 429}}') is SearchCause.LIMITED
    assert cause(500, b'{"error": null}') is SearchCause.SERVER_FAULT
    assert cause(200, b'{"error": "search error"}') is SearchCause.BAD_QUERY
