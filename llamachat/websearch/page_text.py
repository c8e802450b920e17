"""The text in the bytes of a page. Also a process that finds it: `python -m llamachat.websearch.page_text`.

Pages are written by strangers, and each library that reads them can be kept busy for minutes, filled with memory or
perhaps crashed. So this runs in a process that is ended when time is up. It reads a line of JSON about the page, then
its bytes; it prints lines of JSON, each with a better text than the one before, or with what is wrong.
"""

from __future__ import annotations

import json
import os
import re
import sys
from collections.abc import Iterator
from dataclasses import asdict

from llamachat.core.errors import PageError
from llamachat.core.raw_page import MAX_PAGE_CHARS, PageText, RawPage
from llamachat.core.text import tr
from llamachat.websearch.charset import decoded
from llamachat.websearch.main_text import main_texts
from llamachat.websearch.page_reply import not_text
from llamachat.websearch.pdf_text import pdf_text

if sys.platform != "win32":
    import resource

_MEMORY_BYTES = 1024 * 1024 * 1024  # the libraries themselves take 200 MB of addresses, large pages 250 MB
_CPU_S = 20
_HTML = ("text/html", "application/xhtml+xml")
_PDF = ("application/pdf", "application/x-pdf")
_UNKNOWN = ("", "application/octet-stream")
_LOOKS_LIKE_HTML = re.compile(r"\s*<(?:!doctype\s+html|html|head|body)\b", re.IGNORECASE)
_UNPRINTABLE = re.compile("[\x00-\x08\x0e-\x1a\x7f\ufffd]")
_SAMPLE_CHARS = 100_000


def page_texts(page: RawPage) -> Iterator[PageText]:
    """The text, then perhaps a better one; raises PageError where there is none."""
    if page.body.lstrip()[:5] == b"%PDF-" or page.media_type in _PDF:
        yield pdf_text(page.body)
        return
    text = decoded(page.body, page.charset)
    if _is_binary(text):
        raise not_text(page.media_type or tr("of no known kind"))
    is_html = page.media_type in _HTML or (page.media_type in _UNKNOWN and _LOOKS_LIKE_HTML.match(text))
    found = False
    for candidate in main_texts(text) if is_html else [text]:
        if candidate.strip():
            found = True
            yield PageText(candidate[:MAX_PAGE_CHARS], tr("It is cut.") if len(candidate) > MAX_PAGE_CHARS else "")
    if not found:
        raise PageError(tr("there is no text in it; it may be made by scripts"))


def _is_binary(text: str) -> bool:
    """Whether it holds more of what cannot be printed than a slip of the pen; a NUL is enough."""
    sample = text[:_SAMPLE_CHARS]
    return "\0" in sample or len(_UNPRINTABLE.findall(sample)) * 50 > len(sample)


def _confine() -> None:
    """Take away from this process what it does not need, where the system can."""
    if sys.platform != "win32":
        os.nice(5)
        resource.setrlimit(resource.RLIMIT_AS, (_MEMORY_BYTES, _MEMORY_BYTES))
        resource.setrlimit(resource.RLIMIT_CPU, (_CPU_S, _CPU_S))
        resource.setrlimit(resource.RLIMIT_CORE, (0, 0))
        resource.setrlimit(resource.RLIMIT_FSIZE, (0, 0))


def _say(words: dict[str, str]) -> None:
    sys.stdout.write(json.dumps(words) + "\n")
    sys.stdout.flush()


def main() -> None:
    """Read one page, print its texts."""
    _confine()
    head, _, body = sys.stdin.buffer.read().partition(b"\n")
    said = json.loads(head)
    try:
        for text in page_texts(RawPage(body, said["media_type"], said["charset"])):
            _say(asdict(text))
    except PageError as error:
        _say({"error": error.sentence})


if __name__ == "__main__":
    main()
