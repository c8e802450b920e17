"""Blocks of Markdown to HTML as Qt's rich text understands it.

Classes carry the looks (a style sheet of the view gives them colours), `-qt-user-state` carries what a block is.
Qt has no boxes: every line of code is a paragraph of its own, quotes are margins, and the view paints the rest.
All text is escaped and nothing refers to a resource: images become links.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from html import escape

from markdown_it.token import Token

from llamachat.core.text import tr
from llamachat.render.block_kinds import CODE_PADDING_PX, FILLER, QUOTE_INDENT_PX, BlockKind, block_state
from llamachat.render.links import Anchor, AnchorKind, allowed_link
from llamachat.render.parse import PLAIN_TEXT, Block, Definitions, MarkdownParser

_CITATION = re.compile(r"\[(\d{1,3})\]")
_TASK = re.compile(r"\[([ xX])\][ \t]+")
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
        self._task = ""  # the task mark to take off the next inline text
        self._writers: dict[str, Callable[[Token, int], str]] = {
            "paragraph_open": self._paragraph,
            "inline": self._inline_text,
            "heading_open": lambda token, _: self._open(token.tag, BlockKind[f"HEADING_{token.tag[1]}"]),
            "heading_close": lambda *_: "</p>",
            "bullet_list_open": lambda *_: "<ul>",
            "ordered_list_open": self._ordered_list,
            "list_item_open": self._list_item,
            "blockquote_open": lambda *_: self._quote(1),
            "blockquote_close": lambda *_: self._quote(-1),
            "fence": self._code,
            "code_block": self._code,
            PLAIN_TEXT: lambda token, _: "".join(self._plain_line(line) for line in token.content.split("\n")),
            "hr": lambda *_: self._open("rule", BlockKind.RULE) + f"{FILLER}</p>",
            "table_open": self._table,
            "table_close": lambda *_: f'</table><span class="gap">{FILLER}</span>',
            "th_open": self._cell,
            "td_open": self._cell,
        }

    def pieces(self) -> Iterator[str]:
        """The HTML, token by token."""
        for index, token in enumerate(self._tokens):
            writer = self._writers.get(token.type)
            yield writer(token, index) if writer else f"</{token.tag}>" if token.nesting < 0 else f"<{token.tag}>"

    def _open(self, css_class: str, kind: BlockKind) -> str:
        return open_block(css_class, kind, depth=self._depth)

    def _plain_line(self, line: str) -> str:
        return f"{self._open('verbatim', BlockKind.PLAIN)}{escape(line) or FILLER}</p>"

    def _paragraph(self, token: Token, _index: int) -> str:
        return self._open("tight" if token.hidden else "", BlockKind.PLAIN)

    def _inline_text(self, token: Token, _index: int) -> str:
        text, self._task = token.content.removeprefix(self._task), ""
        drawn = self._inline(text)
        self.labels |= drawn.labels
        return drawn.html

    def _quote(self, change: int) -> str:
        self._depth += change
        return ""

    def _ordered_list(self, token: Token, _index: int) -> str:
        start = token.attrs.get("start")
        return f'<ol start="{int(start)}">' if start is not None else "<ol>"

    def _list_item(self, _token: Token, index: int) -> str:
        """Open an item. Qt drops an empty one, and the mark of one that begins with another block."""
        first, inner = self._tokens[index + 1], self._tokens[index + 2 : index + 3]
        if first.type not in ("paragraph_open", "heading_open"):
            return "<li>" + self._open("tight", BlockKind.PLAIN) + f"{FILLER}</p>"
        task = _TASK.match(inner[0].content) if first.type == "paragraph_open" else None
        if task is None or self._is_link(inner[0].content):
            return "<li>"
        self._task = task[0]
        return f'<li class="{"unchecked" if task[1] == " " else "checked"}">'

    def _is_link(self, text: str) -> bool:
        """Whether a text that begins with `[x]` begins with a link of that label."""
        drawn = self._inline(text)
        self.labels |= drawn.labels
        return drawn.html.startswith("<a ")

    def _code(self, token: Token, _index: int) -> str:
        line = self._line_offset + (token.map or (0, 0))[0]
        language = (token.info.split() or [""])[0]
        anchor = Anchor(AnchorKind.CODE, self._context.message_id, line)
        return draw_code(code_lines(token.content), language=language, anchor=anchor, depth=self._depth)

    def _table(self, _token: Token, _index: int) -> str:
        margin = f' style="margin-left:{self._depth * QUOTE_INDENT_PX}px"' if self._depth else ""
        gap = self._open("gap", BlockKind.SPACER) + f"{FILLER}</p>"
        return f'{gap}<table class="grid" border="1" cellspacing="0" cellpadding="6"{margin}>'

    def _cell(self, token: Token, _index: int) -> str:
        align = str(token.attrs.get("style", "")).removeprefix("text-align:")
        return f'<{token.tag} align="{align if align in ("center", "right") else "left"}">'


def open_block(css_class: str, kind: BlockKind, *, depth: int = 0) -> str:
    """The opening tag of a paragraph with its state and its indent."""
    styles = [f"-qt-user-state:{block_state(kind, depth)}"] if kind or depth else []
    if depth:
        styles.append(f"margin-left:{_indent(kind, depth)}px")
    name = f' class="{css_class}"' if css_class else ""
    style = f' style="{";".join(styles)}"' if styles else ""
    return f"<p{name}{style}>"


def _indent(kind: BlockKind, depth: int) -> int:
    boxed = kind in (BlockKind.CODE_HEAD, BlockKind.CODE, BlockKind.CODE_END)
    return depth * QUOTE_INDENT_PX + (CODE_PADDING_PX if boxed else 0)


def code_lines(content: str) -> list[str]:
    """The lines of a code block as they are shown; its last line end closes a line and begins none."""
    return content.removesuffix("\n").split("\n") if content else []


def draw_code(lines: Sequence[str], *, language: str, anchor: Anchor, depth: int) -> str:
    """A code block: a head with its language and Copy, a paragraph for each line, a foot."""
    label = f"{escape(language[:40])} · " if language else ""
    head = f'{label}<a href="{anchor}">{escape(tr("Copy"))}</a>'
    body = draw_code_lines(lines, depth=depth)
    foot = open_block("code-end", BlockKind.CODE_END, depth=depth)
    return f"{open_block('code-head', BlockKind.CODE_HEAD, depth=depth)}{head}</p>{body}{foot}{FILLER}</p>"


def draw_code_lines(lines: Sequence[str], *, depth: int = 0) -> str:
    """The lines of a code block, each a paragraph."""
    return "".join(_code_line(line, depth) for line in lines)


def _code_line(line: str, depth: int) -> str:
    if line:
        return f'{open_block("code", BlockKind.CODE, depth=depth)[:-1]} dir="ltr">{escape(line)}</p>'
    margin = f"margin-left:{_indent(BlockKind.CODE, depth)}px;" if depth else ""
    return f'<p class="code" style="{margin}-qt-paragraph-type:empty"><br></p>'
