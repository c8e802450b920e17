"""The colours of the program, one table for light and one for dark, and the Qt palette made from them.

Nothing else in `ui` names a colour. A test holds every text colour to a contrast of 4.5:1 on what it stands on.
"""

from __future__ import annotations

from dataclasses import dataclass

from PySide6.QtCore import Qt
from PySide6.QtGui import QColor, QPalette

from llamachat.render.block_kinds import Tone


@dataclass(frozen=True, slots=True)
class Theme:
    """Colours as `#rrggbb`. What stands on what is said beside each."""

    name: str  # "light" or "dark"
    base: str  # behind the transcript and in entry fields
    window: str  # bars and the conversation list
    card: str  # the user's messages
    raised: str  # buttons, table heads, menus
    hover: str  # a row or button under the pointer
    border: str  # lines that only separate
    text: str  # on base, window, card, raised, hover
    muted: str  # lesser text on the same
    accent: str  # links and the user's name, on the same
    selection: str  # behind selected text
    selection_text: str
    button: str  # the one button that matters (Send)
    button_text: str
    focus: str  # the ring around what has the keyboard
    quote: str  # bars beside quotes and thinking
    inline_code: str  # behind code in a sentence, in text colour
    code: str  # behind code blocks
    code_border: str
    code_text: str
    code_keyword: str
    code_string: str
    code_comment: str
    code_number: str
    code_name: str
    error: str  # text of errors, on error_back and on base
    error_back: str
    error_border: str
    warning: str  # text of warnings, on warning_back and on base
    warning_back: str
    warning_border: str
    success: str  # "connected", "ok", on base and window
    match: str  # behind a found word, in text colour

    @property
    def dark(self) -> bool:
        """True for light text on a dark ground."""
        return self.name == "dark"

    def of_tone(self, tone: Tone) -> str:
        """The colour of the title of an alert and of its bar; of the bar of a quote of words."""
        colours = {
            Tone.NOTE: self.accent,
            Tone.TIP: self.success,
            Tone.IMPORTANT: self.accent,
            Tone.WARNING: self.warning,
            Tone.CAUTION: self.error,
        }
        return colours.get(tone, self.quote)


LIGHT = Theme(
    name="light",
    base="#ffffff",
    window="#f5f6f8",
    card="#edf2fb",
    raised="#f3f4f7",
    hover="#e8ebf0",
    border="#d5d9e0",
    text="#1c1e24",
    muted="#5c626e",
    accent="#0b5bc0",
    selection="#b9d6fb",
    selection_text="#101318",
    button="#0b5bc0",
    button_text="#ffffff",
    focus="#3b82e0",
    quote="#cdd4df",
    inline_code="#e9ecf1",
    code="#f6f8fa",
    code_border="#d8dde4",
    code_text="#1f2328",
    code_keyword="#b3202c",
    code_string="#0a3069",
    code_comment="#5d6470",
    code_number="#0550ae",
    code_name="#6f42c1",
    error="#a3161f",
    error_back="#fdf0f0",
    error_border="#efc3c5",
    warning="#7a4b00",
    warning_back="#fff6e0",
    warning_border="#ecd59a",
    success="#17692f",
    match="#ffe9a8",
)

DARK = Theme(
    name="dark",
    base="#17181c",
    window="#1d1f24",
    card="#232a38",
    raised="#282b32",
    hover="#2d313a",
    border="#383c45",
    text="#e4e6ea",
    muted="#9aa0ab",
    accent="#6aaef8",
    selection="#2f4d78",
    selection_text="#f2f5fa",
    button="#2f6fce",
    button_text="#ffffff",
    focus="#5b9bf0",
    quote="#3f4651",
    inline_code="#2a2e36",
    code="#1e2026",
    code_border="#30343c",
    code_text="#dfe2e7",
    code_keyword="#ff8178",
    code_string="#a5d6ff",
    code_comment="#98a0ab",
    code_number="#79c0ff",
    code_name="#d2a8ff",
    error="#ff9c97",
    error_back="#2e1e20",
    error_border="#5f3236",
    warning="#f0c264",
    warning_back="#2b2517",
    warning_border="#5c4d24",
    success="#6fce86",
    match="#5b4a17",
)


def choose_theme(name: str, scheme: Qt.ColorScheme) -> Theme:
    """The theme for the setting `name` ("system", "light" or "dark") while the system shows `scheme`."""
    if name == "system":
        return DARK if scheme == Qt.ColorScheme.Dark else LIGHT
    return DARK if name == "dark" else LIGHT


def qt_palette(theme: Theme) -> QPalette:
    """The palette for Qt's Fusion style."""
    role = QPalette.ColorRole
    colours = {
        role.Window: theme.window,
        role.WindowText: theme.text,
        role.Base: theme.base,
        role.AlternateBase: theme.raised,
        role.Text: theme.text,
        role.PlaceholderText: theme.muted,
        role.Button: theme.raised,
        role.ButtonText: theme.text,
        role.BrightText: theme.button_text,
        role.ToolTipBase: theme.raised,
        role.ToolTipText: theme.text,
        role.Highlight: theme.selection,
        role.HighlightedText: theme.selection_text,
        role.Accent: theme.button,
        role.Link: theme.accent,
        role.LinkVisited: theme.accent,
        role.Light: theme.hover,
        role.Midlight: theme.hover,
        role.Mid: theme.border,
        role.Dark: theme.border,
        role.Shadow: theme.border,
    }
    palette = QPalette()
    for colour_role, value in colours.items():
        palette.setColor(colour_role, QColor(value))
    for disabled_role in (role.WindowText, role.Text, role.ButtonText):
        palette.setColor(QPalette.ColorGroup.Disabled, disabled_role, QColor(theme.muted))
    return palette
