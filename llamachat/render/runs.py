"""Long lists and tables come in runs: each is a block of its own, lest one that grows cost more and more.

A list is ended at the first item that begins so many lines after its first, a table after so many rows; what follows
goes on with its numbers or columns. What Markdown means is kept but for one thing: whether a list is loose is said
for each run. Qt needs the runs too: its lists take the square of their items, and its tables are laid out as a whole.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass, field, replace
from typing import TypeAlias, cast

from markdown_it import MarkdownIt
from markdown_it.rules_block import StateBlock, list_block, table
from markdown_it.rules_block.table import escapedSplit
from markdown_it.token import Token

GOES_ON = "goes_on"  # in the meta of an opening token: the Continuation, when there is a next run
CONTINUED = "continued"  # in that of the next one: the Continuation too
_RUNS = "runs"  # in the environment of the parser
_ITEM = re.compile(r"(?:\d{1,9}(?=[.)])|(?=[-+*]))([-+*.)])(?:[ \t]|$)")
_LINK = re.compile(r"\[|\]\([^)\s]{0,500}\)")  # what is not seen of a link
_MANY_COLUMNS = 7
_LEAST_CHARS, _MOST_CHARS = 4, 40  # of the longest cell, when columns share the width
_PADDING_CHARS = 2
_PERCENT_A_CHAR = 1.6  # of the width of the page; more than most need, lest words break in a narrow window
_WIDE = re.compile("[\u1100-\u11ff\u2e80-\ua4cf\uac00-\ud7ff\uf900-\ufaff\uff00-\uff60\U0001f000-\U0003ffff]")
_MOST_EMPTY_CELLS = 65_536  # as markdown-it: short rows of a wide table would grow without end


@dataclass(frozen=True, slots=True)
class RunLimits:
    """Lines of a run of a list, rows of a run of a table."""

    list_lines: int = 40
    table_rows: int = 20


DEFAULT_RUNS = RunLimits()


@dataclass(frozen=True, slots=True)
class Continuation:
    """How a list or a table goes on. markup: of the list, or `|`.

    widths: of the columns, in characters. empty: cells without text so far.
    """

    markup: str
    number: int = 0
    aligns: tuple[str, ...] = ()
    widths: tuple[int, ...] = ()
    empty: int = 0

    @property
    def is_table(self) -> bool:
        """Whether it is a table that goes on."""
        return self.markup == "|"


# What goes on behind so many tokens at a line, as a table or as a list; in another quote other tokens stand between.
_Place: TypeAlias = tuple[int, int, bool]


@dataclass(slots=True)
class _Runs:
    """What goes on where, with the opening token of the run above; and in which lines open runs began."""

    next: dict[_Place, tuple[Continuation, Token | None]] = field(default_factory=dict)
    starts: list[int] = field(default_factory=list)


def runs_environment(continued: Continuation | None) -> dict[str, object]:
    """What the rules need of the environment, for a text whose first line may go on with what stood before it."""
    runs = _Runs()
    if continued:
        runs.next[0, 0, continued.is_table] = (continued, None)
    return {_RUNS: runs}


def add_runs(md: MarkdownIt, limits: RunLimits) -> None:
    """Have a parser end long lists and tables and go on with them."""
    rules = _Rules(limits)
    md.block.ruler.at("table", rules.table, {"alt": ["paragraph", "reference"]})
    md.block.ruler.at("list", rules.list, {"alt": ["paragraph", "reference", "blockquote"]})
    md.block.ruler.push("list_run", rules.ends_list, {"alt": ["list"]})
    md.block.ruler.push("table_run", rules.ends_table, {"alt": ["blockquote"]})


def _runs_of(state: StateBlock) -> _Runs:
    return cast("_Runs", state.env[_RUNS])


class _Rules:
    """The library's rules for lists and tables, and what ends them early."""

    def __init__(self, limits: RunLimits) -> None:
        self._limits = limits

    def ends_list(self, state: StateBlock, line: int, _end: int, silent: bool) -> bool:
        """End the list in which an item may begin here."""
        return silent and line - _runs_of(state).starts[-1] >= self._limits.list_lines

    def ends_table(self, state: StateBlock, line: int, _end: int, silent: bool) -> bool:
        """End the table of which this may be a row."""
        return silent and state.parentType == "table" and line - _runs_of(state).starts[-1] >= self._limits.table_rows

    def list(self, state: StateBlock, start: int, end: int, silent: bool) -> bool:
        """A list, or the next run of one."""
        if silent:
            return list_block(state, start, end, silent)
        runs, index = _runs_of(state), len(state.tokens)
        continued, above = runs.next.get((index, start, False), (None, None))
        runs.starts.append(start)
        found = list_block(state, start, end, silent)
        runs.starts.pop()
        if found:
            opening = state.tokens[index]
            if continued and continued.markup == opening.markup:
                _link(above, opening, continued)
            if state.line - start >= self._limits.list_lines:
                runs.next[len(state.tokens), state.line, False] = (_next_items(state.tokens[index:]), opening)
        return found

    def table(self, state: StateBlock, start: int, end: int, silent: bool) -> bool:
        """A table, or the next run of one."""
        if silent:
            return table(state, start, end, silent)
        runs, index = _runs_of(state), len(state.tokens)
        items, _ = runs.next.get((index, start, False), (None, None))
        if items and _item_mark(state, start) == items.markup:
            return False  # an item whose next line looks like the divider of a table
        continued, above = runs.next.get((index, start, True), (None, None))
        runs.starts.append(start)
        goes_on = continued is not None and _push_rows(state, start, end, continued)
        found = goes_on or table(state, start, end, silent)
        runs.starts.pop()
        if found:
            opening = state.tokens[index]
            if continued and goes_on:
                _link(above, opening, continued)
            if state.line - start >= self._limits.table_rows:
                runs.next[len(state.tokens), state.line, True] = (_next_rows(state.tokens[index:]), opening)
        return found


def table_percent(widths: Sequence[int]) -> int:
    """How much of the page's width a table in runs takes: rows that are yet to come cannot widen its columns."""
    return min(round(sum(widths) * _PERCENT_A_CHAR), 100)


def column_percents(widths: Sequence[int]) -> list[int]:
    """How much of the table's width each column takes."""
    return [max(round(100 * width / sum(widths)), 1) for width in widths]


def has_many_columns(tokens: Sequence[Token]) -> bool:
    """Whether the table that begins with the first of these is so wide that its words would be broken."""
    cells = 0
    for token in tokens:
        cells += token.type in ("th_open", "td_open")
        if token.type == "tr_close":
            break
    return cells >= _MANY_COLUMNS


def _link(above: Token | None, opening: Token, continued: Continuation) -> None:
    """Have two runs know of each other; `above` is missing where it was parsed before."""
    opening.meta[CONTINUED] = continued
    if opening.tag == "ol":
        opening.attrs["start"] = continued.number
    if above:
        above.meta[GOES_ON] = continued


def _item_mark(state: StateBlock, line: int) -> str:
    """The mark of the list item that begins in a line, without its number."""
    item = _ITEM.match(_line(state, line))
    return item[1] if item else ""


def _line(state: StateBlock, line: int) -> str:
    return state.src[state.bMarks[line] + state.tShift[line] : state.eMarks[line]]


def _next_items(tokens: list[Token]) -> Continuation:
    """How a list goes on after these tokens of it."""
    opening = tokens[0]
    continued: Continuation | None = opening.meta.get(CONTINUED)
    first = continued.number if continued else int(opening.attrs.get("start", 1))
    items = sum(token.type == "list_item_open" and token.level == opening.level + 1 for token in tokens)
    return Continuation(opening.markup, first + items)


def _is_row(state: StateBlock, line: int, end: int, table: Continuation) -> bool:
    """What the library asks of a row."""
    if line >= end or state.sCount[line] < state.blkIndent or state.isEmpty(line) or state.is_code_block(line):
        return False
    terminators, silent = state.md.block.ruler.getRules("blockquote"), True
    return table.empty <= _MOST_EMPTY_CELLS and not any(rule(state, line, end, silent) for rule in terminators)


def _push_rows(state: StateBlock, start: int, end: int, table: Continuation) -> bool:
    """Take the rows that begin here; False where there is none."""
    parent, state.parentType = state.parentType, "table"
    found = _is_row(state, start, end, table)
    if found:
        _push_run(state, start, end, table)
    state.parentType = parent
    return found


def _push_run(state: StateBlock, start: int, end: int, table: Continuation) -> None:
    opening = state.push("table_open", "table", 1)
    body = state.push("tbody_open", "tbody", 1)
    line = start
    while _is_row(state, line, end, table):
        _push_row(state, line, table.aligns)
        line += 1
    state.push("tbody_close", "tbody", -1)
    state.push("table_close", "table", -1)
    opening.map, body.map = [start, line], [start, line]
    state.line = line


def _push_row(state: StateBlock, line: int, aligns: tuple[str, ...]) -> None:
    cells = _cells(_line(state, line))
    state.push("tr_open", "tr", 1).map = [line, line + 1]
    for column, align in enumerate(aligns):
        cell = state.push("td_open", "td", 1)
        if align:
            cell.attrs["style"] = align
        text = state.push("inline", "", 0)
        text.map, text.children = [line, line + 1], []
        text.content = cells[column].strip() if column < len(cells) else ""
        state.push("td_close", "td", -1)
    state.push("tr_close", "tr", -1)


def _cells(line: str) -> list[str]:
    cells = escapedSplit(line.strip())
    if cells and not cells[0]:
        del cells[0]
    if cells and not cells[-1]:
        del cells[-1]
    return cells


def _next_rows(tokens: list[Token]) -> Continuation:
    """How a table goes on after these tokens of it; its first run says how wide the columns are."""
    texts = [token.content for token in tokens if token.type == "inline"]
    table: Continuation | None = tokens[0].meta.get(CONTINUED)
    if table is None:
        heads = [str(token.attrs.get("style", "")) for token in tokens if token.type == "th_open"]
        widths = tuple(_width(texts[column :: len(heads)]) for column in range(len(heads)))
        table = Continuation("|", aligns=tuple(heads), widths=widths)
    return replace(table, empty=table.empty + texts.count(""))


def _width(texts: list[str]) -> int:
    longest = max(len(_WIDE.sub("xx", _LINK.sub("", text))) for text in texts)
    return min(max(longest, _LEAST_CHARS), _MOST_CHARS) + _PADDING_CHARS
