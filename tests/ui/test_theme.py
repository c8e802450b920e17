"""Every text can be read on what it stands on, in both themes."""

from __future__ import annotations

import re
from dataclasses import asdict

import pytest
from PySide6.QtCore import Qt
from PySide6.QtGui import QColor, QPalette

from llamachat.ui.theme import DARK, LIGHT, Theme, choose_theme, qt_palette

GROUNDS = ("base", "window", "card", "raised", "hover")
TEXT_ON_GROUND = [(text, ground) for ground in GROUNDS for text in ("text", "muted", "accent")]
CODE = [(f"code_{name}", "code") for name in ("text", "keyword", "string", "comment", "number", "name")]
OTHERS = [
    ("muted", "code"),
    ("accent", "code"),
    ("error", "code"),
    ("success", "code"),
    ("text", "inline_code"),
    ("text", "match"),
    ("selection_text", "selection"),
    ("button_text", "button"),
    ("error", "error_back"),
    ("error", "base"),
    ("warning", "warning_back"),
    ("warning", "base"),
    ("warning", "card"),
    ("success", "base"),
    ("success", "window"),
]


def luminance(colour: str) -> float:
    """Relative luminance by WCAG 2."""
    values = [int(colour[index : index + 2], 16) / 255 for index in (1, 3, 5)]
    linear = [value / 12.92 if value <= 0.04045 else ((value + 0.055) / 1.055) ** 2.4 for value in values]
    return 0.2126 * linear[0] + 0.7152 * linear[1] + 0.0722 * linear[2]


def contrast(one: str, other: str) -> float:
    """Contrast ratio by WCAG 2."""
    light, dark = sorted((luminance(one), luminance(other)), reverse=True)
    return (light + 0.05) / (dark + 0.05)


def test_contrast_is_computed_as_the_standard_says() -> None:
    assert contrast("#000000", "#ffffff") == pytest.approx(21)
    assert contrast("#777777", "#ffffff") == pytest.approx(4.48, abs=0.01)


@pytest.mark.parametrize("theme", [LIGHT, DARK], ids=["light", "dark"])
@pytest.mark.parametrize(("text", "ground"), TEXT_ON_GROUND + CODE + OTHERS)
def test_text_can_be_read(theme: Theme, text: str, ground: str) -> None:
    assert contrast(getattr(theme, text), getattr(theme, ground)) >= 4.5


@pytest.mark.parametrize("theme", [LIGHT, DARK], ids=["light", "dark"])
def test_colours_are_written_out(theme: Theme) -> None:
    assert all(re.fullmatch(r"#[0-9a-f]{6}", value) for name, value in asdict(theme).items() if name != "name")


def test_the_system_decides_unless_the_setting_does() -> None:
    assert choose_theme("system", Qt.ColorScheme.Dark) is DARK
    assert choose_theme("system", Qt.ColorScheme.Unknown) is LIGHT
    assert choose_theme("dark", Qt.ColorScheme.Light) is DARK
    assert choose_theme("light", Qt.ColorScheme.Dark) is LIGHT


@pytest.mark.parametrize("theme", [LIGHT, DARK], ids=["light", "dark"])
def test_the_palette_is_made_of_the_table(theme: Theme) -> None:
    palette = qt_palette(theme)
    assert palette.color(QPalette.ColorRole.Base) == QColor(theme.base)
    assert palette.color(QPalette.ColorRole.HighlightedText) == QColor(theme.selection_text)
    assert theme.dark == (palette.color(QPalette.ColorRole.Base).lightness() < 128)
