"""What kind of thing a page is, whatever it calls itself, and the text in it."""

from __future__ import annotations

import pytest

from llamachat.core.errors import PageError
from llamachat.core.raw_page import MAX_PAGE_CHARS, PageText, RawPage
from llamachat.websearch.page_text import page_texts
from llamachat.websearch.pdf_text import MOST_PAGES
from tests.fakes.pdf import pdf

PNG = b"\x89PNG\r\n\x1a\n\0\0\0\rIHDR"
NOISE = bytes((number * 7919 + 13) % 255 + 1 for number in range(5000))  # no NUL in it
PARAGRAPH = "<p>" + "High water at nine, and low water at three in the afternoon. " * 10


def best(body: bytes, media_type: str, charset: str = "") -> PageText:
    """The last text, which is the best."""
    return list(page_texts(RawPage(body, media_type, charset)))[-1]


def refusal(body: bytes, media_type: str) -> str:
    """Why there is none."""
    with pytest.raises(PageError) as failed:
        list(page_texts(RawPage(body, media_type)))
    return failed.value.sentence


@pytest.mark.parametrize("media_type", ["application/pdf", "application/x-pdf", "text/html", "text/plain", ""])
def test_a_pdf_is_one_whatever_it_is_called(media_type: str) -> None:
    assert (
        best(pdf(["High water at nine.", "Low at three."]), media_type).text == "High water at nine.\n\nLow at three."
    )


def test_a_page_about_pdf_is_none() -> None:
    assert (
        best(b"<p>A file begins with %PDF-1.7 and then", "text/html").text == "A file begins with %PDF-1.7 and then"
    )


def test_pdfs_that_cannot_be_read() -> None:
    assert refusal(b"%PDF-1.7 and then nothing", "application/pdf") == "it is a damaged PDF"
    assert refusal(b"no PDF at all", "application/pdf") == "it is a damaged PDF"
    assert refusal(pdf(["secret"], locked=True), "application/pdf") == "it is a PDF that needs a password"
    assert refusal(pdf([" "]), "application/pdf") == "it is a PDF without text, perhaps scanned"


def test_a_long_pdf_is_read_from_its_beginning() -> None:
    found = best(pdf([f"page {number}" for number in range(MOST_PAGES + 10)]), "application/pdf")
    assert found.text.split("\n\n")[-1] == f"page {MOST_PAGES - 1}"
    assert found.note == "Only the first 50 of 60 pages were read."


@pytest.mark.parametrize("media_type", ["text/html", "application/xhtml+xml", "", "application/octet-stream"])
def test_html(media_type: str) -> None:
    found = best(f"<!DOCTYPE html><html><nav>menu</nav>{PARAGRAPH}".encode(), media_type).text
    assert found.startswith("High water at nine")
    assert "menu" not in found


@pytest.mark.parametrize(
    ("media_type", "body"),
    [
        ("text/plain", "a <b> c\n  d"),
        ("text/markdown", "# a\n* b"),
        ("application/json", '{"tide": ["high", "low"]}'),
        ("application/atom+xml", "<feed><title>Tide</title></feed>"),
        ("application/octet-stream", "09:00 tide high\n15:00 tide löw\n"),
        ("", "just words"),
    ],
)
def test_text_stays_as_it_is(media_type: str, body: str) -> None:
    assert best(body.encode(), media_type) == PageText(body)


@pytest.mark.parametrize(
    "media_type", ["text/html", "text/plain", "application/octet-stream", "", "application/json"]
)
@pytest.mark.parametrize("body", [PNG + b"\0" * 100, NOISE, b"words\0words", b"\xff\xfe\0\0" * 50], ids=range(4))
def test_what_is_no_text_is_refused_whatever_it_is_called(media_type: str, body: bytes) -> None:
    assert refusal(body, media_type) == f"it is no text ({media_type or 'of no known kind'})"


@pytest.mark.parametrize("media_type", ["text/html", "text/plain", "application/json"])
@pytest.mark.parametrize("body", [b"", b" \n\t", b"<html><script>app()</script><div id=root></div></html>"])
def test_nothing_is_no_text(media_type: str, body: bytes) -> None:
    if media_type == "text/html" or not body.strip():
        assert refusal(body, media_type) == "there is no text in it; it may be made by scripts"
    else:
        assert best(body, media_type).text == body.decode()


def test_a_long_text_is_cut_and_says_so() -> None:
    found = best(b'{"a": 1}, ' * 200_000, "application/json")
    assert (len(found.text), found.note) == (MAX_PAGE_CHARS, "It is cut.")
