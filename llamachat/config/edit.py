"""Changing one key of config.toml on disk. The rest of the file stays byte for byte."""

from __future__ import annotations

import copy
import json
from pathlib import Path

from llamachat.config.atomic import replace_file
from llamachat.config.check import fault
from llamachat.config.keys import find_option
from llamachat.config.load import cannot_write, write_first_config
from llamachat.config.option import Value
from llamachat.config.rewrite import with_key, without_key
from llamachat.config.scan import KeyPath, join_key
from llamachat.config.syntax import BOM, BrokenFile, Document, parse_document, read_bytes
from llamachat.core.errors import ConfigError
from llamachat.core.text import clean, tr


def set_key(path: Path, key: str, value: str | float) -> None:
    """Set a key such as `theme` or `prompts.NAME.text`. The file is made if there is none.

    Raises ConfigError: no such setting, a value that does not fit, a file that does not parse or cannot be written.
    """
    option, key_path = find_option(key)
    value = clean(value) if isinstance(value, str) else value
    if reason := fault(option, value):
        raise ConfigError(f"{key}: {reason}")
    write_first_config(path)
    _change(path, key_path, value)


def unset_key(path: Path, key: str) -> None:
    """Take a key out, so that its default counts again; nothing happens if it is not there. Raises ConfigError."""
    _, key_path = find_option(key)
    if path.exists():
        _change(path, key_path, None)


def _change(path: Path, key: KeyPath, value: Value) -> None:
    """Set the key, or take it out where `value` is None."""
    before = read_bytes(path)
    document = parse_document(before)
    text = without_key(document.text, key) if value is None else with_key(document.text, key, value)
    data = ((BOM if document.has_bom else "") + text).encode()
    if data == before:
        return
    _require_plain_file(path)

    def check(written: Path) -> None:
        if not _says(written, _expected(document, key, value)):
            raise _cannot_change(key)
        if read_bytes(path) != before:
            raise ConfigError(tr("The settings file was changed at the same moment."), tr("Try again."))

    try:
        replace_file(path, data, check=check)
    except OSError as error:
        raise cannot_write(path, error) from error
    except RecursionError as error:  # a key with hundreds of dots
        raise _cannot_change(key) from error


def _require_plain_file(path: Path) -> None:
    if not path.is_file():
        raise ConfigError(tr("{path} is not a file that can be replaced.").format(path=path))


def _cannot_change(key: KeyPath) -> ConfigError:
    sentence = tr("{key} cannot be changed without touching other lines of the file.").format(key=join_key(key))
    return ConfigError(sentence, tr("Change it in a text editor."))


def _says(path: Path, expected: dict[str, object]) -> bool:
    try:
        return _comparable(parse_document(path.read_bytes()).values) == _comparable(expected)
    except BrokenFile:
        return False


def _expected(document: Document, key: KeyPath, value: Value) -> dict[str, object]:
    """What the changed file must say. Raises ConfigError where something else stands in the place of the key."""
    values = copy.deepcopy(document.values)
    table = values
    for part in key[:-1]:
        inner = table.setdefault(part, {})
        if not isinstance(inner, dict):
            raise _cannot_change(key)
        table = inner
    if value is None:
        table.pop(key[-1], None)
    else:
        table[key[-1]] = value
    return values


def _comparable(values: dict[str, object]) -> str:
    """The same text for the same values: 1, 1.0 and true differ, nan equals nan, empty tables do not count."""
    return json.dumps(_pruned(values), sort_keys=True, default=repr)


def _pruned(values: object) -> object:
    if not isinstance(values, dict):
        return values
    pruned = {name: _pruned(value) for name, value in values.items()}
    return {name: value for name, value in pruned.items() if value != {}}
