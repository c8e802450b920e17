"""Pages where the extra `pages` is not installed: an interpreter that sees no installed package at all."""

from __future__ import annotations

import json
import subprocess
import sys
from pathlib import Path

from tests.fakes.pdf import pdf

ROOT = Path(__file__).parents[2]
CODE = "import sys; sys.path.insert(0, sys.argv[1]); from llamachat.websearch.page_text import main; main()"


def read(body: bytes, media_type: str, charset: str = "") -> list[dict[str, str]]:
    """What the process says of a page."""
    head = json.dumps({"media_type": media_type, "charset": charset}).encode()
    command = [sys.executable, "-I", "-S", "-c", CODE, str(ROOT)]
    done = subprocess.run(command, input=head + b"\n" + body, capture_output=True, check=True)
    return [json.loads(line) for line in done.stdout.splitlines()]


def test_html_is_read_by_plain_rules() -> None:
    page = "<html><nav>menu</nav><main><h1>Größe</h1><p>High <b>water</b>.</p></main></html>".encode("cp1252")
    assert read(page, "text/html") == [{"text": "Größe\nHigh water.", "note": ""}]


def test_a_pdf_names_what_is_missing() -> None:
    (said,) = read(pdf(["High water"]), "application/pdf")
    assert said == {"error": 'it is a PDF; to read those, install the extra "pages" of llamachat'}
