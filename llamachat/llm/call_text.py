"""A tool call that a model wrote as text, from its opening mark on, told apart from what is none. No I/O.

The forms: `<tool_call>` and its like around JSON or around `<function=NAME><parameter=KEY>` (Qwen), `NAME` with JSON
or `<arg_key>` pairs after the mark (Mistral's `[TOOL_CALLS]`, GLM), a fenced JSON block, a bare JSON object.
"""

from __future__ import annotations

import re
from collections.abc import Collection

from llamachat.llm.call_bodies import FENCE, Body, JsonBody, LeakedCall, TaggedBody, Verdict

BARE = "{"
FUNCTION = "<function="
OPENERS = (
    "<tool_call>",
    "<tool_calls>",
    "<function_call>",
    "<|tool_call|>",
    "<|tool_calls|>",
    "<|python_tag|>",
    "[TOOL_CALLS]",
    FUNCTION,
)
_INFOS = ("json", "tool_call", "tool_calls", "tool", "xml", "text", "plaintext")
_ARG_KEY = "<arg_key>"

_MAX_HEAD = 200
_MAX_MARKS = 4
_MAX_LENGTH = 64 * 1024
_MISTRAL = re.compile(r"(?:\[[A-Z_]*(?:\][\w-]*)?)*\s*")


class CallReader:
    """Reads on after an opening mark.

    only_at_end: what was opened may be an example (a code block), and is a call only as the last thing of a turn.
    fenced: a code block is open.
    """

    def __init__(self, mark: str, names: Collection[str]) -> None:
        self.only_at_end = mark in (FENCE, BARE)
        self.fenced = mark == FENCE
        self._mark = mark
        self._names = names
        self._read: list[str] = []
        self._head = mark if mark in (FENCE, FUNCTION) else ""
        self._marks = 0
        self._body: Body | None = None
        if mark == BARE:
            self._begin_json()

    @property
    def raw(self) -> str:
        """The text as it came, the mark too."""
        return self._mark + "".join(self._read)

    @property
    def literal(self) -> str:
        """What of `raw` is surely text after the verdict LITERAL; the rest may hold another mark."""
        return self.raw if self._body is not None else self._mark

    @property
    def calls(self) -> list[LeakedCall]:
        """The calls, after the verdict CALL."""
        return [] if self._body is None else self._body.calls

    @property
    def meant(self) -> bool:
        """True when nobody writes this but to call a tool."""
        return not self.only_at_end or (self._body is not None and self._body.named)

    def feed(self, character: str) -> Verdict:
        """Take the next character."""
        self._read.append(character)
        if len(self._read) > _MAX_LENGTH:
            return Verdict.LITERAL
        if self._body is None:
            return self._head_step(character)
        verdict = self._body.feed(character)
        if isinstance(self._body, JsonBody) and self._body.closed_fence:
            self.fenced = False
        return verdict

    def _head_step(self, character: str) -> Verdict:
        """Before the body: spaces, more marks, a name."""
        self._head += character
        head = self._head.lstrip()
        if len(self._read) > _MAX_HEAD:
            return Verdict.LITERAL
        if not head:
            return Verdict.OPEN
        if head in ("{", "["):
            return self._begin_json(head)
        if head[0] == "`":
            return self._fence_step(head)
        if head.startswith(FUNCTION):
            return self._function_step(head.removeprefix(FUNCTION))
        if head[0] != "<" and not self.only_at_end:
            return self._name_step(head)
        if head in OPENERS:
            self._head = ""
            self._marks += 1
            return Verdict.OPEN if self._marks < _MAX_MARKS else Verdict.LITERAL
        if not any(mark.startswith(head) for mark in OPENERS):
            return Verdict.LITERAL
        return Verdict.OPEN

    def _fence_step(self, head: str) -> Verdict:
        if FENCE.startswith(head):
            return Verdict.OPEN
        info, line_end, _ = head.removeprefix(FENCE).partition("\n")
        info = info.strip().lower()
        if not head.startswith(FENCE) or not any(known.startswith(info) for known in _INFOS):
            return Verdict.LITERAL
        if line_end:
            self._head = ""
            self._marks += 1
            self.fenced = True
            known = not info or info in _INFOS
            return Verdict.OPEN if known and self._marks < _MAX_MARKS else Verdict.LITERAL
        return Verdict.OPEN

    def _function_step(self, rest: str) -> Verdict:
        if rest.endswith(">"):
            self._body = TaggedBody(rest[:-1].strip("\"'"), self._names, pairs=False)
        return Verdict.LITERAL if rest[-1:].isspace() else Verdict.OPEN

    def _name_step(self, head: str) -> Verdict:
        if any(name.startswith(head) for name in self._names):
            return Verdict.OPEN
        name = max((name for name in self._names if head.startswith(name)), key=len, default="")
        rest = head.removeprefix(name).lstrip()
        if not name:
            return Verdict.LITERAL
        if rest == _ARG_KEY:
            self._body = TaggedBody(name, self._names, pairs=True)
            return self._feed_body(_ARG_KEY)
        if rest[-1:] == "{" and _MISTRAL.fullmatch(rest[:-1]):
            return self._begin_json(name=name)
        return Verdict.OPEN if _ARG_KEY.startswith(rest) or _MISTRAL.fullmatch(rest) else Verdict.LITERAL

    def _begin_json(self, bracket: str = BARE, *, name: str = "") -> Verdict:
        self._body = JsonBody(self._names, name=name, patient=not self.only_at_end)
        return self._feed_body(bracket)

    def _feed_body(self, text: str) -> Verdict:
        verdict = Verdict.OPEN
        for character in text:
            verdict = self._body.feed(character) if self._body else verdict
        return verdict
