"""Blocks of Markdown to HTML as Qt's rich text understands it.

Classes carry the looks (a style sheet of the view gives them colours), `-qt-user-state` carries what a block is.
Qt has no boxes: every line of code is a paragraph of its own, quotes are margins, and the view paints the rest.
All text is escaped and nothing refers to a resource: images become links.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, field
from html import escape

from markdown_it.token import Token

from llamachat.core.text import tr
from llamachat.render.block_html import alert_title, code_lines, draw_code, open_block, runs_from_right
from llamachat.render.block_kinds import FILLER, QUOTE_INDENT_PX, BlockKind, Tone
from llamachat.render.footnotes import NOTE_CLOSE, NOTE_MARK, NOTE_OPEN, draw_label
from llamachat.render.links import Anchor, AnchorKind, allowed_link
from llamachat.render.maths import MATH_BLOCK, MATH_CLASS, MATH_INLINE
from llamachat.render.parse import PLAIN_TEXT, Block, Definitions, MarkdownParser
from llamachat.render.runs import CONTINUED, GOES_ON, column_percents, has_many_columns, table_percent

_CITATION = re.compile(r"\[(\d{1,3})\]")
_TASK = re.compile(r"\[([ xX])\][ \t]+")
_TAG = re.compile(r"<[^>]*>")
_ALERT = re.compile(r"\[!(NOTE|TIP|IMPORTANT|WARNING|CAUTION)\][ \t]*(?:\n|$)")
_SAVED_INLINES = 2000


@dataclass(frozen=True, slots=True)
class MessageContext:
    """What the drawing of one message depends on beside its text.

    sources: the addresses of the results this turn had, by their numbers, as they came.
    """

    message_id: int
    sources: Mapping[int, str] = field(default_factory=dict)


@dataclass(frozen=True, slots=True)
class Drawn:
    """The HTML of a block and the labels of link definitions it depends on."""

    html: str
    labels: frozenset[str]


class HtmlWriter:
    """Draws the blocks of one message. Inline text that was drawn before is not parsed again."""

    def __init__(self, parser: MarkdownParser, context: MessageContext) -> None:
        self._parser = parser
        self._context = context
        self._inlines: dict[str, Drawn] = {}
        self._hidden_labels = frozenset(str(number) for number in context.sources)

    def definitions(self, known: Definitions | None = None) -> Definitions:
        """A fresh collection that starts with the known definitions."""
        return Definitions(known or {}, self._hidden_labels)

    def forget_inlines(self) -> None:
        """Parse inline text anew from now on: the definitions have changed."""
        self._inlines.clear()

    def draw(self, block: Block, definitions: Definitions, line_offset: int = 0) -> Drawn:
        """The HTML of a top-level block; `line_offset` is the source line its own lines are counted from."""
        run = _BlockRun(block.tokens, lambda token: self._inline(token, definitions), self._context, line_offset)
        html = "".join(run.pieces())
        return Drawn(html, frozenset(run.labels))

    def _inline(self, text: str, definitions: Definitions) -> Drawn:
        saved = self._inlines.get(text)
        if saved is None:
            definitions.looked_up.clear()
            tokens = self._parser.inline(text, definitions)
            saved = Drawn(_draw_inline(tokens, self._context), frozenset(definitions.looked_up))
            if len(self._inlines) >= _SAVED_INLINES:
                self._inlines.clear()
            self._inlines[text] = saved
        return saved


def _draw_inline(tokens: list[Token], context: MessageContext) -> str:
    return "".join(_inline_pieces(tokens, context))


_INLINE_TAGS = {
    "strong_open": "<b>",
    "strong_close": "</b>",
    "em_open": "<i>",
    "em_close": "</i>",
    "s_open": "<s>",
    "s_close": "</s>",
    "link_close": "</a>",
    "hardbreak": "<br>",
}


def _inline_pieces(tokens: list[Token], context: MessageContext) -> Iterator[str]:
    links = 0
    for token in tokens:
        if token.type == "link_open":
            links += 1
            yield f'<a href="{escape(str(token.attrs["href"]))}">'
        elif token.type == "image":
            yield _image(token, inside_link=links > 0)
        elif token.type == "code_inline":
            yield f'<span class="ic">{escape(token.content)}</span>'
        elif token.type == MATH_INLINE:
            yield f"<span {MATH_CLASS}>{escape(token.content)}</span>"
        elif token.type == NOTE_MARK:
            yield draw_label(token.content)
        elif token.type == "softbreak":
            yield "\n"
        elif token.type in _INLINE_TAGS:
            links -= token.type == "link_close"
            yield _INLINE_TAGS[token.type]
        else:
            yield _text(token.content, context, inside_link=links > 0)


def _text(text: str, context: MessageContext, *, inside_link: bool) -> str:
    html = escape(text)
    if inside_link or not context.sources:
        return html
    return _CITATION.sub(lambda match: _citation(match[0], int(match[1]), context.sources), html)


def _citation(mark: str, number: int, sources: Mapping[int, str]) -> str:
    if number not in sources:
        return f'<span class="missing">{mark}</span>'
    address = allowed_link(sources[number])
    return f'<a href="{escape(address)}">{mark}</a>' if address else mark


def _image(token: Token, *, inside_link: bool) -> str:
    label = escape(tr("[image: {text}]").format(text=token.content or tr("no description")))
    return label if inside_link else f'<a href="{escape(str(token.attrs["src"]))}">{label}</a>'


class _BlockRun:
    """One pass over the tokens of a block: knows how deep in quotes it is."""

    def __init__(
        self,
        tokens: tuple[Token, ...],
        inline: Callable[[str], Drawn],
        context: MessageContext,
        line_offset: int,
    ) -> None:
        self.labels: set[str] = set()
        self._tokens = tokens
        self._inline = inline
        self._context = context
        self._line_offset = line_offset
        self._depth = 0
        self._tone = Tone.NONE  # of the outermost quote
        self._mark = ""  # what to take off the next inline text: the mark of a task or an alert
        self._note = ""  # the label of the footnote that begins
        self._in_note = False
        self._skipped = range(0)  # tokens of which nothing is drawn
        self._widths: list[int] = []  # in percent, of the columns of the table's first row that are still to come
        self._goes_on = False  # the table does, below
        self._writers: dict[str, Callable[[Token, int], str]] = {
            "paragraph_open": self._paragraph,
            "inline": self._inline_text,
            "heading_open": lambda token, at: self._open(
                token.tag, BlockKind[f"HEADING_{token.tag[1]}"], self._tokens[at + 1].content
            ),
            "heading_close": lambda *_: "</p>",
            "bullet_list_open": self._list,
            "ordered_list_open": self._list,
            "list_item_open": self._list_item,
            "blockquote_open": self._open_quote,
            "blockquote_close": self._close_quote,
            NOTE_OPEN: self._open_note,
            NOTE_CLOSE: self._close_note,
            "fence": self._code,
            "code_block": self._code,
            PLAIN_TEXT: lambda token, _: "".join(self._plain_line(line) for line in token.content.split("\n")),
            MATH_BLOCK: self._formula,
            "hr": lambda *_: self._open("rule", BlockKind.RULE) + f"{FILLER}</p>",
            "table_open": self._table,
            "table_close": self._close_table,
            "th_open": self._cell,
            "td_open": self._cell,
        }

    def pieces(self) -> Iterator[str]:
        """The HTML, token by token."""
        for index, token in enumerate(self._tokens):
            if index in self._skipped:
                continue
            writer = self._writers.get(token.type)
            yield writer(token, index) if writer else f"</{token.tag}>" if token.nesting < 0 else f"<{token.tag}>"

    def _open(self, css_class: str, kind: BlockKind, text: str = "") -> str:
        mirrored = self._depth > 0 and runs_from_right(text.removeprefix(self._mark))
        return open_block(css_class, kind, depth=self._depth, tone=self._tone, mirrored=mirrored)

    def _plain_line(self, line: str) -> str:
        return f"{self._open('verbatim', BlockKind.PLAIN, line)}{escape(line) or FILLER}</p>"

    def _paragraph(self, token: Token, index: int) -> str:
        note, self._note = self._note, ""
        css_class = "footnote" if self._in_note else "tight" if token.hidden else ""
        return self._open(css_class, BlockKind.PLAIN, self._tokens[index + 1].content) + note

    def _inline_text(self, token: Token, index: int) -> str:
        text, self._mark = token.content.removeprefix(self._mark), ""
        drawn = self._inline(text)
        self.labels |= drawn.labels
        is_nothing = self._tokens[index - 1].tag not in ("td", "th") and not _TAG.sub("", drawn.html)
        return drawn.html + FILLER if is_nothing else drawn.html

    def _open_quote(self, _token: Token, index: int) -> str:
        """Open a quote; one that begins with `[!NOTE]` gets a title instead of that."""
        self._depth += 1
        first, text = self._tokens[index + 1], self._tokens[index + 2 : index + 3]
        alert = _ALERT.match(text[0].content) if first.type == "paragraph_open" else None
        if alert is None:
            return ""
        self._mark = alert[0]
        if alert[0] == text[0].content:
            self._skipped = range(index + 1, index + 4)
        self._tone = Tone[alert[1]] if self._depth == 1 else self._tone
        name = alert[1].lower()
        return f"{self._open(f'alert {name}', BlockKind.ALERT)}{escape(alert_title(name))}</p>"

    def _close_quote(self, _token: Token, _index: int) -> str:
        self._depth -= 1
        self._tone = self._tone if self._depth else Tone.NONE
        return ""

    def _formula(self, token: Token, _index: int) -> str:
        source = escape(token.content).replace("\n", "<br>")
        return f"{self._open('math', BlockKind.PLAIN)}{source}</p>"

    def _open_note(self, token: Token, index: int) -> str:
        label = draw_label(str(token.meta["label"]))
        self._in_note = True
        if self._tokens[index + 1].type == "paragraph_open":
            self._note = f"{label} "
            return ""
        return f"{self._open('footnote', BlockKind.PLAIN)}{label}</p>"

    def _close_note(self, _token: Token, _index: int) -> str:
        self._in_note = False
        return ""

    def _list(self, token: Token, _index: int) -> str:
        names = [name for name, key in (("continued", CONTINUED), ("goes-on", GOES_ON)) if key in token.meta]
        css_class = f' class="{" ".join(names)}"' if names else ""
        start = token.attrs.get("start")
        return f"<{token.tag}{css_class}>" if start is None else f'<{token.tag}{css_class} start="{int(start)}">'

    def _list_item(self, _token: Token, index: int) -> str:
        """Open an item. Qt drops an empty one, and the mark of one that begins with another block."""
        first, inner = self._tokens[index + 1], self._tokens[index + 2 : index + 3]
        if first.type not in ("paragraph_open", "heading_open"):
            return f"<li>{self._open('tight', BlockKind.PLAIN)}{FILLER}</p>"
        task = _TASK.match(inner[0].content) if first.type == "paragraph_open" else None
        if task is None or self._is_link(inner[0].content):
            return "<li>"
        self._mark = task[0]
        return f'<li class="{"unchecked" if task[1] == " " else "checked"}">'

    def _is_link(self, text: str) -> bool:
        """Whether a text that begins with `[x]` begins with a link of that label."""
        self.labels |= (drawn := self._inline(text)).labels
        return drawn.html.startswith("<a ")

    def _code(self, token: Token, _index: int) -> str:
        language, lines = (token.info.split() or [""])[0], code_lines(token.content)
        anchor = Anchor(AnchorKind.CODE, self._context.message_id, self._line_offset + (token.map or (0, 0))[0])
        return draw_code(lines, language=language, anchor=anchor, depth=self._depth, tone=self._tone)

    def _table(self, token: Token, index: int) -> str:
        run = token.meta.get(GOES_ON) or token.meta.get(CONTINUED)
        self._goes_on = GOES_ON in token.meta
        self._widths = column_percents(run.widths) if run else []
        margin = f' style="margin-left:{self._depth * QUOTE_INDENT_PX}px"' if self._depth else ""
        above = ("seam", BlockKind.SEAM) if CONTINUED in token.meta else ("gap", BlockKind.SPACER)
        gap = self._open(*above) + f"{FILLER}</p>"
        width = f' width="{table_percent(run.widths)}%"' if run else ""
        look, padding = ("grid dense", 4) if has_many_columns(self._tokens[index:]) else ("grid", 6)
        return f'{gap}<table class="{look}" border="1" cellspacing="0" cellpadding="{padding}"{width}{margin}>'

    def _close_table(self, _token: Token, _index: int) -> str:
        return f'</table><span class="{"seam" if self._goes_on else "gap"}">{FILLER}</span>'

    def _cell(self, token: Token, _index: int) -> str:
        align = str(token.attrs.get("style", "")).removeprefix("text-align:")
        width = f' width="{self._widths.pop(0)}%"' if self._widths else ""
        return f'<{token.tag} align="{align if align in ("center", "right") else "left"}"{width}>'
