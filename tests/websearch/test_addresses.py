"""No page at an address that is not of the public internet is asked for, however the address is written."""

from __future__ import annotations

from pathlib import Path

import pytest

from llamachat.core.cancel import CancelToken
from llamachat.core.errors import PageError
from llamachat.websearch.addresses import AddressError, is_public, look_up, page_address
from tests.fakes.page_world import PUBLIC, PageWorld
from tests.fakes.replay import answer, replay

DATA = Path(__file__).parents[1] / "data" / "pages"
NAMES = {
    "127.0.0.1.nip.io": [["127.0.0.1"]],
    "home.public.example": [["192.168.1.1"]],
    "half.public.example": [[PUBLIC, "127.0.0.1"]],
    "mapped.public.example": [["::ffff:10.0.0.1"]],
    "nat64.public.example": [[PUBLIC, "64:ff9b::a00:1"]],
}


def lines(name: str) -> list[str]:
    """The lines of a file of test data."""
    return (DATA / name).read_text(encoding="utf-8").split("\n")[:-1]


@pytest.mark.parametrize("number", lines("closed_numbers.txt"))
def test_numbers_that_are_not_public(number: str) -> None:
    assert not is_public(number)


@pytest.mark.parametrize("number", lines("open_numbers.txt"))
def test_numbers_that_are(number: str) -> None:
    assert is_public(number)


@pytest.mark.parametrize("text", ["", "x", "127.1", "0x7f000001", "1.1.1.1.1"])
def test_what_is_no_number_is_not_public(text: str) -> None:
    assert not is_public(text)


def test_there_are_enough_spellings() -> None:
    assert len(set(lines("spellings.txt"))) >= 60


@pytest.mark.parametrize("url", lines("spellings.txt"))
def test_no_spelling_leads_home(url: str) -> None:
    """Not as the address of a result, and not as the one that a page sends on to."""
    location = url.encode("utf-8").decode("latin-1")
    with replay(answer(302, {"Location": location}, b"")) as server:
        world = PageWorld(server.url, NAMES)
        fetcher = world.fetcher(off_limits=["own.public.example"])
        with pytest.raises(AddressError, match="address not allowed"):
            fetcher.fetch(url, CancelToken())
        assert (world.dialled, server.received, world.journal) == ([], [], [])
        with pytest.raises(AddressError, match="address not allowed"):
            fetcher.fetch("http://public.example/", CancelToken())
        assert world.dialled == [(PUBLIC, 80)]
        assert len(server.received) == len(world.journal) == 1


@pytest.mark.parametrize("url", ["http:127.0.0.1/", "http:///127.0.0.1/", "http:\\\\127.0.0.1/", "http://", "", " "])
def test_an_address_without_a_host_is_none(url: str) -> None:
    with replay(answer(200, {}, b"home")) as server:
        world = PageWorld(server.url)
        with pytest.raises(AddressError, match="address not allowed"):
            world.fetcher().fetch(url, CancelToken())
        assert world.dialled == []


@pytest.mark.claim("ST-039")
@pytest.mark.parametrize("url", lines("schemes.txt"))
def test_other_schemes_are_named_and_open_nothing(url: str) -> None:
    scheme = url.partition(":")[0]
    with replay(answer(302, {"Location": url}, b"")) as server:
        world = PageWorld(server.url)
        with pytest.raises(PageError, match=f'"{scheme}" is not read, only http and https'):
            world.fetcher().fetch(url, CancelToken())
        assert world.dialled == []
        with pytest.raises(PageError, match=f'"{scheme}" is not read, only http and https'):
            world.fetcher().fetch("http://public.example/", CancelToken())
        assert len(server.received) == 1


@pytest.mark.parametrize(
    ("url", "host", "port"),
    [
        ("http://public.example/a?b=c#d", "public.example", 80),
        ("https://Public.Example./", "public.example.", 443),
        ("https://public.example:443/", "public.example", 443),
        ("http://public.example:443/", "public.example", 443),
        ("http://b\u00fccher.example/", "xn--bcher-kva.example", 80),
        ("http://my_host.public.example/", "my_host.public.example", 80),
        ("http://1.1.1.1/", "1.1.1.1", 80),
        ("http://[2606:4700::1111]/", "2606:4700::1111", 80),
        ("http://3com.example/", "3com.example", 80),
        ("http://public.example./x", "public.example.", 80),
    ],
)
def test_addresses_of_pages(url: str, host: str, port: int) -> None:
    address = page_address(url)
    assert (address.host, address.port) == (host, port)
    assert "#" not in str(address.url)


def test_names_are_looked_up_by_the_system() -> None:
    assert "127.0.0.1" in look_up("localhost", 80) or "::1" in look_up("localhost", 80)
