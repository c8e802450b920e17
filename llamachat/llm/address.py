"""Addresses of model servers: what people type into one form, and where a host lies. Pure; no look-ups."""

from __future__ import annotations

import ipaddress
from urllib.parse import SplitResult, urlsplit

from llamachat.core.errors import ConfigError
from llamachat.core.text import tr

_ENDINGS = ("/v1/chat/completions", "/chat/completions", "/v1/models", "/v1")
_PRIVATE_NAMES = (".local", ".localhost", ".lan", ".home", ".home.arpa", ".internal", ".intranet", ".test")


def normalize_base_url(text: str) -> str:
    """Give `http://host:port/path` without `/v1`, whatever of it was typed or pasted; raises ConfigError.

    A query and a fragment are dropped: people copy the address of the server's own page.
    """
    typed = text.strip()
    if not typed:
        raise _bad(tr("The address of the model server is empty."))
    parts = _split(typed if "://" in typed else f"http://{typed}", typed)
    path = parts.path.rstrip("/")
    for ending in _ENDINGS:
        if path.endswith(ending):
            path = path.removesuffix(ending).rstrip("/")
            break
    return f"{parts.scheme}://{parts.netloc.lower()}{path}"


def is_loopback_host(host: str) -> bool:
    """True where a connection never leaves this machine."""
    name = _bare(host)
    address = _ip(name)
    if address is None:
        return name == "localhost" or name.endswith(".localhost")
    return address.is_loopback or address.is_unspecified


def is_private_host(host: str) -> bool:
    """True for this machine, home and company networks: no proxy of the environment stands in between.

    A name without a dot is a neighbour. A public name is never looked up, so one that points home counts as public.
    """
    name = _bare(host)
    address = _ip(name)
    if address is None:
        return "." not in name or name.endswith(_PRIVATE_NAMES)
    return not address.is_global


def crosses_network_unencrypted(url: str) -> bool:
    """True when what is sent to `url` can be read on its way: plain http to another machine."""
    parts = urlsplit(url)
    return parts.scheme == "http" and not is_loopback_host(parts.hostname or "")


def host_of(url: str) -> str:
    """The host in `url`, without brackets; "" where there is none."""
    try:
        return urlsplit(url).hostname or ""
    except ValueError:
        return ""


def _split(url: str, typed: str) -> SplitResult:
    if any(character.isspace() or ord(character) < 0x20 for character in url) or "\\" in url:
        raise _bad(tr("The address “{address}” has a space or a backslash in it."), typed)
    try:
        parts = urlsplit(url)
        host, port = parts.hostname, parts.port
    except ValueError as error:
        raise _bad(tr("The address “{address}” has a port or an IPv6 part that cannot be read."), typed) from error
    if parts.scheme not in ("http", "https"):
        raise _bad(tr("The address “{address}” begins with neither http:// nor https://."), typed)
    if "@" in parts.netloc:
        # Not quoted back: what stands before the @ is a password.
        raise ConfigError(
            tr("The address of the model server has a name or password in it."),
            tr("Take out what stands before the @; a key belongs into the variable named by api_key_env."),
        )
    if not host or port == 0 or parts.netloc.endswith(":"):
        raise _bad(tr("The address “{address}” has no host, or no port after the colon."), typed)
    return parts


def _bad(sentence: str, typed: str = "") -> ConfigError:
    return ConfigError(sentence.format(address=typed[:200]), tr("Write it like http://127.0.0.1:8080."))


def _bare(host: str) -> str:
    return host.strip("[]").rstrip(".").lower()


def _ip(name: str) -> ipaddress.IPv4Address | ipaddress.IPv6Address | None:
    try:
        address = ipaddress.ip_address(name.split("%", 1)[0])
    except ValueError:
        return None
    mapped = address.ipv4_mapped if isinstance(address, ipaddress.IPv6Address) else None
    return mapped or address
