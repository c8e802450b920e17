"""The look before Qt starts: every library that Qt is linked to is looked for, and the sentences name packages."""

from __future__ import annotations

import os
import re
import subprocess
import sys
from importlib.util import find_spec
from pathlib import Path

import pytest

from llamachat.ui.system_check import FONT_PACKAGE, LIBRARIES, chosen_platforms, missing_parts

OFFSCREEN = {"QT_QPA_PLATFORM": "offscreen"}
LIBRARY_FILES = {
    "qt": [
        *(f"lib/libQt6{part}.so.6" for part in ("Core", "Gui", "Widgets", "DBus")),
        "plugins/platforms/libqoffscreen.so",
    ],
    "xcb": ["lib/libQt6XcbQpa.so.6", "plugins/platforms/libqxcb.so"],
    "wayland": ["lib/libQt6WaylandClient.so.6", "plugins/platforms/libqwayland.so"],
}
NOT_LOOKED_FOR = re.compile(
    r"lib(Qt6|icu|q)\w*\.so.*|lib(c|m|gcc_s|stdc\+\+)\.so\.\d+"
)  # in the wheel, or in Python's needs


def needs_of(file: Path) -> set[str]:
    """The names of other libraries in the string table of a library."""
    names = re.findall(rb"(?<=\0)lib[\w.+-]+\.so[.\d]*(?=\0)", file.read_bytes())
    return {name.decode() for name in names if not NOT_LOOKED_FOR.fullmatch(name.decode())}


@pytest.mark.parametrize("platform", LIBRARIES)
def test_the_table_holds_what_the_installed_qt_is_linked_to(platform: str) -> None:
    spec = find_spec("PySide6")
    assert spec is not None
    assert spec.origin is not None
    folder = Path(spec.origin).parent / "Qt"
    needs = set().union(*(needs_of(folder / name) for name in LIBRARY_FILES[platform]))
    assert needs - set(LIBRARIES["qt"]) == set(LIBRARIES[platform]) - set(LIBRARIES["qt"])
    assert needs >= set(LIBRARIES[platform])


def test_nothing_is_missing_where_these_tests_run() -> None:
    assert missing_parts(OFFSCREEN) == []


def test_no_display_is_told() -> None:
    assert missing_parts({})[0].startswith("There is no display")


@pytest.mark.parametrize(
    ("environment", "platforms"),
    [
        ({"DISPLAY": ":0"}, ["xcb"]),
        ({"WAYLAND_DISPLAY": "wayland-0", "DISPLAY": ":0"}, ["wayland", "xcb"]),
        ({"DISPLAY": ":0", "QT_QPA_PLATFORM": "wayland-egl;xcb"}, ["wayland", "xcb"]),
        ({"QT_QPA_PLATFORM": "vnc:size=800x600"}, ["vnc"]),
        ({"DISPLAY": ""}, []),
    ],
)
def test_the_platforms_that_qt_will_try(environment: dict[str, str], platforms: list[str]) -> None:
    assert chosen_platforms(environment) == platforms


def test_missing_libraries_are_named_together_with_their_packages() -> None:
    absent = {"libxcb-cursor.so.0", "libEGL.so.1", "libglib-2.0.so.0", "libgthread-2.0.so.0"}
    [sentence] = missing_parts({"DISPLAY": ":0"}, loads=lambda name: name not in absent)
    assert all(name in sentence for name in absent)
    assert sentence.endswith("sudo apt-get install libglib2.0-0 libegl1 libxcb-cursor0")


def test_a_library_of_another_platform_is_not_missed() -> None:
    assert missing_parts(OFFSCREEN, loads=lambda name: "xcb" not in name and "wayland" not in name) == []


def test_a_platform_that_works_is_enough() -> None:
    environment = {"QT_QPA_PLATFORM": "xcb;offscreen"}
    assert missing_parts(environment, loads=lambda name: "xcb" not in name) == []


def test_a_display_that_is_not_there_is_told() -> None:
    [sentence] = missing_parts({"DISPLAY": ":4242"}, loads=lambda name: True)
    assert sentence == "The display cannot be opened (DISPLAY is :4242)."
    [sentence] = missing_parts({"QT_QPA_PLATFORM": "xcb"}, loads=lambda name: True)
    assert sentence == "The display cannot be opened (DISPLAY is not set)."


def test_no_fonts_are_told(tmp_path: Path) -> None:
    (tmp_path / "fonts.conf").write_text("<fontconfig></fontconfig>", encoding="utf-8")
    environment = {**os.environ, **OFFSCREEN, "FONTCONFIG_FILE": str(tmp_path / "fonts.conf")}
    program = "from llamachat.ui.system_check import missing_parts; print(*missing_parts())"
    done = subprocess.run(
        [sys.executable, "-c", program], env=environment, capture_output=True, text=True, check=True
    )
    assert "this is missing: a font." in done.stdout
    assert done.stdout.strip().endswith(f"sudo apt-get install {FONT_PACKAGE}")


def test_looking_does_not_import_qt() -> None:
    program = "import sys, llamachat.ui.system_check as check; check.missing_parts(); print('PySide6' in sys.modules)"
    done = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True, check=True)
    assert done.stdout == "False\n"
