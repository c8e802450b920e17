"""Footnotes: `[^1]` in the text and `[^1]: what it says` where it was written.

A definition is kept among the link definitions under a name that no link can have, so that a late one has the
text above it drawn anew by the same rule.
"""

from __future__ import annotations

import re
from html import escape
from typing import cast

from markdown_it import MarkdownIt
from markdown_it.rules_block import StateBlock
from markdown_it.rules_inline import StateInline
from mdit_py_plugins.footnote.index import footnote_def

NOTE_MARK = "note_mark"  # the type of the token of a `[^1]`
NOTE_OPEN = "footnote_reference_open"
NOTE_CLOSE = "footnote_reference_close"
_MARK = re.compile(r"\[\^([^\s\]^]+)\]")


def add_footnotes(md: MarkdownIt) -> None:
    """Have a parser know footnotes."""
    md.block.ruler.before("reference", "footnote", _definition, {"alt": ["paragraph", "reference"]})
    md.inline.ruler.before("link", "footnote", _mark)


def draw_label(label: str) -> str:
    """The raised mark of a note: a number alone, a word in brackets, lest it be read with the word before it."""
    return f"<sup>{escape(label if label.isdigit() else f'[{label}]')}</sup>"


def _name(label: str) -> str:
    return f"note {label}"  # links' labels are kept in capitals


def _definition(state: StateBlock, startLine: int, endLine: int, silent: bool) -> bool:  # noqa: N803 - theirs
    first = len(state.tokens)
    if not footnote_def(state, startLine, endLine, silent):
        return False
    if not silent:
        label = str(state.tokens[first].meta["label"])
        found = {"title": "", "href": "", "map": [startLine, state.line]}
        cast("dict[str, object]", state.env["references"]).setdefault(_name(label), found)
    return True


def _mark(state: StateInline, silent: bool) -> bool:
    match = _MARK.match(state.src, state.pos, state.posMax)
    if match is None or state.env["references"].get(_name(match[1])) is None:
        return False
    if not silent:
        state.push(NOTE_MARK, "", 0).content = match[1]
    state.pos = match.end()
    return True
