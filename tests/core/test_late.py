"""A library that is imported by its first use."""

from __future__ import annotations

import subprocess
import sys

import pytest

from llamachat.core.late import LateModule


def test_a_late_module_is_imported_when_something_of_it_is_used() -> None:
    code = (
        "import sys; from llamachat.core.late import LateModule; late = LateModule('colorsys');"
        "print('colorsys' in sys.modules, late.rgb_to_hsv(0, 0, 1)[2], 'colorsys' in sys.modules)"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, encoding="utf-8", check=True)
    assert done.stdout.split() == ["False", "1", "True"]


def test_what_the_library_does_not_have_is_missed_as_in_any_module() -> None:
    with pytest.raises(AttributeError):
        _ = LateModule("json").nothing_of_that_name
