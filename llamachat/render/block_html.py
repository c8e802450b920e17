"""The HTML of single blocks: paragraphs that say what they are, and code, a paragraph for each of its lines."""

from __future__ import annotations

import unicodedata
from collections.abc import Sequence
from dataclasses import replace
from html import escape

from llamachat.core.text import tr
from llamachat.render.block_kinds import CODE_PADDING_PX, FILLER, QUOTE_INDENT_PX, BlockKind, Tone, block_state
from llamachat.render.links import Anchor, AnchorKind


def open_block(
    css_class: str, kind: BlockKind, *, depth: int = 0, tone: Tone = Tone.NONE, mirrored: bool = False
) -> str:
    """The opening tag of a paragraph with its state and its indent, which is at the right of a mirrored one."""
    styles = [f"-qt-user-state:{block_state(kind, depth, tone)}"] if kind or depth else []
    if depth:
        styles.append(f"margin-{'right' if mirrored else 'left'}:{_indent(kind, depth)}px")
    name = f' class="{css_class}"' if css_class else ""
    style = f' style="{";".join(styles)}"' if styles else ""
    return f"<p{name}{style}>"


def runs_from_right(text: str) -> bool:
    """Whether a text runs from right to left, by its first letter that says so, as in Qt."""
    directions = (unicodedata.bidirectional(character) for character in text)
    return next((direction for direction in directions if direction in ("L", "R", "AL")), "L") != "L"


def _indent(kind: BlockKind, depth: int) -> int:
    boxed = kind in (BlockKind.CODE_HEAD, BlockKind.CODE, BlockKind.CODE_END)
    return depth * QUOTE_INDENT_PX + (CODE_PADDING_PX if boxed else 0)


def code_lines(content: str) -> list[str]:
    """The lines of a code block as they are shown; its last line end closes a line and begins none."""
    return content.removesuffix("\n").split("\n") if content else []


def draw_code(lines: Sequence[str], *, language: str, anchor: Anchor, depth: int = 0, tone: Tone = Tone.NONE) -> str:
    """A code block: a head with its language and what can be done, a paragraph for each line, a foot."""
    label = f"{escape(language[:40])} · " if language else ""
    copy = f'<a href="{anchor}">{escape(tr("Copy"))}</a>'
    save = f'<a href="{replace(anchor, kind=AnchorKind.SAVE)}">{escape(tr("Save as"))}</a>'
    head = f"{label}{copy} · {save}"
    above = open_block("code-head", BlockKind.CODE_HEAD, depth=depth, tone=tone)
    below = open_block("code-end", BlockKind.CODE_END, depth=depth, tone=tone)
    return f"{above}{head}</p>{draw_code_lines(lines, depth=depth, tone=tone)}{below}{FILLER}</p>"


def draw_code_lines(lines: Sequence[str], *, depth: int = 0, tone: Tone = Tone.NONE) -> str:
    """The lines of a code block, each a paragraph."""
    opening = open_block("code", BlockKind.CODE, depth=depth, tone=tone)[:-1] + ' dir="ltr">'
    margin = f"margin-left:{_indent(BlockKind.CODE, depth)}px;" if depth else ""
    empty = f'<p class="code" style="{margin}-qt-paragraph-type:empty"><br></p>'
    return "".join(f"{opening}{escape(line)}</p>" if line else empty for line in lines)


def alert_title(name: str) -> str:
    """The title of an alert such as `[!NOTE]`, by its name in small letters."""
    titles = {
        "note": tr("Note"),
        "tip": tr("Tip"),
        "important": tr("Important"),
        "warning": tr("Warning"),
        "caution": tr("Caution"),
    }
    return titles[name]
