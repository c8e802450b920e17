"""Settings by their dotted names: finding one, showing all that are in force, telling what an edit changed."""

from __future__ import annotations

import difflib
from collections.abc import Iterator, Mapping
from contextlib import suppress
from typing import NamedTuple

from llamachat.config.check import fault
from llamachat.config.option import Option, Value, options, tables
from llamachat.config.scan import KeyPath, join_key, parse_key
from llamachat.config.schema import Config
from llamachat.core.errors import ConfigError
from llamachat.core.text import tr
from llamachat.core.web_address import without_secrets


class Setting(NamedTuple):
    """A setting in force. Secrets in `value` are hidden."""

    key: str
    value: Value
    is_default: bool


def effective(config: Config) -> list[Setting]:
    """Every setting in force, in the order of the printed files; those of tables under their whole names."""
    return list(_settings_of(Config, config))


def changed_keys(old: Config, new: Config) -> tuple[str, ...]:
    """The keys whose values differ. A named table that came, went or changed counts once, as `prompts.NAME`."""
    changed = [name for name in options(Config) if getattr(old, name) != getattr(new, name)]
    for name in tables(Config):
        before, after = getattr(old, name), getattr(new, name)
        names = dict.fromkeys((*before, *after))
        changed += [join_key((name, one)) for one in names if before.get(one) != after.get(one)]
    return tuple(changed)


def needs_restart(key: str) -> bool:
    """Whether a change of this key (as `changed_keys` names it) is felt only after a restart."""
    path = parse_key(key)
    table = tables(Config).get(path[0])
    touched = list(options(table.section).values()) if table and len(path) == 2 else [find_option(key)[0]]
    return any(option.traits.restart for option in touched)


def find_option(key: str) -> tuple[Option, KeyPath]:
    """The declaration behind a key such as `theme` or `prompts.NAME.text`, and the parts of the key.

    Raises ConfigError where there is none.
    """
    try:
        path = parse_key(key)
    except ValueError:
        path = (key,)
    table = tables(Config).get(path[0])
    if table and len(path) == 3 and path[1] and path[1].isprintable():
        known, name = options(table.section), path[2]
    else:
        known, name = options(Config), key
    if name not in known:
        raise _no_such_setting(key, name, known)
    return known[name], path


def value_from_text(key: str, text: str) -> str | float:
    """The value that a person typed for a key, without TOML's quotes. Raises ConfigError."""
    option, _ = find_option(key)
    value: str | float = text
    if option.type is bool:
        value = {"true": True, "false": False}.get(text.strip().lower(), text)
    elif option.type in (int, float):
        with suppress(ValueError):
            value = int(text) if option.type is int else float(text)
    if reason := fault(option, value):
        raise ConfigError(f"{key}: {reason}")
    return value


def _settings_of(kind: type, section: object, *where: str) -> Iterator[Setting]:
    for option in options(kind).values():
        value: Value = getattr(section, option.name)
        shown = without_secrets(value) if option.traits.secret and isinstance(value, str) else value
        yield Setting(join_key((*where, option.name)), shown, value == option.default)
    for table in tables(kind).values():
        for name, entry in getattr(section, table.name).items():
            yield from _settings_of(table.section, entry, table.name, name)


def _no_such_setting(key: str, name: str, known: Mapping[str, Option]) -> ConfigError:
    near = difflib.get_close_matches(name, known, n=1)
    next_step = tr("Did you mean {near}?").format(near=near[0]) if near else ""
    return ConfigError(tr("There is no setting {key}.").format(key=key), next_step)
