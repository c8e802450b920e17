"""From the values of a TOML file to a Config: every key is checked, every mistake becomes a Problem with its line."""

from __future__ import annotations

import dataclasses
import difflib
from collections.abc import Callable, Mapping
from typing import Any, TypeVar

from llamachat.config.check import displayed, fault, fitted
from llamachat.config.option import Option, Table, Value, options, tables
from llamachat.config.problem import Problem, Severity
from llamachat.config.scan import KeyPath, join_key, statements
from llamachat.config.schema import Config
from llamachat.config.syntax import Document
from llamachat.core.text import tr

S = TypeVar("S")
_DEPTH = 3  # prompts.NAME.text


def read_values(document: Document, fallback: Config) -> tuple[Config, tuple[Problem, ...]]:
    """The settings of a file, with those of `fallback` where a value is wrong, and the mistakes by line."""
    reader = _Reader(document)
    found: dict[str, object] = dict(reader.section(Config, document.values, fallback=fallback))
    for table in tables(Config).values():
        found[table.name] = reader.named(table, document.values.get(table.name, {}), getattr(fallback, table.name))
    config = _make(Config, found)
    config = reader.chosen(config, fallback, chooser="server", table="servers")
    config = reader.chosen(config, fallback, chooser="prompt", table="prompts")
    reader.problems.sort(key=lambda problem: problem.line or 0)
    return config, tuple(reader.problems)


def _make(section: Callable[..., S], values: Mapping[str, object]) -> S:
    return section(**values)


class _Reader:
    """Walks through the values of one file and collects what is wrong with them."""

    def __init__(self, document: Document) -> None:
        self.problems: list[Problem] = []
        self._lines: dict[KeyPath, int] = {}
        for statement in statements(document.text):
            for length in range(1, _DEPTH + 1):
                self._lines.setdefault(statement.path[:length], statement.lines[0])

    def section(
        self, section: type, values: Mapping[str, object], *, fallback: object, where: KeyPath = ()
    ) -> dict[str, Value]:
        """The values of the settings that the file names. `fallback` has those to keep where one is wrong."""
        known = options(section)
        taken: dict[str, Value] = {}
        for name, value in values.items():
            path = (*where, name)
            if option := known.get(name):
                kept = option.default if option.traits.safe_default else getattr(fallback, name)
                taken[name] = self._value(option, value, kept=kept, path=path)
            elif name not in tables(section):
                self._add(path, _unknown_reason(section, path), severity="warning")
        return taken

    def named(self, table: Table, value: object, fallback: Mapping[str, object]) -> Mapping[str, object]:
        """The tables `[table.NAME]` of the file, each made into its section."""
        if not isinstance(value, dict):
            self._add((table.name,), _no_table_reason(table))
            return fallback
        found = {}
        for name, entry in value.items():
            path = (table.name, name)
            if isinstance(entry, dict) and name.isprintable() and name:
                before = fallback.get(name) or table.section()
                found[name] = _make(table.section, self.section(table.section, entry, fallback=before, where=path))
                continue
            self._add(path, _no_table_reason(table))
            if name in fallback:
                found[name] = fallback[name]
        return found

    def chosen(self, config: Config, fallback: Config, *, chooser: str, table: str) -> Config:
        """The settings with a `chooser` that names an existing table, taken from `fallback` if need be."""
        name, named = getattr(config, chooser), getattr(config, table)
        if not name or name in named:
            return config
        if all(problem.key != chooser for problem in self.problems):
            self._add((chooser,), _no_such_table_reason(name, table, list(named)))
        kept, before = getattr(fallback, chooser), getattr(fallback, table)
        named = {kept: before[kept], **named} if kept in before else named
        changes: dict[str, Any] = {chooser: kept if kept in named else "", table: named}
        return dataclasses.replace(config, **changes)

    def _value(self, option: Option, value: object, *, kept: Value, path: KeyPath) -> Value:
        reason = fault(option, value)
        if reason is None:
            return fitted(option, value)
        hint = _table_hint(option.name) if isinstance(value, dict) else ""
        self._add(path, f"{reason}{hint} {_in_force(option, kept)}")
        return kept

    def _add(self, path: KeyPath, reason: str, *, severity: Severity = "error") -> None:
        self.problems.append(Problem(self._line(path), join_key(path), reason, severity))

    def _line(self, path: KeyPath) -> int | None:
        """The line of a key, of the first key in a table, or of the inline table around a key."""
        prefixes = (path[:length] for length in range(len(path), 0, -1))
        return next((self._lines[prefix] for prefix in prefixes if prefix in self._lines), None)


def _in_force(option: Option, kept: Value) -> str:
    if kept is None or kept == "":
        return tr("Until it is mended, it counts as not set.")
    return tr("Until it is mended, {value} is used.").format(value=displayed(option, kept))


def _table_hint(name: str) -> str:
    near = difflib.get_close_matches(name, tables(Config), n=1)
    return " " + tr("Did you mean [{near}.NAME]?").format(near=near[0]) if near else ""


def _unknown_reason(section: type, path: KeyPath) -> str:
    name = path[-1]
    if section is not Config and name in options(Config):
        return tr("This has no effect in a table; it belongs above the first line in square brackets.")
    near = difflib.get_close_matches(name, [*options(section), *tables(section)], n=1)
    if near:
        return tr("There is no setting of this name; did you mean {near}?").format(near=near[0])
    return tr("There is no setting of this name; it has no effect.")


def _no_table_reason(table: Table) -> str:
    return tr("This needs a table with a name, such as [{name}].").format(name=f"{table.name}.{table.example_name}")


def _no_such_table_reason(name: str, table: str, names: list[str]) -> str:
    reason = tr("There is no table [{name}].").format(name=join_key((table, name)))
    near = difflib.get_close_matches(name, names, n=1)
    return f"{reason} {tr('Did you mean {near}?').format(near=near[0])}" if near else reason
