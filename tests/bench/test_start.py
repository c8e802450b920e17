"""What the program has imported when its window is painted."""

from __future__ import annotations

from importlib.util import find_spec

import pytest

from tests.bench.program import Profile, run_start
from tests.bench.program_figures import heavy_modules
from tests.bench.stream_server import running_server


@pytest.mark.slow
@pytest.mark.skipif(find_spec("PySide6") is None, reason="there is no window without Qt")
def test_nothing_heavy_is_imported_before_the_window_is_painted() -> None:
    with Profile() as profile, running_server(rate=0, tokens=1) as url, profile.copied(url) as folder:
        start = run_start(folder)
    assert "llamachat.ui.main_window" in start.modules
    assert heavy_modules(start.modules) == []
