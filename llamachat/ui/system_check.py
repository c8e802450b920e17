"""What the window needs of the system, found out before Qt starts. Nothing of Qt is imported here.

Where a library or the display is missing Qt raises ImportError in the best case and aborts the process otherwise.
The libraries are those that PySide6-Essentials 6.11 is linked to (`readelf -d`), with their packages on Debian 12;
on Debian 13 and Ubuntu 24.04 the same names install the same things.
"""

from __future__ import annotations

import ctypes
import importlib.util
import os
import sys
from collections.abc import Callable, Mapping

from llamachat.core.text import tr

LIBRARIES: Mapping[str, Mapping[str, str]] = {
    "qt": {
        "libglib-2.0.so.0": "libglib2.0-0",
        "libgthread-2.0.so.0": "libglib2.0-0",
        "libz.so.1": "zlib1g",
        "libzstd.so.1": "libzstd1",
        "libGL.so.1": "libgl1",
        "libEGL.so.1": "libegl1",
        "libX11.so.6": "libx11-6",
        "libfontconfig.so.1": "libfontconfig1",
        "libfreetype.so.6": "libfreetype6",
        "libxkbcommon.so.0": "libxkbcommon0",
        "libdbus-1.so.3": "libdbus-1-3",
    },
    "xcb": {
        "libX11-xcb.so.1": "libx11-xcb1",
        "libxcb.so.1": "libxcb1",
        "libxcb-cursor.so.0": "libxcb-cursor0",
        "libxcb-icccm.so.4": "libxcb-icccm4",
        "libxcb-image.so.0": "libxcb-image0",
        "libxcb-keysyms.so.1": "libxcb-keysyms1",
        "libxcb-randr.so.0": "libxcb-randr0",
        "libxcb-render.so.0": "libxcb-render0",
        "libxcb-render-util.so.0": "libxcb-render-util0",
        "libxcb-shape.so.0": "libxcb-shape0",
        "libxcb-shm.so.0": "libxcb-shm0",
        "libxcb-sync.so.1": "libxcb-sync1",
        "libxcb-util.so.1": "libxcb-util1",
        "libxcb-xfixes.so.0": "libxcb-xfixes0",
        "libxcb-xkb.so.1": "libxcb-xkb1",
        "libxkbcommon-x11.so.0": "libxkbcommon-x11-0",
    },
    "wayland": {
        "libwayland-client.so.0": "libwayland-client0",
        "libwayland-cursor.so.0": "libwayland-cursor0",
    },
}

FONT_PACKAGE = "fonts-dejavu-core"

_VARIABLES = {"wayland": "WAYLAND_DISPLAY", "xcb": "DISPLAY"}
# By platform: the library that opens a display, its function that does, and the one that closes it again.
_DISPLAYS = {
    "wayland": ("libwayland-client.so.0", "wl_display_connect", "wl_display_disconnect"),
    "xcb": ("libX11.so.6", "XOpenDisplay", "XCloseDisplay"),
}


def loads_library(name: str) -> bool:
    """True when the system's loader finds the library."""
    try:
        ctypes.CDLL(name)
    except OSError:
        return False
    return True


def missing_parts(
    environment: Mapping[str, str] = os.environ, *, loads: Callable[[str], bool] = loads_library
) -> list[str]:
    """Sentences about what the window needs and does not find; none if it can open."""
    if sys.platform != "linux":
        return []
    if importlib.util.find_spec("PySide6") is None:
        sentence = tr("PySide6, which draws the window, is not installed. Install it with: {command}")
        return [sentence.format(command=f"{sys.executable} -m pip install PySide6-Essentials")]
    platforms = chosen_platforms(environment)
    if not platforms:
        sentence = tr("There is no display to open a window on: neither DISPLAY nor WAYLAND_DISPLAY is set.")
        return [sentence, tr("`llamachat ask` works without one.")]
    # Qt tries one platform after the other, so one that works is enough.
    reports = [_missing_for(platform, environment, loads) for platform in platforms]
    return next((report for report in reports if not report), reports[0])


def chosen_platforms(environment: Mapping[str, str]) -> list[str]:
    """The names of the platforms that Qt will try, in order: what QT_QPA_PLATFORM says, or the displays there are."""
    wish = environment.get("QT_QPA_PLATFORM", "")
    if wish:
        return [_family(name.partition(":")[0]) for name in wish.split(";")]
    return [platform for platform in ("wayland", "xcb") if environment.get(_VARIABLES[platform])]


def _family(platform: str) -> str:
    return "wayland" if platform.startswith("wayland") else platform


def _missing_for(platform: str, environment: Mapping[str, str], loads: Callable[[str], bool]) -> list[str]:
    wanted = {**LIBRARIES["qt"], **LIBRARIES.get(platform, {})}
    missing = {library: package for library, package in wanted.items() if not loads(library)}
    if "libfontconfig.so.1" not in missing and not _font_count():
        missing[tr("a font")] = FONT_PACKAGE
    if missing:
        sentence = tr("The window cannot open, for this is missing: {parts}. Install it with: {command}")
        command = "sudo apt-get install " + " ".join(dict.fromkeys(missing.values()))
        return [sentence.format(parts=", ".join(missing), command=command)]
    if platform in _DISPLAYS and not _display_opens(platform, environment.get(_VARIABLES[platform], "")):
        sentence = tr("The display cannot be opened ({variable} is {value}).")
        variable = _VARIABLES[platform]
        return [sentence.format(variable=variable, value=environment.get(variable) or tr("not set"))]
    return []


def _font_count() -> int:
    """How many fonts fontconfig knows: the first field of the set that it hands out."""
    fontconfig = ctypes.CDLL("libfontconfig.so.1")
    fontconfig.FcConfigGetFonts.restype = ctypes.POINTER(ctypes.c_int)
    fonts = fontconfig.FcConfigGetFonts(None, 0) if fontconfig.FcInit() else None
    return int(fonts[0]) if fonts else 0


def _display_opens(platform: str, name: str) -> bool:
    library_name, open_name, close_name = _DISPLAYS[platform]
    library = ctypes.CDLL(library_name)
    open_display, close_display = library[open_name], library[close_name]
    open_display.restype = ctypes.c_void_p
    display = open_display(name.encode() or None)
    if display:
        close_display(ctypes.c_void_p(display))
    return bool(display)
