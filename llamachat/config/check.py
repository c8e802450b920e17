"""Whether a value fits its setting, and what to say if not."""

from __future__ import annotations

from llamachat.config.literal import one_line
from llamachat.config.option import Option, Value
from llamachat.core.text import clean, tr
from llamachat.core.web_address import without_secrets

_SHOWN_CHARS = 40


def fault(option: Option, value: object) -> str | None:
    """What is wrong with a value for this setting, as a sentence; None if it fits."""
    if not _fits_type(option, value):
        return _needs(option, value)
    if isinstance(value, str):
        return _text_fault(option, value)
    if isinstance(value, int | float) and not isinstance(value, bool):
        low, high = _bounds(option)
        if not low <= value <= high:  # also false for nan
            return _needs(option, value)
    return None


def fitted(option: Option, value: object) -> Value:
    """A value without fault, in the type of its setting: 1 becomes 1.0 where a number may have a fraction."""
    if option.type is float and isinstance(value, int):
        return float(value)
    assert value is None or isinstance(value, str | int | float)
    return value


def displayed(option: Option, value: object) -> str:
    """A value on one short line, as it may be shown to people: secrets in addresses are hidden."""
    if isinstance(value, bool):
        return "true" if value else "false"
    if isinstance(value, float):
        return f"{value:.15g}"
    if not isinstance(value, str):
        return str(value)
    text = without_secrets(value) if option.traits.secret else value
    text = " ".join(clean(text).split())
    return one_line(text if len(text) <= _SHOWN_CHARS else f"{text[:_SHOWN_CHARS]}…")


def _fits_type(option: Option, value: object) -> bool:
    if isinstance(value, bool):
        return option.type is bool
    if option.type is float:
        return isinstance(value, int | float)
    return isinstance(value, option.type)


def _bounds(option: Option) -> tuple[float, float]:
    low, high = option.traits.low, option.traits.high
    assert low is not None, "numbers are declared with bounds"
    assert high is not None, "numbers are declared with bounds"
    return low, high


def _text_fault(option: Option, text: str) -> str | None:
    if option.choices:
        return None if text in option.choices else _needs(option, text)
    allowed = "\n\r\t" if option.traits.multiline else ""
    if any(ord(character) < 32 and character not in allowed for character in text):
        return tr("This needs text without line breaks or control characters.")
    return option.traits.shape(text) if option.traits.shape else None


def _needs(option: Option, value: object) -> str:
    return tr("This needs {what}, not {value}.").format(what=needed(option), value=_found(option, value))


def _found(option: Option, value: object) -> str:
    if isinstance(value, dict):
        return tr("a table")
    if isinstance(value, list):
        return tr("a list")
    return str(value) if isinstance(value, float) else displayed(option, value)


def needed(option: Option) -> str:
    """What a setting takes, in words that go on after "This needs"."""
    if option.choices:
        return tr("one of {choices}").format(choices=", ".join(f'"{choice}"' for choice in option.choices))
    if option.type is bool:
        return tr("true or false")
    if option.type is str:
        return tr("text in quotes")
    low, high = _bounds(option)
    words = tr("a whole number from {low} to {high}") if option.type is int else tr("a number from {low} to {high}")
    return words.format(low=f"{low:.15g}", high=f"{high:.15g}")
