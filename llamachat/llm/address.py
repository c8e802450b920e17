"""Addresses of model servers: what people type, brought into one form. Pure; no look-ups."""

from __future__ import annotations

from urllib.parse import SplitResult, urlsplit

from llamachat.core.errors import ConfigError
from llamachat.core.text import tr
from llamachat.core.web_address import without_secrets

_ENDINGS = ("/v1/chat/completions", "/chat/completions", "/v1/models", "/v1")


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
        raise ConfigError(
            tr("The address of the model server has a name or password in it."),
            tr("Take out what stands before the @; a key belongs into the variable named by api_key_env."),
        )
    if not host or port == 0 or parts.netloc.endswith(":"):
        raise _bad(tr("The address “{address}” has no host, or no port after the colon."), typed)
    return parts


def _bad(sentence: str, typed: str = "") -> ConfigError:
    return ConfigError(
        sentence.format(address=without_secrets(typed)[:200]), tr("Write it like http://127.0.0.1:8080.")
    )
