"""The text in a PDF, by pypdfium2 (extra `pages`). Native code on files of strangers: for a process of its own."""

from __future__ import annotations

from llamachat.core.errors import PageError
from llamachat.core.raw_page import MAX_PAGE_CHARS, PageText
from llamachat.core.text import tr

MOST_PAGES = 50


def pdf_text(body: bytes) -> PageText:
    """The text of the first pages; raises PageError."""
    try:
        import pypdfium2
    except ImportError:
        raise PageError(tr('it is a PDF; to read those, install the extra "pages" of llamachat')) from None
    try:
        document = pypdfium2.PdfDocument(body)
    except pypdfium2.PdfiumError as error:
        if error.err_code == pypdfium2.raw.FPDF_ERR_PASSWORD:
            raise PageError(tr("it is a PDF that needs a password")) from error
        raise PageError(tr("it is a damaged PDF")) from error
    count, texts = len(document), []
    for number in range(min(count, MOST_PAGES)):
        texts.append(document[number].get_textpage().get_text_bounded())
        if sum(map(len, texts)) > MAX_PAGE_CHARS:
            break
    text = "\n\n".join(texts).replace("\r\n", "\n").replace("\r", "\n").strip()
    if not text:
        raise PageError(tr("it is a PDF without text, perhaps scanned"))
    cut = tr("Only the first {count} of {all} pages were read.").format(count=len(texts), all=count)
    return PageText(text, cut if len(texts) < count else "")
