"""How a setting is declared: a dataclass field made by `setting`, a table of named things by `table_of`."""

from __future__ import annotations

import dataclasses
import inspect
import typing
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from functools import cache
from typing import TypeAlias, TypeVar

Value: TypeAlias = "str | int | float | bool | None"
T = TypeVar("T")
_METADATA_KEY = "llamachat"


@dataclass(frozen=True, slots=True, kw_only=True)
class Traits:
    """What is said of a setting beside its type and default.

    low, high: inclusive. shape: a further check of text, returns what is wrong with it or None.
    example: shown where the default is unset. secret: the text may carry a password, which is never displayed.
    restart: a change is felt only after a restart. multiline: line breaks are allowed.
    safe_default: where the file has a wrong value the default counts, not the value from before.
    unset: what counts where a setting without a default is not set.
    """

    prose: str
    low: float | None = None
    high: float | None = None
    shape: Callable[[str], str | None] | None = None
    example: Value = None
    secret: bool = False
    restart: bool = False
    multiline: bool = False
    safe_default: bool = False
    unset: str = "the server decides"


@dataclass(frozen=True, slots=True)
class Option:
    """One setting as declared. `choices` are the only values allowed, () where any of the type is.

    `heading` is the section of the printed files it stands in.
    """

    name: str
    type: type
    choices: tuple[str, ...]
    default: Value
    heading: str
    traits: Traits


@dataclass(frozen=True, slots=True)
class Table:
    """A table of named things: `[name.NAME]` holds the settings of the dataclass `section`."""

    name: str
    section: type
    prose: str
    example_name: str


def setting(
    default: T,
    *,
    prose: str,
    low: float | None = None,
    high: float | None = None,
    shape: Callable[[str], str | None] | None = None,
    example: Value = None,
    secret: bool = False,
    restart: bool = False,
    multiline: bool = False,
    safe_default: bool = False,
    unset: str = "the server decides",
) -> T:
    """Declare a setting. The field's annotation is its type: `X | None` may be unset, `Literal` names the choices."""
    traits = Traits(
        prose=" ".join(prose.split()),
        low=low,
        high=high,
        shape=shape,
        example=example,
        secret=secret,
        restart=restart,
        multiline=multiline,
        safe_default=safe_default,
        unset=unset,
    )
    return dataclasses.field(default=default, metadata={_METADATA_KEY: traits})


def table_of(section: type[T], *, prose: str, example_name: str) -> Mapping[str, T]:
    """Declare a table of named things, each with the settings of `section`; empty by default."""
    declared = (section, " ".join(prose.split()), example_name)
    made: Mapping[str, T] = dataclasses.field(default_factory=dict, metadata={_METADATA_KEY: declared})
    return made


@cache
def options(section: type) -> Mapping[str, Option]:
    """The settings of a section by name, in the order in which they are printed."""
    hints = typing.get_type_hints(section)
    found = {}
    for field in _fields(section):
        traits = field.metadata.get(_METADATA_KEY)
        if isinstance(traits, Traits):
            kind, choices = _type_and_choices(hints[field.name])
            heading = _heading(section, field.name)
            assert field.default is not dataclasses.MISSING, "setting() demands a default"
            found[field.name] = Option(field.name, kind, choices, field.default, heading, traits)
    return found


@cache
def tables(section: type) -> Mapping[str, Table]:
    """The tables of named things of a section, by name."""
    found = {}
    for field in _fields(section):
        declared = field.metadata.get(_METADATA_KEY)
        if isinstance(declared, tuple):
            found[field.name] = Table(field.name, *declared)
    return found


def _fields(section: type) -> tuple[dataclasses.Field[Value], ...]:
    return dataclasses.fields(section)


def _type_and_choices(hint: object) -> tuple[type, tuple[str, ...]]:
    arguments = typing.get_args(hint)
    if typing.get_origin(hint) is typing.Literal:
        return str, arguments
    alternatives = arguments or (hint,)
    return next(kind for kind in alternatives if isinstance(kind, type) and kind is not type(None)), ()


def _heading(section: type, name: str) -> str:
    """The heading of the class that declares the field."""
    declaring = next(base for base in section.__mro__ if name in inspect.get_annotations(base))
    return str(getattr(declaring, "heading", ""))
