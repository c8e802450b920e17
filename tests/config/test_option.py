"""Declarations: what is read from a dataclass made by `setting` and `table_of`."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import ClassVar, Literal

from llamachat.config.option import options, setting, table_of, tables


@dataclass(frozen=True, kw_only=True)
class Lamp:
    heading: ClassVar[str] = "Lamp"

    watts: int = setting(5, low=1, high=60, restart=True, prose="How\n    bright.")
    colour: Literal["white", "red"] = setting("white", prose="Which colour.")


@dataclass(frozen=True, kw_only=True)
class Door:
    heading: ClassVar[str] = "Door"

    angle: float | None = setting(None, example=1.5, prose="How far open.")
    note: str = "not a setting"


@dataclass(frozen=True, kw_only=True)
class House(Door, Lamp):
    lamps: Mapping[str, Lamp] = table_of(Lamp, prose="More lamps.", example_name="hall")


def test_type_and_choices_come_from_the_annotation() -> None:
    found = options(House)
    assert [(option.type, option.choices) for option in found.values()] == [
        (int, ()),
        (str, ("white", "red")),
        (float, ()),
    ]


def test_settings_of_the_last_base_come_first_each_under_its_heading() -> None:
    assert [(option.name, option.heading) for option in options(House).values()] == [
        ("watts", "Lamp"),
        ("colour", "Lamp"),
        ("angle", "Door"),
    ]


def test_what_is_declared_is_kept() -> None:
    watts = options(Lamp)["watts"]
    assert (watts.default, watts.traits.low, watts.traits.high, watts.traits.restart) == (5, 1, 60, True)
    assert watts.traits.prose == "How bright."


def test_tables_are_told_apart_from_settings() -> None:
    assert list(tables(House)) == ["lamps"]
    assert tables(House)["lamps"].section is Lamp
    assert House().lamps == {}
    assert tables(Lamp) == {}
