"""What a person may set about how chats are drawn; the colours are the theme's."""

from __future__ import annotations

from dataclasses import dataclass, replace

from PySide6.QtGui import QFont, QFontInfo


@dataclass(frozen=True, slots=True)
class Look:
    """Width and fonts. Where family is "" and size_pt is None, those of the program's font are taken.

    width_px: of the column of text, at most and at a zoom of 100 %. code_family: "" stands for a list of usual ones.
    wraps_code: else the lines of code are as long as they are.
    """

    width_px: int = 780  # longer lines are tiring to read
    family: str = ""
    size_pt: float | None = None
    code_family: str = ""
    wraps_code: bool = True

    def for_paper(self) -> Look:
        """The same where nothing can be scrolled: all lines are wrapped."""
        return replace(self, wraps_code=True)

    def font(self, program: QFont, zoom: int) -> tuple[QFont, int]:
        """The font of the text at a zoom in percent, and its size in pixels."""
        font = QFont(program)
        if self.family:
            font.setFamilies([self.family, *program.families()])
        if self.size_pt is not None:
            font.setPointSizeF(self.size_pt)
        size = round(QFontInfo(font).pixelSize() * zoom / 100)
        if zoom != 100:
            font.setPixelSize(size)
        return font, size
