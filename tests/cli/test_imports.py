"""What a command imports: no library that only some searches need."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

import pytest

from tests.fakes.sse_server import DONE, SseServer, content, finish, http, stream_head

OPTIONAL = ("keyring", "selectolax", "trafilatura", "pypdfium2", "charset_normalizer", "PySide6")
ASK = """
import sys
from llamachat.cli.main import main
code = main(["--config", sys.argv[1], "--data-dir", sys.argv[2], "ask", "When is high tide?"])
print(code, *sys.modules)
"""


@pytest.mark.claim("ST-053")
def test_asking_imports_no_library_for_keys_and_pages(tmp_path: Path) -> None:
    config = tmp_path / "config.toml"
    environment = {**os.environ, "BRAVE_API_KEY": "sk-0123456789", "PYTHONPATH": str(Path(__file__).parents[2])}
    command = [sys.executable, "-c", ASK, str(config), str(tmp_path / "data")]
    with SseServer([http("{}")], [stream_head(), content("Noon."), finish(), DONE]) as server:
        text = f'base_url = "{server.base_url}"\nsearch_enabled = true\nsearch_provider = "brave"\nread_pages = 2\n'
        config.write_text(text, encoding="utf-8")
        done = subprocess.run(command, capture_output=True, encoding="utf-8", env=environment, check=True)
    answered, _, rest = done.stdout.partition("\n")
    code, *modules = rest.split()
    assert (answered, code) == ("Noon.", "0"), done.stderr
    assert b"web_search" in server.requests[-1].body
    assert "llamachat.websearch.registry" in modules
    assert [name for name in OPTIONAL if name in modules] == []
