"""Checks of text settings that go beyond the type. Each returns what is wrong, or None. Opens nothing."""

from __future__ import annotations

import re
import urllib.parse
from pathlib import Path

from llamachat.core.text import tr

_ENVIRONMENT_NAME = re.compile(r"[A-Za-z_][A-Za-z0-9_]*")
_SCHEMES = ("http", "https")


def server_address(text: str) -> str | None:
    """Fault of the base address of an HTTP server: with or without scheme, without a query part."""
    if fault := _address_fault(text):
        return fault
    if "?" in text or "#" in text:
        return tr("This needs the address alone, without anything from a ? or # on.")
    return None


def bare_address(text: str) -> str | None:
    """Fault of the base address of an HTTP server that takes neither user nor password."""
    if "@" in text:
        return tr("No user name or password can stand in this address.")
    return server_address(text)


def bare_address_or_none(text: str) -> str | None:
    """The same, and empty is no fault."""
    return bare_address(text) if text else None


def search_address(text: str) -> str | None:
    """Fault of the address of a SearXNG, or of a template with a query part. Empty is no fault."""
    return _address_fault(text) if text else None


def environment_name(text: str) -> str | None:
    """Fault of the name of an environment variable. Empty is no fault. Never repeats the text: it may be a key."""
    if not text or _ENVIRONMENT_NAME.fullmatch(text):
        return None
    return tr("This needs the name of an environment variable, such as LLAMA_API_KEY, not the key itself.")


def absolute_path(text: str) -> str | None:
    """Fault of the path of a file. Empty is no fault."""
    if not text or Path(text).is_absolute():
        return None
    return tr("This needs the whole path of a file, beginning at the root.")


def font_name(text: str) -> str | None:
    """Fault of the name of a font. Empty is no fault."""
    if re.search(r"[\x00-\x1f\x7f\\\"';,{}<>]", text):
        return tr("This needs the name of one font, such as Noto Sans.")
    return None


def no_blanks(text: str) -> str | None:
    """Fault of text that must be one word."""
    return tr("This must not contain blanks.") if re.search(r"\s", text) else None


def _address_fault(text: str) -> str | None:
    if not text:
        return tr("This needs an address, such as http://127.0.0.1:8080.")
    if re.search(r"\s", text):
        return tr("An address must not contain blanks.")
    address = text if "://" in text else f"http://{text}"
    try:
        parts = urllib.parse.urlsplit(address)
        host, port = parts.hostname, parts.port
    except ValueError:
        return tr("The host or the port of this address is not well-formed.")
    if parts.scheme not in _SCHEMES:
        return tr("The address must begin with http:// or https://.")
    if not host or host in _SCHEMES or port == 0:
        return tr("This is not the address of a server; it should look like http://127.0.0.1:8080.")
    return None
