"""A value as the text that stands for it in a TOML file."""

from __future__ import annotations

from collections.abc import Mapping

import tomli_w


def one_line(value: object) -> str:
    """The value on one line; tables and lists become inline ones."""
    if isinstance(value, Mapping):
        pairs = ", ".join(f"{key_part(name)} = {one_line(entry)}" for name, entry in value.items())
        return f"{{ {pairs} }}" if pairs else "{}"
    if isinstance(value, list):
        return f"[{', '.join(one_line(entry) for entry in value)}]"
    return _dumped(value, multiline_strings=False)


def readable(value: object) -> str:
    """The value as a person would write it: text with line breaks stands between triple quotes."""
    if isinstance(value, str) and "\r" not in value:  # a file's line ends cannot carry a lone \r
        return _dumped(value, multiline_strings=True)
    return one_line(value)


def key_part(name: str) -> str:
    """One part of a key, in quotes where TOML wants them."""
    return tomli_w.dumps({name: 0}).removesuffix(" = 0\n")


def _dumped(value: object, *, multiline_strings: bool) -> str:
    text = tomli_w.dumps({"k": value}, multiline_strings=multiline_strings)
    return text.removeprefix("k = ").removesuffix("\n")
