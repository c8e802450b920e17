"""The visible text of an HTML page by rules about its elements: without navigation, scripts and forms.

By selectolax, which takes whatever nesting comes; by the standard library where the extra `pages` is not installed.
"""

from __future__ import annotations

import re
from collections.abc import Callable
from html.parser import HTMLParser
from importlib.util import find_spec

_BLOCKS = frozenset((
    "address", "article", "aside", "blockquote", "body", "br", "caption", "dd", "details", "div", "dl", "dt",
    "fieldset", "figcaption", "figure", "h1", "h2", "h3", "h4", "h5", "h6", "header", "hr", "li", "main", "ol", "p",
    "section", "summary", "table", "tbody", "thead", "tr", "ul",
))  # fmt: skip
# What holds no text of the page itself. A `form` may be around all of it.
_HIDDEN = frozenset((
    "aside", "audio", "button", "canvas", "datalist", "dialog", "footer", "iframe", "menu", "nav", "noscript",
    "object", "script", "select", "style", "svg", "template", "textarea", "title", "video",
))  # fmt: skip
# Marks in the text for where elements begin and end.
_BREAK, _PRE, _PRE_END, _MAIN, _MAIN_END = "\x1d", "\x1e", "\x1f", "\x1b", "\x1c"
_BEGINNING = {
    **dict.fromkeys(_BLOCKS, _BREAK),
    "td": " | ",
    "th": " | ",
    "pre": _PRE,
    "main": _MAIN,
    "article": _MAIN,
}
_ENDING = {**dict.fromkeys(_BLOCKS, _BREAK), "pre": _PRE_END, "main": _MAIN_END, "article": _MAIN_END}
_MARK = re.compile("[\x1b-\x1f]")
_MAIN_MARK = re.compile(f"([{_MAIN}{_MAIN_END}])")
_FORMATTED = re.compile(f"{_PRE}([^{_PRE}{_PRE_END}]*){_PRE_END}")
_LITTLE = 200  # characters in `main` below which the page keeps its text elsewhere


def plain_html(html: str, *, read: Callable[[str], str] | None = None) -> str:
    """The text of `main` or of articles if the page has such, else all of it. Blocks stand on lines of their own."""
    html = _MARK.sub(" ", html)
    read = read or (by_selectolax if find_spec("selectolax") else by_standard_library)
    marked = read(html)
    everything, main = _laid_out(marked), _laid_out(_main_part(marked))
    return main if len(main) >= min(_LITTLE, len(everything)) else everything


def formatted_parts(html: str) -> list[str]:
    """The text of each `pre`: what a reader of articles may leave out though the page is about it."""
    from selectolax.lexbor import LexborHTMLParser

    return [node.text(deep=True) for node in LexborHTMLParser(html).css("pre")]


def by_selectolax(html: str) -> str:
    """The text with its marks, from a tree as browsers make it."""
    from selectolax.lexbor import LexborHTMLParser

    tree = LexborHTMLParser(html)
    for tag in _HIDDEN:
        for node in reversed(tree.css(tag)):  # the innermost first: none is touched after what it stands in has gone
            node.decompose()
    for tag, mark in _BEGINNING.items():
        for node in tree.css(tag):
            node.insert_before(mark)
    for tag, mark in _ENDING.items():
        for node in tree.css(tag):
            node.insert_after(mark)
    return tree.body.text(deep=True) if tree.body else ""


def by_standard_library(html: str) -> str:
    """The text with its marks, from tags as they come."""
    reader = _Reader()
    reader.feed(html)
    reader.close()
    return "".join(reader.marked)


def _main_part(marked: str) -> str:
    """What stands in `main` or in articles, each part once however they are nested."""
    depth, parts = 0, []
    for part in _MAIN_MARK.split(marked):
        if part in (_MAIN, _MAIN_END):
            depth = max(depth + (1 if part == _MAIN else -1), 0)
            parts.append(_BREAK)
        elif depth:
            parts.append(part)
    return "".join(parts)


def _laid_out(marked: str) -> str:
    """Runs of blanks become one, marks become line breaks; what was formatted stays as it was, in a fence."""
    parts = _FORMATTED.split(marked)
    texts = [_fenced(part) if number % 2 else _collapsed(part) for number, part in enumerate(parts)]
    return "\n".join(text for text in texts if text)


def _collapsed(text: str) -> str:
    lines = (" ".join(line.split()) for line in _MARK.split(text))
    return "\n".join(line for line in lines if line.strip(" |"))


def _fenced(text: str) -> str:
    text = _MARK.sub("\n", text).strip("\n")
    return f"```\n{text}\n```" if text.strip() else ""


class _Reader(HTMLParser):
    """Collects text. An element that is hidden hides what it holds until it is closed as often as it was opened."""

    def __init__(self) -> None:
        super().__init__(convert_charrefs=True)
        self.marked: list[str] = []
        self._hidden_in = ""
        self._depth = 0

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        """Begin to hide, or mark the beginning."""
        if self._hidden_in:
            self._depth += tag == self._hidden_in
        elif tag in _HIDDEN:
            self._hidden_in, self._depth = tag, 1
        else:
            self.marked.append(_BEGINNING.get(tag, ""))

    def handle_endtag(self, tag: str) -> None:
        """Show again, or mark the end."""
        if self._hidden_in:
            self._depth -= tag == self._hidden_in
            if not self._depth:
                self._hidden_in = ""
        else:
            self.marked.append(_ENDING.get(tag, ""))

    def handle_data(self, data: str) -> None:
        """Keep what is seen."""
        if not self._hidden_in:
            self.marked.append(data)
