"""Changing one key of config.toml on disk. The rest of the file stays byte for byte."""

from __future__ import annotations

import copy
import errno
import json
import os
from contextlib import suppress
from functools import partial
from pathlib import Path

from llamachat.config.atomic import replace_file
from llamachat.config.check import fault
from llamachat.config.keys import find_option
from llamachat.config.load import cannot_write, write_first_config
from llamachat.config.option import Value
from llamachat.config.read import read_values
from llamachat.config.rewrite import with_key, without_key
from llamachat.config.scan import KeyPath, join_key
from llamachat.config.schema import Config
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
    try:
        data = _changed(document, key, value)
        expected = _comparable(_expected(document, key, value))
        if data == before and _comparable(document.values) == expected:
            return
        _require_writable(path)
        replace_file(path, data, check=partial(_check, path=path, before=before, key=key, expected=expected))
    except OSError as error:
        raise cannot_write(path, error) from error
    except RecursionError as error:  # tables hundreds deep
        raise _cannot_change(key) from error


def _changed(document: Document, key: KeyPath, value: Value) -> bytes:
    text = without_key(document.text, key) if value is None else with_key(document.text, key, value)
    return ((BOM if document.has_bom else "") + text).encode()


def _check(written: Path, *, path: Path, before: bytes, key: KeyPath, expected: str) -> None:
    """The last look before the new file takes the place of the old one. Raises ConfigError."""
    document = _parsed(written)
    if document is None or _comparable(document.values) != expected:
        raise _cannot_change(key)
    _, problems = read_values(document, Config())
    for problem in problems:  # such as the name of a server that has no table
        if problem.key == join_key(key) and problem.severity == "error":
            raise ConfigError(f"{problem.key}: {problem.reason}")
    if read_bytes(path) != before:
        raise ConfigError(tr("The settings file was changed at the same moment."), tr("Try again."))


def _require_writable(path: Path) -> None:
    """Refuse pipes and devices, and a file that its owner made read-only: renaming would not ask."""
    if not path.is_file():
        raise ConfigError(tr("{path} is not a file that can be replaced.").format(path=path))
    if not os.access(path, os.W_OK):
        raise cannot_write(path, PermissionError(errno.EACCES, os.strerror(errno.EACCES)))


def _cannot_change(key: KeyPath) -> ConfigError:
    sentence = tr("{key} cannot be changed without touching other lines of the file.").format(key=join_key(key))
    return ConfigError(sentence, tr("Change it in a text editor."))


def _parsed(path: Path) -> Document | None:
    with suppress(BrokenFile):
        return parse_document(path.read_bytes())
    return None


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
