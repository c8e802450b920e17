"""What a search address holds that nobody else may see, masked in whatever a server says.

A server, or a proxy before it, may repeat the request in its answer: its headers, its address. What it says goes into
the store, into exports and to the model.
"""

from __future__ import annotations

import base64
import html
import json
import re
from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field
from urllib.parse import quote, quote_plus

from llamachat.core.messages import JsonValue

_MASK = "***"
_SHORTEST_PASSWORD, _SHORTEST_PARAMETER = 6, 12  # shorter ones are words too, and are masked only with what is around
_ESCAPE = re.compile(r"%[0-9A-F]{2}|\\u[0-9A-F]{4}", re.IGNORECASE)


@dataclass(frozen=True, slots=True)
class Mask:
    """`***` for each of the forms, the longest first."""

    forms: tuple[str, ...] = field(default=(), repr=False)

    def text(self, text: str) -> str:
        """The text without secrets."""
        for form in self.forms:
            text = text.replace(form, _MASK)
        return text

    def value(self, value: JsonValue) -> JsonValue:
        """The value with every text in it masked, but for keys; raises RecursionError where it is very deep."""
        if not self.forms:
            return value
        if isinstance(value, str):
            return self.text(value)
        if isinstance(value, list):
            return [self.value(item) for item in value]
        if isinstance(value, dict):
            return {key: self.value(item) for key, item in value.items()}
        return value


def mask_for(user: str, password: str, parameters: Iterable[str]) -> Mask:
    """The mask for the secrets of an address: user and password in every form that they are sent or repeated in.

    A password of less than 6 characters, and a parameter of less than 12, may be a word of any text: alone they stay.
    """
    both = f"{user}:{password}"
    secrets = [value for value in parameters if len(value) >= _SHORTEST_PARAMETER]
    if user or password:
        secrets += [both, *_basic(both)]
    alone = password or user  # a token may stand in the place of the user
    if len(alone) >= _SHORTEST_PASSWORD:
        secrets.append(alone)
    return _mask(secrets)


def mask_for_key(key: str) -> Mask:
    """The mask for the key of a service; one of less than 6 characters may be a word of any text."""
    return _mask([key] if len(key) >= _SHORTEST_PASSWORD else [])


def _mask(secrets: Iterable[str]) -> Mask:
    forms = {form for secret in secrets for form in _written(secret)}
    return Mask(tuple(sorted(forms, key=len, reverse=True)))


def _basic(both: str) -> Iterator[str]:
    """As the Authorization header has it, with and without what fills it up."""
    for encode in (base64.b64encode, base64.urlsafe_b64encode):
        whole = encode(both.encode()).decode()
        yield from (whole, whole.rstrip("="))


def _written(secret: str) -> Iterator[str]:
    """As it is, and as it stands in addresses, pages and JSON within a text; the digits of escapes in both cases."""
    for form in (
        secret,
        quote(secret, safe=""),
        quote(secret, safe=":"),
        quote(secret, safe=":/"),
        quote_plus(secret),
        html.escape(secret),
        html.escape(secret, quote=False),
        json.dumps(secret)[1:-1],
        json.dumps(secret, ensure_ascii=False)[1:-1],
    ):
        yield from (form, _ESCAPE.sub(lambda found: found[0].lower(), form))
