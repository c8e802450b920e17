"""What a web address says by itself, without a look-up: whose host it is, and whether two name one page."""

from __future__ import annotations

import ipaddress
import re
from urllib.parse import SplitResult, parse_qsl, urlencode, urlsplit

_PRIVATE_NAMES = (".local", ".localhost", ".lan", ".home", ".home.arpa", ".internal", ".intranet", ".test")
_PARAMETER = re.compile(r"([?&][^=&#]*=)[^&#]+")
_TRACKING = frozenset(("fbclid", "gclid", "dclid", "msclkid", "yclid", "mc_cid", "mc_eid", "igshid"))


def is_loopback_host(host: str) -> bool:
    """True where a connection never leaves this machine."""
    name = _bare(host)
    number = _number(name)
    if number is None:
        return name == "localhost" or name.endswith(".localhost")
    return number.is_loopback or number.is_unspecified


def is_private_host(host: str) -> bool:
    """True for this machine, home and company networks: no proxy of the environment stands in between.

    A name without a dot is a neighbour. A public name is never looked up, so one that points home counts as public.
    """
    name = _bare(host)
    number = _number(name)
    if number is None:
        return "." not in name or name.endswith(_PRIVATE_NAMES)
    return not number.is_global


def crosses_network_unencrypted(url: str) -> bool:
    """True when what is sent to `url` can be read on its way: plain http to another machine."""
    parts = _split(url)
    return parts is not None and parts.scheme == "http" and not is_loopback_host(parts.hostname or "")


def host_of(url: str) -> str:
    """The host in `url`, without brackets; "" where there is none."""
    parts = _split(url)
    return (parts.hostname or "") if parts else ""


def without_secrets(address: str) -> str:
    """An address as it may be shown, also one that cannot be read: `***` stands for user, password and parameters."""
    scheme, mark, rest = address.partition("://") if "://" in address else ("", "", address)
    _, at, place = rest.rpartition("@")
    return _PARAMETER.sub(r"\1***", f"{scheme}{mark}***@{place}" if at else address)


def page_key(url: str) -> str:
    """Equal for addresses of one page, whatever differs of: http or https, `www.`, a last slash, anchor, tracking.

    Addresses of other schemes are their own key.
    """
    parts = _split(url)
    if parts is None or parts.scheme not in ("http", "https"):
        return url
    pairs = parse_qsl(parts.query, keep_blank_values=True)
    query = urlencode([(name, value) for name, value in pairs if not _is_tracking(name)], errors="replace")
    anchor = parts.fragment if parts.fragment.startswith(("!", "/")) else ""  # those lead to another page
    return "\n".join((parts.netloc.lower().removeprefix("www."), parts.path.rstrip("/"), query, anchor))


def _is_tracking(name: str) -> bool:
    return name in _TRACKING or name.startswith("utm_")


def _bare(host: str) -> str:
    return host.strip("[]").rstrip(".").lower()


def _number(name: str) -> ipaddress.IPv4Address | ipaddress.IPv6Address | None:
    try:
        number = ipaddress.ip_address(name.partition("%")[0])
    except ValueError:
        return None
    mapped = number.ipv4_mapped if isinstance(number, ipaddress.IPv6Address) else None
    return mapped or number


def _split(url: str) -> SplitResult | None:
    try:
        return urlsplit(url)
    except ValueError:  # brackets around what is no IPv6 address
        return None
