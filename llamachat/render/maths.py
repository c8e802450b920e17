r"""Formulas: `$...$`, `\(...\)` in a line, `$$...$$` and `\[...\]` also as blocks. The HTML has their sources.

Without these rules Markdown would take the underscores, stars and backslashes of LaTeX for its own. No rule looks
beyond its block: an open `$$` or `\[` at the start of a line runs to its end, a blank line or the end of the text.
"""

from __future__ import annotations

import re

from markdown_it import MarkdownIt
from markdown_it.rules_block import StateBlock
from markdown_it.rules_inline import StateInline

from llamachat.core.formula import Formula

MATH_INLINE = "math_inline"  # the types of the tokens; their content is the source with its marks
MATH_BLOCK = "math_block"
MATH_CLASS = 'class="math"'  # of the elements with their sources; no text of a stranger has its quotation marks
_LONGEST = 2000  # characters of a formula in a line

# As in Pandoc: no blank inside the marks and no digit after them, lest `$5 and $6` be a formula.
_INLINE = re.compile(
    rf"\$\$(?=\S)(?:[^$\\]|\\.){{1,{_LONGEST}}}\$\$"
    rf"|\$(?![\s$])(?:[^$\\]|\\.){{0,{_LONGEST}}}(?<=[^\s\\])\$(?![\d$])"
    rf"|\\\((?:(?!\\\)).){{1,{_LONGEST}}}\\\)"
    rf"|\\\[(?:(?!\\\]).){{1,{_LONGEST}}}\\\]",
    re.DOTALL,
)
_CLOSING = {"$$": "$$", "\\[": "\\]"}
_MARKS = (("$$", "$$", True), ("\\[", "\\]", True), ("\\(", "\\)", False), ("$", "$", False))


def read_formula(source: str) -> Formula | None:
    """The formula between its marks; None when they are not both there."""
    text = source.strip()
    for opening, closing, display in _MARKS:
        if text.startswith(opening):
            tex = text.removeprefix(opening)
            return Formula(tex.removesuffix(closing).strip(), display) if tex.endswith(closing) else None
    return None


def split_formulas(text: str) -> list[str]:
    """The formulas of a text that is nothing but formulas, one after the other; the text where it is not."""
    found = [match[0] for match in _INLINE.finditer(text)]
    return found if "".join(found) == text else [text]


def add_maths(md: MarkdownIt) -> None:
    """Have a parser know formulas."""
    md.inline.ruler.before("escape", "maths", _inline)
    md.block.ruler.before("fence", "maths", _block, {"alt": ["paragraph", "reference", "blockquote", "list"]})


def _inline(state: StateInline, silent: bool) -> bool:
    if state.src[state.pos] not in "$\\":
        return False
    match = _INLINE.match(state.src, state.pos, state.posMax)
    if match is None:
        return False
    if not silent:
        state.push(MATH_INLINE, "", 0).content = match[0].replace("\n", " ")
    state.pos = match.end()
    return True


def _block(state: StateBlock, startLine: int, endLine: int, silent: bool) -> bool:  # noqa: N803 - the library's names
    first = _line(state, startLine)
    closing = _CLOSING.get(first[:2])
    if state.is_code_block(startLine) or closing is None:
        return False
    inside, closed, rest = first[2:].partition(closing)
    if rest.strip() or (closed and not inside.strip()):
        return False
    if silent:
        return True
    line = startLine + 1
    while not closed and line < endLine and not state.isEmpty(line) and state.sCount[line] >= state.blkIndent:
        closed = closing if _line(state, line).rstrip().endswith(closing) else ""
        line += 1
    state.line = line
    token = state.push(MATH_BLOCK, "", 0)
    token.map = [startLine, line]
    token.content = state.getLines(startLine, line, state.blkIndent, keepLastLF=False)
    return True


def _line(state: StateBlock, line: int) -> str:
    return state.src[state.bMarks[line] + state.tShift[line] : state.eMarks[line]]
