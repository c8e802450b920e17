"""Jina Reader as it was recorded, and a service that is slow, gone or odd. Served on loopback."""

from __future__ import annotations

import json
from pathlib import Path
from typing import cast

import pytest

from llamachat.core.cancel import CancelToken
from llamachat.core.egress import Egress
from llamachat.core.errors import Cancelled, PageError
from llamachat.core.messages import JsonObject
from llamachat.websearch.providers.jina import PUBLIC_JINA, JinaReader
from tests.fakes.replay import Behaviour, answer, drip, raw, replay, stall
from tests.fakes.still_clock import StillClock

PAGE = "https://harbour.example/gates?a=b#c"
CASES = cast(
    "list[JsonObject]",
    json.loads((Path(__file__).parents[1] / "data" / "pages" / "jina.json").read_text(encoding="utf-8")),
)
REASONS = {
    "dead target inside 200": "the page's server answered it with the error 404",
    "rate limited": "it takes no more requests for 31 s",
    "no balance": "its allowance is used up",
    "domain closed to keyless callers, inside 200": "it may not fetch from this site now",
    "page did not load": "it could not load the page",
    "private address": "it does not fetch from this site",
}


class Journal:
    """The EgressLog seam."""

    def __init__(self) -> None:
        self.rows: list[Egress] = []

    def record(self, egress: Egress) -> None:
        self.rows.append(egress)


def served(case: JsonObject) -> Behaviour:
    """The recorded answer."""
    body = case["body"]
    text = body if isinstance(body, str) else json.dumps(body)
    return answer(cast("int", case["status"]), cast("dict[str, str]", case["headers"]), text.encode())


def read(*behaviours: Behaviour, timeout_s: float = 20) -> str:
    """The text that a service gives for the page."""
    with replay(*behaviours) as server:
        return JinaReader(Journal(), StillClock(), server.url, timeout_s).read(PAGE, CancelToken()).text


def refusal(*behaviours: Behaviour, timeout_s: float = 20) -> str:
    """Why there is none."""
    with pytest.raises(PageError) as failed:
        read(*behaviours, timeout_s=timeout_s)
    return failed.value.sentence


@pytest.mark.parametrize("case", CASES, ids=lambda case: str(case["case"]))
def test_recorded_answers(case: JsonObject) -> None:
    expected = cast("JsonObject", case["expect"])
    if "text" in expected:
        assert read(served(case)) == expected["text"]
    else:
        assert refusal(served(case)) == REASONS[str(case["case"])]


def test_what_it_is_sent_is_the_address_alone() -> None:
    journal = Journal()
    with replay(served(CASES[0])) as server:
        JinaReader(journal, StillClock(), server.url + "/").read(PAGE, CancelToken())
        head, _, body = server.received[0].partition(b"\r\n\r\n")
    assert json.loads(body) == {"url": PAGE}
    assert head.startswith(b"POST / HTTP/1.1\r\n")
    names = {line.split(b":")[0].lower() for line in head.split(b"\r\n")[1:]}
    assert not names & {b"authorization", b"cookie", b"referer"}
    (row,) = journal.rows
    assert (row.host, row.what, row.query, row.outcome) == ("127.0.0.1", "jina", PAGE, "ok")
    assert min(row.bytes_in, row.bytes_out) > 100


def test_the_public_one_is_the_default() -> None:
    assert PUBLIC_JINA == "https://r.jina.ai"


def test_an_address_without_a_scheme_is_taken_as_the_settings_take_it() -> None:
    with replay(served(CASES[0])) as server:
        bare = server.url.removeprefix("http://")
        assert JinaReader(Journal(), StillClock(), bare).read(PAGE, CancelToken()).text


@pytest.mark.parametrize(
    ("behaviour", "reason"),
    [
        (answer(200, {}, b""), "it found no text"),
        (answer(200, {}, b'{"code": 200, "data": {"content": " "}}'), "it found no text"),
        (answer(200, {}, b'{"code": 200, "data": {"content": 5}}'), "it found no text"),
        (answer(200, {}, b'{"code": 200}'), "it answered with the error 200"),
        (answer(200, {}, b'{"data": null, "code": 401}'), "it wants a key"),
        (answer(502, {}, b"<html>Bad gateway</html>"), "it answered with the error 502"),
        (answer(500, {}, b'{"code": 500, "message": "<b>a\\nb"}'), "it answered with the error 500: <b>a b"),
        (answer(429, {}, b"{}"), "it takes no more requests for now"),
        (answer(302, {"Location": "http://127.0.0.1:1/"}, b""), "it answered with the error 302"),
        (answer(200, {}, b"x" * 4_100_000), "it sent too much"),
        (raw(b""), "it is not reachable (the connection broke off)"),
        (
            answer(200, {}, b"Title: x\nWarning: Target URL returned error 403: Forbidden\n\nMarkdown Content:\nno"),
            "the page's server answered it with the error 403",
        ),
    ],
    ids=range(12),
)
def test_other_answers(behaviour: Behaviour, reason: str) -> None:
    assert refusal(behaviour) == reason


@pytest.mark.parametrize("behaviour", [stall(), drip(b"HTTP/1.1 200 OK\r\n" * 1000, every_s=0.02)])
def test_a_slow_service_is_given_up(behaviour: Behaviour) -> None:
    assert refusal(behaviour, timeout_s=0.3) == "no answer within 0.3 s"


def test_stop() -> None:
    cancel, journal = CancelToken(), Journal()
    cancel.cancel()
    with replay(stall()) as server, pytest.raises(Cancelled):
        JinaReader(journal, StillClock(), server.url).read(PAGE, cancel)
    assert journal.rows == []
