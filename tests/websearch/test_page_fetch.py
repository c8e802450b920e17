"""One fetch: redirects, names that change, wires that are dead, heads that lie. All through real sockets."""

from __future__ import annotations

import gzip
import ssl
from pathlib import Path

import pytest

from llamachat.core.cancel import CancelToken
from llamachat.core.errors import PageError
from llamachat.core.raw_page import RawPage
from llamachat.websearch.addresses import AddressError
from llamachat.websearch.page_reply import FetchLimits
from tests.fakes.page_world import PUBLIC, PageWorld
from tests.fakes.replay import Behaviour, answer, raw, replay, reset, server_tls

HTML = {"Content-Type": "text/html; charset=utf-8"}
PAGE = answer(200, HTML, b"<p>High water at nine.")
START = "http://public.example/"
TLS = Path(__file__).parents[1] / "data" / "searxng" / "tls"


def sends_on(*targets: str) -> list[Behaviour]:
    """Redirects, one after the other."""
    return [answer(302, {"Location": target}, b"elsewhere") for target in targets]


def refusal(*behaviours: Behaviour, url: str = START) -> str:
    """Why a page is not fetched."""
    with replay(*behaviours) as server, pytest.raises(PageError) as failed:
        PageWorld(server.url).fetcher().fetch(url, CancelToken())
    return failed.value.sentence


def test_a_page_as_it_came() -> None:
    with replay(PAGE) as server:
        world = PageWorld(server.url)
        page = world.fetcher().fetch("http://public.example/a%20b?c=d#e", CancelToken())
    assert page == RawPage(b"<p>High water at nine.", "text/html", "utf-8")
    head = server.received[0].decode().split("\r\n")
    assert head[0] == "GET /a%20b?c=d HTTP/1.1"
    assert "Host: public.example" in head
    assert "Accept-Encoding: gzip" in head
    assert not [line for line in head if line.lower().startswith(("cookie", "referer", "authorization"))]
    (row,) = world.journal
    assert (row.host, row.what, row.query, row.outcome) == (
        "public.example",
        "page",
        "http://public.example/a%20b?c=d",
        "ok",
    )
    assert row.bytes_out > 100
    assert row.bytes_in > len(page.body)


def test_a_number_is_asked_under_its_own_name() -> None:
    with replay(PAGE) as server:
        world = PageWorld(server.url)
        world.fetcher().fetch("http://[2606:4700::1111]/", CancelToken())
    assert b"Host: [2606:4700::1111]\r\n" in server.received[0]
    assert world.dialled == [("2606:4700::1111", 80)]


def test_redirects_are_followed_with_a_look_up_each() -> None:
    targets = ("/b?c", "//other.example/d", "http://other.example/e", "?f", "https://third.example:80/")
    with replay(*sends_on(*targets[:4]), PAGE) as server:
        world = PageWorld(server.url)
        world.fetcher().fetch(START, CancelToken())
    assert [request.split(b" ")[1] for request in server.received] == [b"/", b"/b?c", b"/d", b"/e", b"/e?f"]
    assert world.looked_up == ["public.example"] * 2 + ["other.example"] * 3
    assert [row.host for row in world.journal] == world.looked_up


@pytest.mark.parametrize(
    "target", ["http://127.0.0.1/", "http://169.254.169.254/", "http://192.168.1.1/", "file:///etc/hostname"]
)
def test_five_good_redirects_and_a_bad_one(target: str) -> None:
    chain = [f"http://hop{number}.example/" for number in range(4)]
    with replay(*sends_on(*chain, target)) as server:
        world = PageWorld(server.url)
        with pytest.raises(AddressError):
            world.fetcher().fetch(START, CancelToken())
    assert len(server.received) == 5
    assert {number for number, _ in world.dialled} == {PUBLIC}


def test_redirects_without_end() -> None:
    with replay(*sends_on(START)) as server:
        with pytest.raises(PageError, match="it sends on more than 5 times"):
            PageWorld(server.url).fetcher().fetch(START, CancelToken())
        assert len(server.received) == 6


def test_a_page_that_sends_on_by_its_head_is_not_followed() -> None:
    html = b'<html><meta http-equiv="refresh" content="0;url=http://127.0.0.1/"><p>text'
    with replay(answer(200, HTML, html)) as server:
        world = PageWorld(server.url)
        world.fetcher().fetch(START, CancelToken())
    assert len(world.dialled) == 1


def test_a_name_that_changes_its_number_is_judged_at_each_connection() -> None:
    """What was judged is what is dialled: no second look-up stands between them."""
    with replay(*sends_on("/again")) as server:
        world = PageWorld(server.url, {"rebind.example": [[PUBLIC], ["127.0.0.1"]]})
        with pytest.raises(AddressError, match=r"rebind\.example is not on the public internet"):
            world.fetcher().fetch("http://rebind.example/", CancelToken())
        assert world.dialled == [(PUBLIC, 80)]
        assert len(server.received) == 1


def test_the_numbers_of_a_name_are_tried_in_turn() -> None:
    dead = ["2606:4700::1", "2606:4700::2"]
    with replay(PAGE) as server:
        world = PageWorld(server.url, {"public.example": [[*dead, PUBLIC]]}, dead=dead)
        world.fetcher().fetch(START, CancelToken())
        assert [number for number, _ in world.dialled] == [*dead, PUBLIC]
        world = PageWorld(server.url, dead=[PUBLIC])
        with pytest.raises(PageError, match=r"no connection \(connection refused\)"):
            world.fetcher().fetch(START, CancelToken())
    assert world.journal[0].outcome == "no connection (connection refused)"


def test_a_name_that_nobody_knows() -> None:
    world = PageWorld("http://127.0.0.1:1", {"public.example": [[]]})
    words = r"the name public\.example cannot be looked up \(Name or service not known\)"
    with pytest.raises(PageError, match=words):
        world.fetcher().fetch(START, CancelToken())
    with pytest.raises(PageError, match=words):
        world.fetcher().check(START, CancelToken())
    assert world.journal == []


def test_the_certificate_belongs_to_the_name() -> None:
    """The connection goes to a number; the name stays what is asked for and what the certificate must have."""
    trusting = ssl.create_default_context(cafile=str(TLS / "local.pem"))
    with replay(PAGE, tls=server_tls(TLS / "local.pem")) as server:
        world = PageWorld(server.url, trust=trusting)
        with pytest.raises(PageError, match=r"certificate is not trusted .*public\.example"):
            world.fetcher().fetch("https://public.example/", CancelToken())
        with pytest.raises(PageError, match="its certificate is not trusted"):
            PageWorld(server.url, trust=ssl.create_default_context()).fetcher().fetch(
                "https://public.example/", CancelToken()
            )


def test_a_page_over_tls_is_asked_for_by_its_name_at_its_number() -> None:
    own = Path(__file__).parents[1] / "data" / "pages" / "public_example.pem"
    trusting = ssl.create_default_context(cafile=str(own))
    with replay(PAGE, tls=server_tls(own)) as server:
        world = PageWorld(server.url, trust=trusting)
        assert world.fetcher().fetch("https://public.example/", CancelToken()).body == b"<p>High water at nine."
        assert world.dialled == [(PUBLIC, 443)]
        with pytest.raises(PageError, match=r"certificate is not trusted .*other\.example"):
            world.fetcher().fetch("https://other.example/", CancelToken())
    assert b"Host: public.example\r\n" in server.received[0]


@pytest.mark.parametrize(
    ("status", "words"),
    [
        (404, "the page is not there any more (404)"),
        (403, "the server turns programs away (403)"),
        (429, "the server turns programs away (429)"),
        (500, "the server answered with the error 500"),
        (302, "the server answered with the error 302"),
    ],
)
def test_errors_of_servers(status: int, words: str) -> None:
    assert refusal(answer(status, HTML, b"sorry")) == words


@pytest.mark.claim("ST-059")
@pytest.mark.parametrize("kind", ["image/png", "video/mp4", "application/zip", "font/woff2", "multipart/mixed", "x"])
def test_what_is_no_text_is_refused_before_its_body(kind: str) -> None:
    head = f"HTTP/1.1 200 OK\r\nContent-Type: {kind}\r\nContent-Length: 1000\r\n\r\n".encode()
    assert refusal(raw(head)) == f"it is no text ({kind})"


@pytest.mark.parametrize("kind", ["text/plain", "application/json", "application/atom+xml", "application/pdf", ""])
def test_kinds_of_text(kind: str) -> None:
    with replay(answer(200, {"Content-Type": kind} if kind else {}, b"x")) as server:
        assert PageWorld(server.url).fetcher().fetch(START, CancelToken()).media_type == kind


@pytest.mark.parametrize(
    ("head", "charset"),
    [
        ("text/html; charset=UTF-8", "utf-8"),
        ('text/html; a=b; Charset = "gb2312"', "gb2312"),
        ("text/html;charset='x'", "x"),
        ("text/html", ""),
        ("text/html; charset=", ""),
    ],
)
def test_the_charset_of_the_head(head: str, charset: str) -> None:
    with replay(answer(200, {"Content-Type": head}, b"x")) as server:
        assert PageWorld(server.url).fetcher().fetch(START, CancelToken()).charset == charset


def test_gzip_is_undone_and_nothing_else_is_read() -> None:
    packed = gzip.compress(b"High water")
    with replay(answer(200, HTML | {"Content-Encoding": "gzip"}, packed)) as server:
        assert PageWorld(server.url).fetcher().fetch(START, CancelToken()).body == b"High water"
    for encoding in ("br", "zstd", "deflate", "gzip, gzip", "gzip, br", "compress"):
        assert f"not asked for ({encoding})" in refusal(answer(200, HTML | {"Content-Encoding": encoding}, packed))
    assert refusal(answer(200, HTML | {"Content-Encoding": "gzip"}, b"no gzip")) == "its gzip is damaged"
    assert refusal(answer(200, HTML | {"Content-Encoding": "gzip"}, packed[:-9])) == "it ended in the middle"


@pytest.mark.parametrize(
    "behaviour",
    [
        reset,
        raw(b""),
        raw(b"HTTP/1.1 200 OK\r\n"),
        raw(b"no HTTP at all\r\n\r\n"),
        answer(200, HTML, b"half", length=8),
    ],
)
def test_a_connection_that_breaks_off(behaviour: Behaviour) -> None:
    assert refusal(behaviour) == "the connection broke off"


def test_a_page_that_comes_in_the_open_after_all_is_noted() -> None:
    trust = ssl.create_default_context(cafile=str(TLS / "local.pem"))
    trust.check_hostname = False
    secret = replay(*sends_on(START), tls=server_tls(TLS / "local.pem"))
    with replay(PAGE) as server, secret as behind_tls:
        world = PageWorld(server.url, tls_server=behind_tls.url, trust=trust)
        assert world.fetcher().fetch("https://public.example/", CancelToken()).note == (
            "It came over an unencrypted connection."
        )
        assert world.fetcher().fetch(START, CancelToken()).note == ""


def test_a_length_that_is_too_small_ends_the_page() -> None:
    with replay(answer(200, HTML, b"1234567890" + b"x" * 1000, length=10)) as server:
        assert PageWorld(server.url).fetcher().fetch(START, CancelToken()).body == b"1234567890"


@pytest.mark.parametrize("length", ["5000000000", "9" * 5000])
def test_a_length_that_is_too_large_is_refused_before_the_body(length: str) -> None:
    head = f"HTTP/1.1 200 OK\r\nContent-Type: text/html\r\nContent-Length: {length}\r\n\r\n".encode()
    assert refusal(raw(head)) in ("it is larger than 2 MB", "the connection broke off")


def test_limits_are_those_of_the_specification() -> None:
    assert FetchLimits() == FetchLimits(
        timeout_s=10, wire_bytes=2 * 1024 * 1024, unpacked_bytes=8 * 1024 * 1024, redirects=5
    )
