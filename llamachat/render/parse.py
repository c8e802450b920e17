"""Markdown as the transcript understands it: CommonMark, tables, footnotes, bare addresses; HTML is text.

`MarkdownParser.blocks` cuts a text into its top-level blocks; `inline` parses the text inside one.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import Protocol, TypedDict

from linkify_it import LinkifyIt
from markdown_it import MarkdownIt
from markdown_it.token import Token

from llamachat.render.emphasis import WideInline
from llamachat.render.footnotes import add_footnotes
from llamachat.render.links import allowed_link
from llamachat.render.maths import add_maths
from llamachat.render.runs import DEFAULT_RUNS, GOES_ON, Continuation, RunLimits, add_runs, runs_environment

# Ends an address although it may stand in one: fullwidth and CJK punctuation, and the quotes models put around links.
_ADDRESS_END = re.compile(r"[\u3000-\u303f\uff01-\uff0f\uff1a-\uff20\uff3b-\uff40\uff5b-\uff65\u2018-\u201f\u2026`]")
_DEEPEST_NESTING = 60  # markdown-it drops what is nested deeper; such a block is shown as the text it is
_LONGEST_LINKIFIED = 8000  # characters; looking for bare addresses takes the square of a text's length
_MOST_BRACKETS = 1000  # in one text; finding the other end of each takes the square of their number
_NO_ADDRESS_ENDS = ":*_~"  # linkify-it knows the other marks that end a sentence
_ADDRESSES = {"fuzzy_link": False, "fuzzy_email": True}
PLAIN_TEXT = "plain_text"  # the type of a token that holds the source of a block


class Definition(TypedDict):
    """A link reference definition as markdown-it keeps it; `map` is its first line and the line after its last."""

    title: str
    href: str
    map: list[int]


class Definitions(dict[str, Definition]):
    """Link reference definitions that note which labels are looked up.

    `hidden` labels are never found: an answer must not give the numbers of its sources other addresses.
    """

    def __init__(self, known: Mapping[str, Definition], hidden: frozenset[str]) -> None:
        super().__init__(known)
        self.looked_up: set[str] = set()
        self._hidden = hidden

    def get(self, label: str, default: object = None) -> Definition | None:  # type: ignore[override] # markdown-it's one use
        """The definition of a label, as markdown-it asks for it."""
        self.looked_up.add(label)
        return None if label in self._hidden else super().get(label)


@dataclass(frozen=True, slots=True)
class Block:
    """A top-level block: its tokens, its first line and the line after its last.

    goes_on: how the next block does with the same list or table.
    """

    tokens: tuple[Token, ...]
    first_line: int
    end_line: int
    goes_on: Continuation | None = None


class MarkdownParser:
    """One configured markdown-it; costly to make, so one serves a whole view."""

    def __init__(self, run_limits: RunLimits = DEFAULT_RUNS) -> None:
        self._md = _configure(run_limits, linkify=True)
        self._without_addresses = _configure(run_limits, linkify=False)
        self._without_links = _configure(run_limits, linkify=False)
        self._without_links.disable(["link", "image"])
        self._linkify = _Linkify(options=_ADDRESSES)

    def blocks(self, text: str, definitions: Definitions, continued: Continuation | None = None) -> list[Block]:
        """The top-level blocks of `text` (line ends are `\\n`); definitions in it are added to `definitions`.

        continued: how its first line goes on with the block above.
        """
        tokens: list[Token] = []
        environment = {"references": definitions, **runs_environment(continued)}
        self._md.block.parse(text, self._md, environment, tokens)
        return [block if _is_shallow(block) else _as_plain_text(block, text) for block in _top_level(tokens)]

    def inline(self, text: str, definitions: Definitions) -> list[Token]:
        """The tokens of a text inside a block."""
        md = self._md if len(text) <= _LONGEST_LINKIFIED else self._without_addresses
        if text.count("[") > _MOST_BRACKETS:
            md = self._without_links
        return md.parseInline(text, {"references": definitions})[0].children or []

    def addresses(self, text: str) -> Iterator[tuple[int, int, str]]:
        """Where the web addresses in a text start and end, and where they lead; none in a text that is too long."""
        found = (self._linkify.match(text) if len(text) <= _LONGEST_LINKIFIED else None) or ()
        for match in found:
            address = allowed_link(match.url) if match.schema in ("http:", "https:") else None
            if address:
                yield match.index, match.last_index, address


def _configure(run_limits: RunLimits, *, linkify: bool) -> MarkdownIt:
    options = {"html": False, "linkify": linkify, "maxNesting": _DEEPEST_NESTING}
    md = _TranscriptMarkdown()
    md.inline = WideInline()
    md.configure("commonmark", options)
    add_footnotes(md)
    add_maths(md)
    add_runs(md, run_limits)
    md.enable(["table", "strikethrough", "linkify"])
    md.linkify = _Linkify(options=_ADDRESSES)
    return md


def _top_level(tokens: list[Token]) -> Iterator[Block]:
    start = depth = 0
    for index, token in enumerate(tokens):
        depth += token.nesting
        if depth == 0:
            first, end = tokens[start].map or (0, 0)
            yield Block(tuple(tokens[start : index + 1]), first, end, tokens[start].meta.get(GOES_ON))
            start = index + 1


def _is_shallow(block: Block) -> bool:
    return max(token.level for token in block.tokens) < _DEEPEST_NESTING - 1


def _as_plain_text(block: Block, text: str) -> Block:
    source = "\n".join(text.split("\n")[block.first_line : block.end_line])
    token = Token(PLAIN_TEXT, "", 0, content=source, map=[block.first_line, block.end_line])
    return Block((token,), block.first_line, block.end_line, block.goes_on)


class _TranscriptMarkdown(MarkdownIt):
    def validateLink(self, url: str) -> bool:  # noqa: N802 - markdown-it's name
        return allowed_link(url) is not None


class _Match(Protocol):
    text: str
    url: str
    schema: str
    index: int
    last_index: int


class _Linkify(LinkifyIt):  # type: ignore[misc] # linkify-it-py has no types
    """Finds bare addresses, and ends them where the sentence goes on."""

    def match(self, text: str) -> list[_Match] | None:
        return [_trim(found) for found in super().match(text) or ()] or None

    def match_at_start(self, text: str) -> _Match | None:
        found = super().match_at_start(text)
        return _trim(found) if found else None


def _trim(found: _Match) -> _Match:
    surplus = len(found.text) - len(_ADDRESS_END.split(found.text, maxsplit=1)[0].rstrip(_NO_ADDRESS_ENDS))
    if surplus:
        found.last_index -= surplus
        found.text = found.text[:-surplus]
        found.url = found.url[:-surplus]
    return found
