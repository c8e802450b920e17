"""What a chat template could take for its own marks (`<|im_start|>`, `[INST]`): no page may fake a turn."""

from __future__ import annotations

import re

_MARK = re.compile(r"<|\[(?=/?(?:[A-Z_][A-Z0-9_]*|[gs]MASK)\])")  # `[UNUSED_TOKEN_146]`, `[gMASK]`; `[x]` is text


def escaped_in_json(text: str) -> str:
    """JSON with the marks as escapes: the value is the same, but the server's tokenizer sees no mark."""
    return _MARK.sub(lambda mark: f"\\u{ord(mark[0]):04x}", text)


def defused(text: str) -> str:
    """Plain text with the first character of each mark as an HTML entity."""
    return _MARK.sub(lambda mark: "&lt;" if mark[0] == "<" else "&#91;", text)
