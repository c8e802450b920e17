"""Pages that are out for the time, the memory or the life of who reads them: one process is all they get."""

from __future__ import annotations

import socket
import threading
from pathlib import Path

import pytest

from llamachat.core.cancel import CancelToken
from llamachat.core.errors import Cancelled, PageError
from llamachat.core.raw_page import PageText, RawPage
from llamachat.core.seams import PageExtractor
from llamachat.engines.page_process import PageProcesses
from tests.fakes.pdf import pdf

UNREADABLE = "its text could not be found in reasonable time and memory"


def extract(body: bytes, media_type: str = "text/html", *, charset: str = "", timeout_s: float = 60.0) -> PageText:
    """The text that a process of its own finds."""
    reader: PageExtractor = PageProcesses(timeout_s=timeout_s)
    return reader.extract(RawPage(body, media_type, charset), CancelToken())


def child(folder: Path, monkeypatch: pytest.MonkeyPatch, code: str, *, timeout_s: float = 60) -> PageProcesses:
    """A reader whose process runs some code."""
    (folder / "odd_child.py").write_text(code)
    monkeypatch.syspath_prepend(str(folder))
    return PageProcesses(timeout_s=timeout_s, module="odd_child")


def test_the_text_comes_through_a_process() -> None:
    words = "Größe und Straße: es ist Hochwasser um neun Uhr, und danach wird es wieder weniger Wasser. " * 5
    page = f"<html><nav>Menü</nav><main><p>{words}</p></main>"
    assert extract(page.encode("cp1252"), charset="iso-8859-1").text == words.strip()
    assert extract(pdf(["High water"]), "application/pdf") == PageText("High water")


def test_its_error_comes_through_too() -> None:
    with pytest.raises(PageError, match=r"it is no text \(text/plain\)"):
        extract(b"a\0b", "text/plain")


@pytest.mark.slow
def test_twenty_thousand_nested_elements() -> None:
    assert extract(b"<div>" * 20_000 + b"deep text" + b"</div>" * 20_000).text == "deep text"


@pytest.mark.slow
def test_a_page_that_keeps_the_libraries_busy_for_minutes_is_given_up() -> None:
    attributes = b" ".join(b"a%d=1" % number for number in range(200_000))
    with pytest.raises(PageError, match=UNREADABLE):
        extract(b"<div " + attributes + b">t</div>", timeout_s=0.8)


@pytest.mark.slow
def test_what_was_found_before_time_was_up_counts(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    code = """import json, sys, time
sys.stdin.buffer.read()
print(json.dumps({"text": "plain", "note": ""}), flush=True)
print(json.dumps({"text": "better", "note": "n"}), flush=True)
print('{"text": "half', end="", flush=True)
time.sleep(60)
"""
    reader = child(tmp_path, monkeypatch, code, timeout_s=3)
    assert reader.extract(RawPage(b"x"), CancelToken()) == PageText("better", "n")


@pytest.mark.parametrize(
    "code",
    [
        "import os; os.abort()",
        "import sys; sys.exit(3)",
        "print('no JSON')",
        "raise MemoryError",
    ],
)
@pytest.mark.slow
def test_a_process_that_dies_is_a_page_that_cannot_be_read(
    code: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    with pytest.raises(PageError, match=UNREADABLE):
        child(tmp_path, monkeypatch, code).extract(RawPage(b"x" * 1_000_000), CancelToken())


@pytest.mark.parametrize(
    "code",
    [
        "x = bytearray(2 * 1024 ** 3)",
        "import pathlib; pathlib.Path(__file__ + '.out').write_bytes(bytes(10))",
    ],
    ids=["memory", "a file"],
)
@pytest.mark.slow
def test_the_process_has_no_more_than_it_needs(code: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    confined = f"""import signal; signal.signal(signal.SIGXFSZ, signal.SIG_IGN)
from llamachat.websearch import page_text
page_text._confine()
try:
    {code}
except (MemoryError, OSError):
    print('{{"text": "refused", "note": ""}}')
"""
    assert child(tmp_path, monkeypatch, confined).extract(RawPage(b""), CancelToken()).text == "refused"


def test_the_process_knows_no_key(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("BRAVE_API_KEY", "sk-0123456789")
    code = "import json, os; print(json.dumps({'text': str(dict(os.environ)), 'note': ''}))"
    text = child(tmp_path, monkeypatch, code).extract(RawPage(b""), CancelToken()).text
    assert "PYTHONPATH" in text
    assert "API_KEY" not in text


def test_stop_ends_the_process(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    with socket.create_server(("127.0.0.1", 0)) as listener:
        port = listener.getsockname()[1]
        code = f"import socket, time; held = socket.create_connection(('127.0.0.1', {port})); time.sleep(60)"
        reader, cancel = child(tmp_path, monkeypatch, code), CancelToken()
        ended: list[bytes] = []

        def stop_once_it_runs() -> None:
            connection, _ = listener.accept()
            with connection:
                cancel.cancel()
                connection.settimeout(20)
                ended.append(connection.recv(1))

        stopping = threading.Thread(target=stop_once_it_runs)
        stopping.start()
        with pytest.raises(Cancelled):
            reader.extract(RawPage(b"x"), cancel)
        stopping.join()
    assert ended == [b""]


def test_stop_before_the_beginning_starts_nothing() -> None:
    cancel = CancelToken()
    cancel.cancel()
    with pytest.raises(Cancelled):
        PageProcesses(module="no_such_module").extract(RawPage(b"x"), cancel)
