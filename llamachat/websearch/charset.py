"""Bytes of a page as text: by its byte order mark, its server, its own head, or by what the bytes look like.

Names of encodings mean what browsers take them for (WHATWG, Encoding): pages that say iso-8859-1 are windows-1252,
those that say gb2312 use the whole of gb18030. No other codec of Python's is ever used: some of them unpack.
"""

from __future__ import annotations

import codecs
import re
from collections.abc import Iterator

_MARKS = ((codecs.BOM_UTF8, "utf-8"), (codecs.BOM_UTF16_LE, "utf-16-le"), (codecs.BOM_UTF16_BE, "utf-16-be"))
_FALLBACK = "cp1252"
_HEAD_BYTES = 1024
_DECLARED = re.compile(rb"""<meta[^>]{0,400}?charset\s{0,9}=\s{0,9}["']?\s{0,9}([\w.:-]{1,40})""", re.IGNORECASE)
_XML_DECLARED = re.compile(rb"""^\s{0,99}<\?xml[^>]{0,200}?encoding\s{0,9}=\s{0,9}["']([\w.:-]{1,40})""")
_TAG = re.compile(rb"<[^>]{0,2000}>")
_SAMPLE_BYTES = 64_000
_ENOUGH_BYTES = 24  # outside ASCII; below that a guess is no better than the fallback
_BY_NAME = {
    "utf-8": "utf-8 utf8 unicode-1-1-utf-8 x-unicode20utf8",
    "utf-16-le": "utf-16 utf-16le unicode ucs-2 iso-10646-ucs-2 csunicode",
    "utf-16-be": "utf-16be",
    "cp1252": "ascii us-ascii latin1 latin-1 l1 iso-8859-1 iso8859-1 iso88591 iso_8859-1 cp819 x-cp1252",
    "iso8859-2": "iso-8859-2 iso8859-2 latin2 l2",
    "cp1254": "iso-8859-9 iso8859-9 latin5 l5",
    "iso8859-15": "iso-8859-15 iso8859-15 latin-9 latin9 l9",
    "cp874": "tis-620 iso-8859-11 dos-874 windows-874",
    "koi8-r": "koi8-r koi8 koi koi8_r cskoi8r",
    "koi8-u": "koi8-u koi8-ru",
    "cp866": "ibm866 cp866 866 csibm866",
    "mac-roman": "macintosh mac x-mac-roman",
    "mac-cyrillic": "x-mac-cyrillic x-mac-ukrainian",
    "gb18030": "gb18030 gb2312 gb_2312-80 gb_2312 gbk x-gbk chinese csgb2312 iso-ir-58",
    "big5hkscs": "big5 big5-hkscs cn-big5 x-x-big5 csbig5",
    "euc_jp": "euc-jp x-euc-jp cseucpkdfmtjapanese",
    "iso2022_jp": "iso-2022-jp csiso2022jp",
    "cp932": "shift_jis shift-jis sjis x-sjis ms_kanji ms932 windows-31j csshiftjis",
    "cp949": "euc-kr ks_c_5601-1987 ks_c_5601-1989 ksc5601 ksc_5601 korean windows-949 cseuckr",
}
_LABELS = {label: codec for codec, labels in _BY_NAME.items() for label in labels.split()}
_LABELS |= {f"{prefix}125{n}": f"cp125{n}" for n in range(9) for prefix in ("windows-", "cp", "x-cp")}
_LABELS |= {f"iso{dash}8859-{n}": f"iso8859-{n}" for n in (3, 4, 5, 6, 7, 8, 10, 13, 14, 16) for dash in ("", "-")}
# French and Spanish are taken for cp1250 where it is among the guesses (measured with charset-normalizer 3.5).
_GUESSES = ["cp1252", "cp1251", "cp1253", "cp1254", "cp1255", "cp1256", "koi8_r", "iso8859_7", "cp932", "euc_jp",
            "gb18030", "big5", "cp949"]  # fmt: skip
_CENTRAL_GUESSES = ["cp1250", "iso8859_2"]
_CENTRAL_EUROPEAN = re.compile(rb"""\blang\s{0,9}=\s{0,9}["']?(?:cs|pl|hu|sk|sl|hr|ro|bs|sq)\b""", re.IGNORECASE)


def decoded(body: bytes, declared: str = "") -> str:
    """The text; U+FFFD stands only for single bytes that are wrong. declared: the server's word for the encoding."""
    for mark, codec in _MARKS:
        if body.startswith(mark):
            return body[len(mark) :].decode(codec, "replace")
    for codec in _candidates(body, declared):
        text = body.decode(codec, "replace")
        if _fits(text):
            return text
    return body.decode(_FALLBACK, "replace")


def _candidates(body: bytes, declared: str) -> Iterator[str]:
    head = body[:_HEAD_BYTES]
    own = _XML_DECLARED.search(head) or _DECLARED.search(head)
    said_inside = _LABELS.get(own[1].decode("ascii", "replace").lower(), "") if own else ""
    # A head that can be read as ASCII does not stand in UTF-16.
    codecs_said = (_LABELS.get(declared.strip().lower(), ""), "utf-8" if "utf-16" in said_inside else said_inside)
    yield from filter(None, codecs_said)
    yield "utf-8"
    yield from filter(None, [_guess(body)])


def _fits(text: str) -> bool:
    """Whether what is no ASCII is mostly read: one wrong byte does not make a page another encoding."""
    wrong = text.count("\ufffd")
    return not wrong or wrong * 4 <= sum(not character.isascii() for character in text)


def _guess(body: bytes) -> str:
    """The encoding that the bytes look like, "" if they do not say or the library for it is not there."""
    try:
        import charset_normalizer
    except ImportError:
        return ""
    sample = _TAG.sub(b" ", body[: 4 * _SAMPLE_BYTES])[:_SAMPLE_BYTES]
    if sum(byte > 127 for byte in sample) < _ENOUGH_BYTES:
        return ""
    central = _CENTRAL_EUROPEAN.search(body[:_HEAD_BYTES])
    best = charset_normalizer.from_bytes(sample, cp_isolation=_CENTRAL_GUESSES if central else _GUESSES).best()
    return best.encoding if best else ""
