"""Search results of older turns, shortened to titles and addresses, so that a long chat keeps room for the rest.

Pure text, and the same for the same message each time, so that prompts grow by their ends between two fixed points.
"""

from __future__ import annotations

import json
import re
from collections.abc import Iterator, Mapping

from llamachat.chat.role_marks import escaped_in_json
from llamachat.chat.router_prompts import BLOCK_END, BLOCK_START
from llamachat.core.messages import JsonObject, JsonValue, WireMessage

_KEPT = ("title", "url")
_TITLE = re.compile(r"\[\d+\] ")
_ADDRESS = re.compile(r"\S+:\S+")


def turns_to_age(turns: int, *, keep: int) -> int:
    """Of how many of the first turns the results are shortened, in a chat of `turns`, the running one included.

    It grows by `keep` once in so many turns, and leaves at least that many turns before the running one as they are.
    0 keeps all.
    """
    return max(0, (turns - 1) // keep - 1) * keep if keep else 0


def aged(message: WireMessage) -> WireMessage:
    """The message with titles and addresses alone in the place of search results; unchanged where it holds none."""
    content = message.get("content")
    if not isinstance(content, str):
        return message
    if message.get("role") == "tool":
        return {**message, "content": _aged_tool_text(content)}
    if message.get("role") == "user" and BLOCK_START in content:
        return {**message, "content": _aged_block(content)}
    return message


def _aged_tool_text(text: str) -> str:
    """As `web_search_tool.tool_text` wrote it: a fixed line, then JSON."""
    head, _, written = text.partition("\n")
    try:
        answer = json.loads(written)
    except (ValueError, RecursionError):
        return text
    if not isinstance(answer, dict) or not isinstance(answer.get("results"), list):
        return text
    shorter = answer | {"results": [_named(result) for result in answer["results"]]}
    return f"{head}\n{escaped_in_json(json.dumps(shorter, ensure_ascii=False))}"


def _named(result: JsonValue) -> JsonObject:
    return {name: result.get(name, "") for name in _KEPT} if isinstance(result, Mapping) else {}


def _aged_block(content: str) -> str:
    """As `router_prompts.results_block` wrote it: `[n] title`, the address and the text of each result.

    The last mark is the block's own: in results it is defused, in what the user typed above it is not.
    """
    question, _, block = content.rpartition(BLOCK_START)
    inside, end, rest = block.partition(BLOCK_END)
    shorter = "\n".join(_block_lines(inside.split("\n")))
    return f"{question}{BLOCK_START}{shorter}{end}{rest}"


def _block_lines(lines: list[str]) -> Iterator[str]:
    """Yield the lines that are no text of a result: the note and the empty line at the end belong to none."""
    end = len(lines) - 2 if len(lines) > 1 and lines[-2].startswith("Note: ") else len(lines) - 1
    inside = False
    number = 0
    while number < end:
        if _starts_result(lines, number):
            yield from lines[number : number + 2]
            inside, number = True, number + 2
            continue
        if not inside:
            yield lines[number]
        number += 1
    yield from lines[end:]


def _starts_result(lines: list[str], number: int) -> bool:
    return _TITLE.match(lines[number]) is not None and _ADDRESS.fullmatch(lines[number + 1]) is not None
