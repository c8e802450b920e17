"""What the full-text index gets to see of a text, and how a query is read: pure functions, no SQL.

The index takes ASCII letters and digits and everything beyond ASCII as parts of words (FTS5's `ascii` tokenizer), so
all else happens here: letters are folded (case, accents, width), the marks between words become spaces, scripts
written without spaces are cut into pairs of characters, and the parts of camelCase words are added at the end.
Whoever changes what `index_text` returns adds a migration that builds the index anew: old entries are taken out of it
by computing them again.
"""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Sequence
from dataclasses import dataclass

# Scripts without spaces between words, and pictures: Thai to Lao, Myanmar, Khmer, kana, Han, Hangul, emoji.
_UNSPACED = (
    "\u0e00-\u0eff\u1000-\u109f\u1780-\u17ff\u2600-\u27bf\u3005-\u3007\u3040-\u30ff\u31f0-\u31ff\u3400-\u4dbf"
    "\u4e00-\u9fff\uac00-\ud7af\uf900-\ufaff\U0001f300-\U0001faff\U00020000-\U0003ffff"
)
_UNSPACED_RUN = re.compile(f"[{_UNSPACED}]+")
_HALF_WIDTH_KANA = re.compile("[\uff61-\uff9f]+")
_IN_WORD = "[a-z0-9\u0080-\U0010ffff]"
_WORD = re.compile(f"{_IN_WORD}+")
_ASCII_WORD = re.compile("[A-Za-z0-9]+")
_CAMEL = re.compile("[a-z0-9][A-Z]|[A-Z]{2}[a-z]")
_HUMP = re.compile("(?<=[a-z0-9])(?=[A-Z])|(?<=[A-Z])(?=[A-Z][a-z])")
_LONGEST_IDENTIFIER = 64  # longer ones are data, such as Base64
_MOST_HUMPS = 8
_BEGINNING = "\u00a6"  # "broken bar": no letter or digit, so no folded text has it
_LONGEST_BEGINNING = 4
_STROKED = {"ø": "o", "đ": "d", "ł": "l", "æ": "ae", "œ": "oe", "ı": "i"}  # letters that Unicode does not take apart


class _Folding(dict[int, str]):
    """A table for `str.translate`, filled as characters turn up."""

    def __missing__(self, code: int) -> str:
        folded = self[code] = _fold_character(chr(code))
        return folded


def _fold_character(character: str) -> str:
    """Lower case without accents; a space for what is no part of a word."""
    parts = unicodedata.normalize("NFKD", character.casefold())
    # Combining classes from 10 are accents and vowel points; below are kana's voicing marks and the like.
    bare = "".join(_STROKED.get(part, part) for part in parts if unicodedata.combining(part) < 10)
    whole = unicodedata.normalize("NFKC", bare)
    return "".join(c if _in_word(c) else " " for c in whole)


def _in_word(character: str) -> bool:
    kind = unicodedata.category(character)[0]
    return kind in "LN" or (kind == "M" and character != "\ufe0f") or is_unspaced(character)


_FOLDING = _Folding()


def is_unspaced(character: str) -> bool:
    """True where the text begins with a character of a script that puts no spaces between words."""
    return bool(_UNSPACED_RUN.match(character))


def composed(text: str) -> str:
    """The text with one character for each letter: accents joined, and the voicing marks of half-width kana."""
    text = unicodedata.normalize("NFC", text)
    return _HALF_WIDTH_KANA.sub(lambda run: unicodedata.normalize("NFKC", run.group()), text)


def folded(text: str) -> str:
    """The text as the index compares it: words in lower case without accents, spaces for all else."""
    return composed(text).translate(_FOLDING)


def folded_with_origins(text: str) -> tuple[str, Sequence[int]]:
    """`folded` of a composed text, and for each of its characters where in the text it comes from."""
    pieces = [_FOLDING[ord(character)] for character in text]
    whole = "".join(pieces)
    if len(whole) == len(text) and all(pieces):
        return whole, range(len(text))
    return whole, [index for index, piece in enumerate(pieces) for _ in piece]


def index_text(text: str) -> str:
    """What is put into the index for a text: its words, the ends of camelCase words, all their short beginnings."""
    words = _words(text)
    return f"{words} {_beginnings(words)}"


def begin_words(text: str, beginnings: Sequence[str]) -> bool:
    """Whether for each of these there is a word of the text, as the index has them, that begins with it."""
    words = _plain_words(text).lower()
    missing = [beginning for beginning in beginnings if not _begins(words, beginning)]
    if not all(beginning in words for beginning in missing):
        return False
    ends = _camel_ends(text).lower() if missing else ""
    return all(_begins(ends, beginning) for beginning in missing)


def _begins(words: str, beginning: str) -> bool:
    return beginning in words and bool(re.search(rf"(?<!{_IN_WORD}){beginning}", words))


def _words(text: str) -> str:
    return f"{_plain_words(text)} {_camel_ends(text)}"


def _plain_words(text: str) -> str:
    return text if text.isascii() else _with_pairs(folded(text))


def _beginnings(words: str) -> str:
    """Each beginning once. Without them `th` would have to walk through all that stands under the, that, there."""
    short = {
        word[:length]
        for word in _WORD.findall(words.lower())
        for length in range(1, 1 + (1 if is_unspaced(word) else _LONGEST_BEGINNING))
    }
    return " ".join(_BEGINNING + beginning for beginning in sorted(short))


def _with_pairs(text: str) -> str:
    return _UNSPACED_RUN.sub(lambda run: f" {_pairs(run.group())} ", text)


def _pairs(run: str) -> str:
    """Every two neighbours of a run, and its last character: each one starts something that is found."""
    return " ".join(run[i : i + 2] for i in range(len(run)))


def _camel_ends(text: str) -> str:
    """For `loadHttpConfig`: HttpConfig Config. With the word itself each part then begins a word."""
    if not _CAMEL.search(text):
        return ""
    ends = []
    for word in _ASCII_WORD.findall(text):
        if 2 < len(word) <= _LONGEST_IDENTIFIER and _CAMEL.search(word):
            humps = [hump.start() for hump in _HUMP.finditer(word)]
            ends += [word[start:] for start in humps[:_MOST_HUMPS]]
    return " ".join(ends)


@dataclass(frozen=True, slots=True)
class Term:
    """Words that must follow each other; the last one may be just the beginning of a word. `text` is them, folded."""

    text: str
    words: tuple[str, ...]
    is_beginning: bool

    @property
    def phrase(self) -> str:
        """The term as FTS5 reads it; nothing in it can be taken for syntax."""
        if not self.is_beginning:
            return f'"{" ".join(self.words)}"'
        only = self.words[0] if len(self.words) == 1 else ""
        if 0 < len(only) <= (1 if is_unspaced(only) else _LONGEST_BEGINNING):
            return f'"{_BEGINNING}{only}"'
        return f'"{" ".join(self.words)}"*'

    @property
    def shortened(self) -> Term | None:
        """The beginning that the index has of a beginning longer than that; None for all else."""
        if not self.is_beginning or len(self.words) != 1 or len(self.words[0]) <= _LONGEST_BEGINNING:
            return None
        beginning = self.words[0][:_LONGEST_BEGINNING]
        return None if is_unspaced(beginning) else Term(beginning, (beginning,), is_beginning=True)


_QUOTED_OR_WORD = re.compile(r'"([^"]*)"|([^\s"()\[\]{}<>]+)')


def query_terms(query: str) -> tuple[Term, ...]:
    """The terms of what a person typed: each word one, text between quotation marks one. All must be found.

    Words of two and more characters match as beginnings, single letters only with a star behind them.
    """
    found = (_term(match) for match in _QUOTED_OR_WORD.finditer(query))
    return tuple(dict.fromkeys(term for term in found if term.words))


def _term(match: re.Match[str]) -> Term:
    quoted, word = match.groups()
    text = " ".join(folded(word if quoted is None else quoted).split())
    words = _WORD.findall(_with_pairs(text))
    if len(words) > 1 and len(words[-1]) == 1 and len(words[-2]) == 2 and is_unspaced(words[-1]):
        words.pop()  # the character that ends a run stands alone in the index; in a query it need not end one
    lone = bool(words) and len(words[-1]) == 1
    lone_letter = lone and not is_unspaced(words[-1])
    starred = (word is not None and word.endswith("*")) or (lone and not lone_letter)
    return Term(text, tuple(words), is_beginning=starred or not (lone_letter or quoted is not None))
