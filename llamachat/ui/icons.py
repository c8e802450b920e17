"""Icons drawn from SVG text in the colour of the palette, sharp at every scale, and the button that shows them."""

from __future__ import annotations

from functools import lru_cache

from PySide6.QtCore import QByteArray, QRectF, QSize, Qt
from PySide6.QtGui import QColor, QIcon, QPainter, QPaintEvent, QPalette, QPixmap
from PySide6.QtSvg import QSvgRenderer
from PySide6.QtWidgets import QSizePolicy, QStyle, QStyleOptionToolButton, QToolButton, QWidget

from llamachat.ui.labels import tooltip

_GLOBE = (
    '<circle cx="12" cy="12" r="9"/><path d="M3 12h18M12 3c2.6 2.6 3.9 5.6 3.9 9s-1.3 6.4-3.9 9'
    'c-2.6-2.6-3.9-5.6-3.9-9S9.4 5.6 12 3z"/>'
)
_PENCIL = '<path d="M4.5 19.5 5.6 15 16 4.6a1.9 1.9 0 0 1 2.7 0l.7.7a1.9 1.9 0 0 1 0 2.7L9 18.4zM14 6.6l3.4 3.4"/>'
_SHAPES = {
    "alert": '<path d="M12 4 2.8 19.5h18.4zM12 10v4.5M12 17v.2"/>',
    "check": '<path d="m5 12.5 4.5 4.5L19 7.5"/>',
    "chevron": '<path d="m7 10 5 5 5-5"/>',
    "close": '<path d="m6.5 6.5 11 11m0-11-11 11"/>',
    "copy": '<rect x="9" y="9" width="11" height="11" rx="2"/><path d="M5 15V6a2 2 0 0 1 2-2h8"/>',
    "cross": '<circle cx="12" cy="12" r="9"/><path d="m9 9 6 6m0-6-6 6"/>',
    "continue": '<path d="M4 6.5h16M4 12h9M17 9.5v5M4 17.5h5"/>',
    "edit": _PENCIL,
    "fork": '<circle cx="6.5" cy="5.5" r="2"/><circle cx="6.5" cy="18.5" r="2"/><circle cx="17.5" cy="8" r="2"/>'
    '<path d="M6.5 7.5v9M17.5 10c0 3.5-3 4-6 4.3-2.5.3-5 .9-5 2.2"/>',
    "dot": '<circle cx="12" cy="12" r="4" fill="currentColor"/>',
    "filter": '<path d="M4 6.5h16M7 12h10M10 17.5h4"/>',
    "globe": _GLOBE,
    "globe-off": _GLOBE + '<path d="m3.5 3.5 17 17"/>',
    "left": '<path d="m14.5 6-6 6 6 6"/>',
    "models": '<path d="m7 10 5 5 5-5"/>',
    "menu": '<path d="M4 7h16M4 12h16M4 17h16"/>',
    "plus": '<path d="M12 5v14M5 12h14"/>',
    "prompt": '<rect x="4" y="4.5" width="16" height="15" rx="3"/><path d="m8 9.5 3 2.5-3 2.5M13 15h3.5"/>',
    "retry": '<path d="M19.5 12a7.5 7.5 0 1 1-2.2-5.3M19.5 3.5v4.2h-4.2"/>',
    "rewrite": _PENCIL,
    "right": '<path d="m9.5 6 6 6-6 6"/>',
    "ring": '<circle cx="12" cy="12" r="4"/>',
    "search": '<circle cx="11" cy="11" r="6.5"/><path d="m16 16 4.5 4.5"/>',
    "send": '<path d="M12 19.5v-15m-6.5 6.5L12 4.5l6.5 6.5"/>',
    "sidebar": '<rect x="3" y="4.5" width="18" height="15" rx="3"/><path d="M9 4.5v15"/>',
    "stop": '<rect x="7" y="7" width="10" height="10" rx="2" fill="currentColor"/>',
    "trash": '<path d="M4.5 6.5h15M9.5 6V4h5v2M6.5 6.5l.9 13h9.2l.9-13M10 10v6m4-6v6"/>',
}
_BUBBLE = (
    '<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 64 64"><rect x="4" y="6" width="56" height="44" rx="14" '
    'fill="#3d6fd9"/><path d="M16 44v16l16-12z" fill="#3d6fd9"/><path d="M18 22h28M18 33h18" stroke="#fff" '
    'stroke-width="5" stroke-linecap="round"/></svg>'
)


@lru_cache(maxsize=128)
def _renderer(name: str, colour: str) -> QSvgRenderer:
    shape = _SHAPES[name].replace("currentColor", colour)
    text = (
        f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 24 24" fill="none" stroke="{colour}" '
        f'stroke-width="1.8" stroke-linecap="round" stroke-linejoin="round">{shape}</svg>'
    )
    return QSvgRenderer(QByteArray(text.encode()))


def draw_icon(painter: QPainter, name: str, rect: QRectF, colour: QColor) -> None:
    """Draw an icon into `rect`, at the resolution of whatever is painted on."""
    _renderer(name, colour.name()).render(painter, rect)


def window_icon() -> QIcon:
    """The program's own icon, in the sizes that window managers ask for."""
    icon, renderer = QIcon(), QSvgRenderer(QByteArray(_BUBBLE.encode()))
    for size in (16, 24, 32, 48, 64, 128):
        pixmap = QPixmap(size, size)
        pixmap.fill(Qt.GlobalColor.transparent)
        painter = QPainter(pixmap)
        renderer.render(painter)
        painter.end()
        icon.addPixmap(pixmap)
    return icon


class IconButton(QToolButton):
    """A flat button: an icon, and a text beside it where one is set. `name` is what a screen reader says."""

    def __init__(self, icon: str, name: str, *, text: str = "", parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.icon_name = icon
        self.filled = False  # drawn in the accent colour: the one thing to press
        self.setText(text)
        self.set_name(name)
        self.setFocusPolicy(Qt.FocusPolicy.StrongFocus)
        self.setSizePolicy(QSizePolicy.Policy.Fixed, QSizePolicy.Policy.Fixed)

    def set_name(self, name: str, tip: str = "") -> None:
        """Name the button for screen readers; the tooltip says the same or more."""
        self.setAccessibleName(name)
        self.setToolTip(tooltip(tip or name))

    def set_icon(self, icon: str) -> None:
        """Show another icon."""
        self.icon_name = icon
        self.update()

    def sizeHint(self) -> QSize:
        """As high as a line of text with air around it; square without a text."""
        height = round(self.fontMetrics().height() * 1.85)
        if not self.text():
            return QSize(height, height)
        width = self._text_left(height) + self.fontMetrics().horizontalAdvance(self.text()) + height * 0.4
        return QSize(round(width + self._arrow(height)), height)

    def minimumSizeHint(self) -> QSize:
        """A text may be elided down to little; an icon may not."""
        hint = self.sizeHint()
        return QSize(min(hint.width(), hint.height() * 3), hint.height())

    def _icon_size(self) -> float:
        return self.fontMetrics().height() * 1.05

    def _text_left(self, height: int) -> float:
        return height * 0.32 + (self._icon_size() * 1.35 if self.icon_name else 0)

    def _arrow(self, height: int) -> float:
        return height * 0.5 if self.menu() and self.text() else 0

    def paintEvent(self, event: QPaintEvent) -> None:
        """Background when hovered, pressed or filled; icon; text; ring when focused by keyboard."""
        option = QStyleOptionToolButton()
        self.initStyleOption(option)
        painter = QPainter(self)
        painter.setRenderHint(QPainter.RenderHint.Antialiasing)
        ink = self._paint_background(painter, option)
        height, size = self.height(), self._icon_size()
        left = height * 0.32 if self.text() else (self.width() - size) / 2
        if self.icon_name:
            draw_icon(painter, self.icon_name, QRectF(left, (height - size) / 2, size, size), ink)
        if self.text():
            self._paint_text(painter, ink)

    def _paint_background(self, painter: QPainter, option: QStyleOptionToolButton) -> QColor:
        palette, enabled = self.palette(), self.isEnabled()
        group = QPalette.ColorGroup.Active if enabled else QPalette.ColorGroup.Disabled
        ink = palette.color(group, QPalette.ColorRole.ButtonText)
        state = option.state
        hovered = enabled and bool(state & QStyle.StateFlag.State_MouseOver)
        rect = QRectF(self.rect()).adjusted(1, 1, -1, -1)
        radius = rect.height() / 2 if self.filled else rect.height() * 0.24
        painter.setPen(Qt.PenStyle.NoPen)
        if self.filled and enabled:
            accent = palette.color(QPalette.ColorRole.Accent)
            painter.setBrush(accent.darker(112) if hovered or self.isDown() else accent)
            painter.drawRoundedRect(rect, radius, radius)
            ink = palette.color(QPalette.ColorRole.BrightText)
        elif hovered or self.isDown() or self.filled:
            painter.setBrush(palette.color(QPalette.ColorRole.Midlight))
            painter.drawRoundedRect(rect, radius, radius)
        if bool(state & QStyle.StateFlag.State_KeyboardFocusChange) and self.hasFocus():
            painter.setBrush(Qt.BrushStyle.NoBrush)
            painter.setPen(palette.color(QPalette.ColorRole.Accent))
            painter.drawRoundedRect(rect, radius, radius)
        return ink

    def _paint_text(self, painter: QPainter, ink: QColor) -> None:
        height, arrow = self.height(), self._arrow(self.height())
        left = self._text_left(height)
        rect = QRectF(left, 0, self.width() - left - arrow - height * 0.2, height)
        painter.setPen(ink)
        text = self.fontMetrics().elidedText(self.text(), Qt.TextElideMode.ElideMiddle, int(rect.width()) + 1)
        painter.drawText(rect, Qt.AlignmentFlag.AlignVCenter | Qt.AlignmentFlag.AlignLeft, text)
        if arrow:
            box = QRectF(self.width() - arrow * 1.3, (height - arrow) / 2, arrow, arrow)
            draw_icon(painter, "chevron", box, ink)
