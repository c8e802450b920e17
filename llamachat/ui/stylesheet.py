"""What the palette cannot say of the window's frames and fields, as a Qt style sheet made from a theme."""

from __future__ import annotations

from string import Template

from llamachat.ui.theme import Theme

_SHEET = Template("""
#sidebar { background: $window; border-right: 1px solid $border; }
#sidebar QAbstractItemView { background: $window; }
#chat { background: $base; }
#chat QTextBrowser { background: $base; color: $text; }
#header { background: $base; border-bottom: 1px solid $border; }
#header[temporary="true"] { background: $card; }
#title { font-weight: 600; }
#composer { background: $base; border: 1px solid $border; border-radius: 14px; }
#composer[temporary="true"] { border-style: dashed; border-color: $muted; }
#composer[focused="true"] { border-color: $focus; }
#composer QPlainTextEdit { background: transparent; }
#queue QScrollArea, #queue QScrollArea > QWidget > QWidget { background: transparent; }
#queued { background: $card; border-radius: 8px; }
#status { color: $muted; }
#undo { background: $raised; border-top: 1px solid $border; }
#chat #undo { background: transparent; border: none; margin: 0 10px 6px 10px; }
#offers { background: $raised; border: 1px solid $border; border-radius: 7px; padding: 4px 0; }
#notice { border-bottom: 1px solid $border; background: $raised; }
#notice[tone="error"] { background: $error_back; border-color: $error_border; }
#notice[tone="error"] QLabel { color: $error; }
#notice[tone="warning"] { background: $warning_back; border-color: $warning_border; }
#notice[tone="warning"] QLabel { color: $warning; }
#consent { background: $window; border: 1px solid $border; border-radius: 12px; margin-bottom: 6px; }
#start { background: $base; }
#start #card { background: $window; border: 1px solid $border; border-radius: 12px; }
#subheading { font-weight: 600; }
#passed { color: $success; }
#failed { color: $error; }
#lesser { color: $muted; }
#keys { color: $muted; }
#command { background: $code; border: 1px solid $code_border; border-radius: 6px; color: $code_text; padding: 7px; }
QLineEdit { background: $base; border: 1px solid $border; border-radius: 7px; padding: 5px 8px; }
QLineEdit:focus { border-color: $focus; }
QPushButton { background: $raised; border: 1px solid $border; border-radius: 7px; padding: 5px 14px; }
QPushButton:hover { background: $hover; }
QPushButton:focus { border-color: $focus; }
QPushButton:default { background: $button; border-color: $button; color: $button_text; }
QPushButton:disabled { color: $muted; }
QPushButton:default:disabled { background: $raised; border-color: $border; color: $muted; }
QRadioButton::indicator { width: 13px; height: 13px; }
QRadioButton::indicator { border: 1px solid $muted; border-radius: 7px; background: $base; }
QRadioButton::indicator:checked { width: 7px; height: 7px; border: 4px solid $button; background: $button_text; }
QRadioButton:focus { color: $accent; }
QHeaderView::section { background: $raised; border: none; border-bottom: 1px solid $border; padding: 4px 3px; }
QMenu { background: $raised; border: 1px solid $border; padding: 4px; }
QMenu::item { padding: 5px 22px 5px 22px; border-radius: 5px; }
QMenu::item:selected { background: $selection; color: $selection_text; }
QMenu::item:disabled { color: $muted; }
QMenu::indicator { width: 14px; height: 14px; left: 4px; }
QMenu::separator { height: 1px; background: $border; margin: 4px 6px; }
QSplitter::handle { background: $window; }
QProgressBar { background: $raised; border: 1px solid $border; border-radius: 5px; text-align: center; }
QProgressBar::chunk { background: $selection; border-radius: 4px; }
QToolTip { background: $raised; color: $text; border: 1px solid $border; padding: 4px; }
QScrollBar:vertical { background: transparent; width: 11px; margin: 0; }
QScrollBar:horizontal { background: transparent; height: 11px; margin: 0; }
QScrollBar::handle:vertical { background: $border; border-radius: 4px; min-height: 36px; margin: 2px 2px 2px 1px; }
QScrollBar::handle:horizontal { background: $border; border-radius: 4px; min-width: 36px; margin: 2px 2px 1px 2px; }
QScrollBar::handle:hover { background: $muted; }
QScrollBar::handle:vertical:disabled { background: transparent; }
QScrollBar::add-line, QScrollBar::sub-line { width: 0; height: 0; }
QScrollBar::add-page, QScrollBar::sub-page { background: transparent; }
""")


def style_sheet(theme: Theme) -> str:
    """The sheet in the theme's colours."""
    names = _SHEET.get_identifiers()
    return _SHEET.substitute({name: getattr(theme, name) for name in names})
