"""Text from strangers made plain: no markup, nothing invisible, one line, a bounded length."""

from __future__ import annotations

import html
import re

from llamachat.core.text import clean

# Characters that show nothing or turn the direction of what stands beside them: they hide text from a reader
# that a model still reads. The joiners U+200C and U+200D stay, Persian and emoji need them.
_INVISIBLE = re.compile(
    "[\u00ad\u034f\u061c\u115f\u1160\u17b4\u17b5\u180b-\u180f\u200b\u200e\u200f\u202a-\u202e\u2060-\u206f"
    "\u3164\ufe00-\ufe0d\ufeff\uffa0\ufff0-\ufffb\U000e0000-\U000e0fff]"
    r"|\x1b\[[0-9;?]*[A-Za-z]"  # colours of a terminal
)
_LINE_END = re.compile("\r\n?|[\x0b\x0c\x85\u2028\u2029]")
_CONTROL = re.compile(r"[\x00-\x08\x0e-\x1f\x7f-\x9f]")
_GAP = re.compile(r"\n{3,}")
_BLANK = re.compile(r"[\s\x00-\x1f\x7f-\x9f]+")

# The elements that search services put into titles and snippets. A name that is no element stays, since it is
# text: `std::vector<int>`, `#include <stdio.h>`.
_ELEMENT = (
    "a|abbr|article|audio|b|big|blockquote|body|br|button|center|cite|code|dd|del|details|div|dl|dt|em|embed|figure"
    "|font|footer|form|h[1-6]|head|header|hr|html|i|iframe|img|input|ins|kbd|label|li|link|mark|meta|nav|object|ol|p"
    "|picture|pre|q|s|script|section|small|span|strike|strong|style|sub|summary|sup|svg|table|tbody|td|th|thead|time"
    "|title|tr|tt|u|ul|var|video|wbr"
)
_TAG = re.compile(rf"<!--[^<>]*>|</?(?:{_ELEMENT})(?:[\s/][^<>]*)?>", re.IGNORECASE)
_ENDLESS_NUMBER = re.compile(r"&#\d{20,};?")  # of a character; Python reads no number of thousands of digits
_BREAKING = re.compile(r"</?(?:br|div|dd|dt|h[1-6]|hr|li|p|td|th|tr)\b", re.IGNORECASE)


def plain_line(text: str) -> str:
    """The text as one line: line breaks, controls and runs of blanks become one blank, invisible characters go."""
    return _BLANK.sub(" ", _INVISIBLE.sub("", clean(text))).strip()


def plain_block(text: str) -> str:
    """The text with its lines and their indentation; controls become blanks, invisible characters go."""
    lines = _CONTROL.sub(" ", _LINE_END.sub("\n", _INVISIBLE.sub("", clean(text)))).split("\n")
    return _GAP.sub("\n\n", "\n".join(line.rstrip() for line in lines)).strip("\n")


def without_markup(text: str) -> str:
    """The text without HTML tags and comments, its entities decoded once."""
    plain = _TAG.sub(lambda tag: " " if _BREAKING.match(tag[0]) else "", text)
    return html.unescape(_ENDLESS_NUMBER.sub("\ufffd", plain))


def cut_at_word(text: str, limit: int) -> str:
    """At most `limit` characters, cut after a word where one ends near and marked with an ellipsis."""
    if len(text) <= limit:
        return text
    room = max(limit - 1, 0)
    end = text.rfind(" ", room // 2, room + 1)
    return (text[: end if end > 0 else room].rstrip(" ,;:\u200d") + "…")[:limit]
