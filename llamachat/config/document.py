"""The declaration printed: config.example.toml (also the first config.toml) and docs/configuration.md."""

from __future__ import annotations

import textwrap
from collections.abc import Iterator
from itertools import groupby

from llamachat.config.check import needed
from llamachat.config.literal import one_line
from llamachat.config.option import Option, Table, options, tables
from llamachat.config.schema import Config

_WIDTH = 100


def example_toml() -> str:
    """A config.toml in which every setting is explained and commented out: it says nothing but the defaults."""
    return "\n".join(_example_lines()) + "\n"


def configuration_markdown() -> str:
    """The reference of every setting, for docs/configuration.md."""
    return "\n".join(_markdown_lines()) + "\n"


def _sections() -> Iterator[tuple[str, Iterator[Option]]]:
    """The settings at the top of the file, by the heading they stand under."""
    return groupby(options(Config).values(), lambda option: option.heading)


def _example_lines() -> Iterator[str]:
    yield from _comment(
        "Settings of llamachat. Nothing is set here yet: each line of the form `# key = value` shows a default, "
        "or an example where the setting has none. To change one, take the # away and change the value. "
        "Changes take effect when the file is saved. Text stands in quotes, as TOML wants it."
    )
    for heading, section in _sections():
        yield from ("", "", f"# ---- {heading} ----")
        for option in section:
            yield from ("", *_comment(_explanation(option)), f"# {option.name} = {_shown(option)}")
    for table in tables(Config).values():
        yield from ("", "", f"# ---- [{table.name}.NAME] ----", "")
        yield from _comment(table.prose)
        yield from ("#", f"# [{table.name}.{table.example_name}]")
        yield from _example_entries(table)


def _example_entries(table: Table) -> Iterator[str]:
    """The settings of a table; what the top of the file has explained is not explained again."""
    for option in options(table.section).values():
        if not _is_at_top(option):
            yield from _comment(_explanation(option))
        yield f"# {option.name} = {_shown(option)}"


def _markdown_lines() -> Iterator[str]:
    yield from ("<!-- Printed from llamachat/config/schema.py by `python -m tests.generate_documents`. -->", "")
    yield from ("# Settings", "")
    yield (
        "The settings stand in one file, `config.toml`; `llamachat config path` says where it lies, "
        "`llamachat config check` what is wrong with it, and `llamachat config show` what is in force. Changes take "
        "effect when the file is saved; a setting that needs a restart says so. While the file holds a mistake, the "
        "last good value stays in force and the program does not write to the file."
    )
    for heading, section in _sections():
        yield from ("", f"## {heading}")
        for option in section:
            yield from ("", f"### `{option.name}`", "", option.traits.prose, "", _facts(option))
    for table in tables(Config).values():
        yield from ("", f"## `[{table.name}.NAME]`", "", table.prose, "")
        yield from (_markdown_entry(option) for option in options(table.section).values())


def _markdown_entry(option: Option) -> str:
    same = _is_at_top(option)
    return f"- `{option.name}`: as above." if same else f"- `{option.name}`: {option.traits.prose} {_facts(option)}"


def _is_at_top(option: Option) -> bool:
    at_top = options(Config).get(option.name)
    return at_top is not None and at_top.traits == option.traits


def _explanation(option: Option) -> str:
    """The prose of a setting and what it takes, where its default does not show that."""
    parts = [option.traits.prose]
    if option.choices or option.traits.low is not None:
        parts.append(_capital(f"{needed(option)}."))
    if option.default is None:
        parts.append(f"Not set: {option.traits.unset}.")
    elif option.traits.example is not None:
        parts.append(f"Example: {one_line(option.traits.example)}.")
    if option.traits.restart:
        parts.append("Needs a restart.")
    return " ".join(parts)


def _facts(option: Option) -> str:
    facts = [_capital(f"{needed(option)}.")]
    facts.append(
        f"Not set by default: {option.traits.unset}." if option.default is None else f"Default: `{_shown(option)}`."
    )
    if option.traits.example is not None:
        facts.append(f"Example: `{one_line(option.traits.example)}`.")
    if option.traits.restart:
        facts.append("Needs a restart.")
    return " ".join(facts)


def _shown(option: Option) -> str:
    """The default as it would stand in the file; where there is none, the example."""
    value = option.traits.example if option.default is None else option.default
    return one_line(int(value) if isinstance(value, float) and value.is_integer() else value)


def _capital(sentence: str) -> str:
    return sentence[0].upper() + sentence[1:]


def _comment(text: str) -> list[str]:
    return textwrap.wrap(text, _WIDTH, initial_indent="# ", subsequent_indent="# ", break_on_hyphens=False)
