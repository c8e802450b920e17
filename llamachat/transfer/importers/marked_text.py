"""Text with blocks in it that are no text for people: thinking and calls of tools, between marks."""

from __future__ import annotations

import re


def cut_blocks(text: str, opening: re.Pattern[str], closing: str) -> tuple[str, list[tuple[re.Match[str], str]]]:
    """The text without its blocks, and the blocks: each with its opening mark. One that does not end stays text.

    Takes time in proportion to the text, whatever it holds, if `opening` does.
    """
    shown, blocks, position = list[str](), list[tuple[re.Match[str], str]](), 0
    for mark in opening.finditer(text):
        if mark.start() < position:
            continue
        end = text.find(closing, mark.end())
        if end < 0:
            break
        shown.append(text[position : mark.start()])
        blocks.append((mark, text[mark.end() : end]))
        position = end + len(closing)
    shown.append(text[position:])
    return "".join(shown), blocks
