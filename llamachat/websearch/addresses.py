"""Which pages may be fetched: http and https, on the public internet, by a name or a number that is written plainly.

A page's address comes from strangers. What it leads to is judged by the numbers that its name stands for, not by its
text; `page_fetch` connects to the numbers that were judged. Python's `is_global` is not enough: 3.11 calls multicast,
6to4 with a private address inside, and the metadata services of two clouds global.
"""

from __future__ import annotations

import ipaddress
import re
import socket
from collections.abc import Collection
from dataclasses import dataclass
from typing import TYPE_CHECKING

from llamachat.core.errors import PageError
from llamachat.core.late import LateModule
from llamachat.core.plain_text import cut_at_word, plain_line
from llamachat.core.text import tr
from llamachat.core.web_address import is_private_host

if TYPE_CHECKING:
    import httpx
else:
    httpx = LateModule("httpx")

_PORTS = {"http": 80, "https": 443}
_SPELLED_PLAINLY = re.compile(r"[a-z0-9_-]{1,63}(?:\.[a-z0-9_-]{1,63})+\.?")
_LIKE_A_NUMBER = re.compile(r"(?:\d+|0x[0-9a-f]*)\.?")  # a last label that makes resolvers read all of it as a number
_CLOSED = tuple(
    ipaddress.ip_network(block)
    for block in (
        "0.0.0.0/8", "10.0.0.0/8", "100.64.0.0/10", "127.0.0.0/8", "168.63.129.16/32", "169.254.0.0/16",
        "172.16.0.0/12", "192.0.0.0/24", "192.0.2.0/24", "192.31.196.0/24", "192.52.193.0/24", "192.88.99.0/24",
        "192.168.0.0/16", "192.175.48.0/24", "198.18.0.0/15", "198.51.100.0/24", "203.0.113.0/24", "224.0.0.0/4",
        "240.0.0.0/4",
        "::/96", "::ffff:0:0:0/96", "64:ff9b::/96", "64:ff9b:1::/48", "100::/64", "100:0:0:1::/64", "2001::/23",
        "2001:db8::/32", "2002::/16", "3fff::/20", "5f00::/16", "fc00::/7", "fe80::/10", "fec0::/10", "ff00::/8",
    )
)  # fmt: skip


class AddressError(PageError):
    """The page is not fetched because of where it is."""


@dataclass(frozen=True, slots=True)
class PageAddress:
    """An address that may be looked up. url: without its anchor. host: the name or number for the look-up."""

    url: httpx.URL
    host: str
    port: int


def page_address(url: str | httpx.URL, *, off_limits: Collection[str] = ()) -> PageAddress:
    """The address in `url`; raises AddressError where it must not be looked up.

    off_limits: hosts that are the user's own.
    """
    try:
        parts = httpx.URL(url).copy_with(fragment=None)
        host = parts.raw_host.decode("ascii").lower()
    except (httpx.InvalidURL, UnicodeError):
        raise not_allowed(tr("it is not well-formed")) from None
    if parts.scheme not in _PORTS:
        raise not_allowed(tr('"{scheme}" is not read, only http and https').format(scheme=_shown(parts.scheme)))
    if parts.userinfo:
        raise not_allowed(tr("a user name stands in it"))
    port = _PORTS[parts.scheme] if parts.port is None else parts.port
    if port not in _PORTS.values():
        raise not_allowed(tr("port {port} is not one of web pages").format(port=port))
    _check_host(host, off_limits)
    return PageAddress(parts, host, port)


def look_up(host: str, port: int) -> tuple[str, ...]:
    """The numbers that a host stands for, best first. Blocks as long as the system likes; raises OSError."""
    found = socket.getaddrinfo(host, port, type=socket.SOCK_STREAM)
    return tuple(dict.fromkeys(str(entry[4][0]) for entry in found))


def check_public(host: str, numbers: Collection[str]) -> None:
    """Raise AddressError unless every one of the numbers of a host is public."""
    if not numbers or not all(is_public(number) for number in numbers):
        raise not_allowed(tr("{host} is not on the public internet").format(host=_shown(host)))


def is_public(number: str) -> bool:
    """Whether an IP address is one of the public internet; what is no IP address is not."""
    try:
        address = ipaddress.ip_address(number.partition("%")[0])
    except ValueError:
        return False
    if isinstance(address, ipaddress.IPv6Address) and address.ipv4_mapped:
        address = address.ipv4_mapped
    return address.is_global and not any(address in block for block in _CLOSED if block.version == address.version)


def not_allowed(why: str) -> AddressError:
    """The error for an address that is not fetched."""
    return AddressError(tr("address not allowed: {why}").format(why=why))


def _check_host(host: str, off_limits: Collection[str]) -> None:
    if ":" in host:
        check_public(host, (host,) if "%" not in host else ())
        return
    name = host.rstrip(".")
    if _LIKE_A_NUMBER.fullmatch(name.rpartition(".")[2]):
        try:
            check_public(host, (str(ipaddress.IPv4Address(host)),))
        except ValueError:
            raise not_allowed(tr("{host} is a number written oddly").format(host=_shown(host))) from None
    elif is_private_host(name):
        raise not_allowed(tr("{host} is not on the public internet").format(host=_shown(host)))
    elif len(host) > 253 or not _SPELLED_PLAINLY.fullmatch(host):
        raise not_allowed(tr("it is not well-formed"))
    if name in {own.strip("[]").rstrip(".").lower() for own in off_limits}:
        raise not_allowed(tr("{host} is one of your own servers").format(host=_shown(host)))


def _shown(text: str) -> str:
    return cut_at_word(plain_line(text), 80)
