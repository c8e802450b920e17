"""Calls that came as text: every form, at every split; what is shown meanwhile, and what is literal after all."""

from __future__ import annotations

from dataclasses import dataclass
from itertools import count

import pytest
from hypothesis import given
from hypothesis import strategies as st

from llamachat.llm.leaked import LeakFilter
from llamachat.llm.thinking import TextKind
from tests.llm.cases import Run, runs

TOOLS = ("web_search", "read_page")
TIDE = '{"name": "web_search", "arguments": {"query": "tide"}}'
PAGE = '{"name": "read_page", "arguments": {"url": "u"}}'
SEARCH = ("web_search", '{"query": "tide"}')
READ = ("read_page", '{"url": "u"}')


@dataclass
class Seen:
    """What came of an answer: text shown while it streamed, text at its end, the calls, and whether one is broken."""

    shown: dict[TextKind, str]
    rest: dict[TextKind, str]
    calls: list[tuple[str, str]]
    broken: bool


def see(*pieces: tuple[TextKind, str], tools: tuple[str, ...] = TOOLS) -> Seen:
    """Run the pieces of an answer through a filter."""
    numbers = count()
    leaks = LeakFilter(tools, lambda: f"made{next(numbers)}")
    shown: dict[TextKind, str] = {"reasoning": "", "content": ""}
    for kind, text in pieces:
        for shown_kind, shown_text in leaks.feed(kind, text):
            assert shown_text
            shown[shown_kind] += shown_text
    end = leaks.finish()
    assert [call.id for call in end.calls] == [f"made{number}" for number in range(len(end.calls))]
    return Seen(shown, dict(end.rest), [(call.name, call.arguments) for call in end.calls], end.broken)


def see_text(text: str) -> Seen:
    """The same for one text of the answer, which must not depend on how it was cut."""
    whole = see(("content", text))
    assert see(*(("content", character) for character in text)) == whole
    for cut in range(1, len(text)):
        assert see(("content", text[:cut]), ("content", text[cut:])) == whole
    return whole


@pytest.mark.parametrize("run", runs("leak"))
def test_case(run: Run) -> None:
    seen = see_text("".join(run.texts))
    assert seen.shown["content"] == run.expected["shown"]
    assert seen.rest.get("content", "") == run.expected["rest"]
    assert [list(call) for call in seen.calls] == run.expected["calls"]
    assert seen.broken is run.expected["broken"]


@pytest.mark.parametrize(
    ("text", "shown", "calls"),
    [
        (f"<tool_call>\n{TIDE}\n</tool_call>", "", [SEARCH]),
        (f"Let me see.\n<tool_call>{TIDE}</tool_call>\n\nSoon.", "Let me see.\n\n\nSoon.", [SEARCH]),
        (f"<tool_call>{TIDE}</tool_call>\n\nSoon.", "Soon.", [SEARCH]),
        (f"<tool_call>{TIDE}", "", [SEARCH]),
        (f"<tool_call>\n{TIDE}\n{PAGE}\n</tool_call>", "", [SEARCH, READ]),
        (f"<tool_call>{TIDE}</tool_call><tool_call>{PAGE}</tool_call>", "", [SEARCH, READ]),
        (f"<tool_call>{TIDE}</tool_call>\n<tool_call>{TIDE}</tool_call>", "", [SEARCH]),
        (f"<tool_call>\n```json\n{TIDE}\n```\n</tool_call>", "", [SEARCH]),
        (f"<tool_calls>[{TIDE}, {PAGE}]</tool_calls>", "", [SEARCH, READ]),
        (f"<|tool_call|>[{TIDE}]<|/tool_call|>", "", [SEARCH]),
        (f"<|tool_call|>[{TIDE}]", "", [SEARCH]),
        (f"<|python_tag|>{TIDE}", "", [SEARCH]),
        (f"[TOOL_CALLS][{TIDE}]", "", [SEARCH]),
        (f"[TOOL_CALLS] [{TIDE}, {PAGE}]", "", [SEARCH, READ]),
        ('[TOOL_CALLS]web_search[ARGS]{"query": "tide"}[TOOL_CALLS]read_page{"url": "u"}', "", [SEARCH, READ]),
        ('[TOOL_CALLS]web_search[CALL_ID]a1B[ARGS]{"query": "tide"}', "", [SEARCH]),
        (
            "<tool_call>\n<function=web_search>\n<parameter=query>\ntide\n</parameter>\n</function>\n</tool_call>",
            "",
            [SEARCH],
        ),
        ("<function=web_search><parameter=query>tide</parameter></function>", "", [SEARCH]),
        ("<tool_call><function=web_search><parameter=query>tide</parameter></tool_call>", "", [SEARCH]),
        (
            "<tool_call>web_search\n<arg_key>query</arg_key>\n<arg_value>tide</arg_value>\n</tool_call>",
            "",
            [SEARCH],
        ),
        (f"Sure:\n```json\n{TIDE}\n```\n", "Sure:\n", [SEARCH]),
        (f"```\n{TIDE}", "", [SEARCH]),
        (f"```json\n[{TIDE}, {PAGE}]\n```", "", [SEARCH, READ]),
        (f"```json\n{TIDE}\n```\n\n```json\n{PAGE}\n```", "", [SEARCH, READ]),
        (f"```xml\n<tool_call>\n{TIDE}\n</tool_call>\n```", "", [SEARCH]),
        (f"1. So:\n   ```json\n   {TIDE}\n   ```", "1. So:\n   ", [SEARCH]),
        (TIDE, "", [SEARCH]),
        ('{"name": "web_search", "parameters": {"query": "tide"}}', "", [SEARCH]),
        ('{"type": "function", "function": {"name": "web_search", "arguments": {"query": "tide"}}}', "", [SEARCH]),
        ('<tool_call>{"arguments": "{\\"query\\": \\"tide\\"}", "name": "web_search"}</tool_call>', "", [SEARCH]),
        (
            '<tool_call>{"tool_calls": [{"function": {"name": "web_search", "arguments": {"query": "tide"}}}]}',
            "",
            [SEARCH],
        ),
        (
            '<tool_call>{"name": "read_page", "arguments": {"url": "</function> \\" } ]"}}',
            "",
            [("read_page", '{"url": "</function> \\" } ]"}')],
        ),
    ],
)
def test_a_call_is_read_and_never_shown(text: str, shown: str, calls: list[tuple[str, str]]) -> None:
    assert see_text(text) == Seen({"reasoning": "", "content": shown}, {}, calls, broken=False)


@pytest.mark.parametrize(
    "text",
    [
        "a <b> [c] `d` ``e`` ```f``` {g}",
        '```json\n{"users": [1, 2]}\n```\nThat is all.',
        '```json\n[\n  "a", "b"]\n```\nx',
        "```json\n[1, 2]\n```\nx",
        '```json\n{"name": "Ada", "age": 36}\n```',
        '```json\n{"name": "other_tool", "arguments": {}}\n```',
        '```\n{"name": "web_search", "description": "d", "parameters": {"type": "object"}}\n```',
        f"```python\ncall = '<tool_call>{TIDE}</tool_call>'\n```\nx",
        f"````\n```json\n{TIDE}\n```\n````\nx",
        f"```json\n{TIDE}\n```\nThis is how a call looks.",
        f"So: `<tool_call>{TIDE}</tool_call>` does it.",
        "Write <tool_call> and then <tool_call> JSON.",
        '<tool_call>{"name": <function-name>, "arguments": <args>}</tool_call>\nis the form.',
        '<tool_call>{"name": "other_tool", "arguments": {}}</tool_call> is no tool here.',
        '{"answer": "web_search", "parameters": {"query": "x"}}',
        f"{TIDE}\nis a call.",
        "f = lambda x: x<function=1 and more",
        "[TOOL_CALLS]nothing",
    ],
)
def test_what_is_no_call_is_shown_as_it_is(text: str) -> None:
    assert see_text(text) == Seen({"reasoning": "", "content": text}, {}, [], broken=False)


@pytest.mark.parametrize(
    ("text", "rest"),
    [
        ("A <tool_call>", "<tool_call>"),
        ("A <tool_call>\n", "<tool_call>\n"),
        ("A <function=web_search><parameter=query>tide", "<function=web_search><parameter=query>tide"),
        (
            'A\n```json\n{"name": "web_search", "arguments": {"que',
            '```json\n{"name": "web_search", "arguments": {"que',
        ),
        ('A [TOOL_CALLS][{"name": "web_search"', '[TOOL_CALLS][{"name": "web_search"'),
        ('A <tool_call>{"name": "other_tool", "arguments": {}}</tool_call>\n', None),
        ('A <tool_call>{"name": "web_search", "arguments": ["tide"]}</tool_call>', None),
        ('A <tool_call>{"name": "web_search", "arguments": {"query": "tide"}</tool_call>', None),
        ("A <tool_call>{'name': 'web_search', 'arguments': {}}</tool_call>", None),
        ("A <function=other_tool></function>", None),
        ("A <function=web_search>tide</function>", None),
    ],
)
def test_a_call_that_cannot_be_read_is_told_and_literal(text: str, rest: str | None) -> None:
    seen = see_text(text)
    assert (seen.broken, seen.calls) == (True, [])
    assert seen.shown["content"] + seen.rest["content"] == text
    assert seen.rest["content"] == (rest or text.removeprefix("A "))


@pytest.mark.parametrize("rest", ["<tool_", "`", "```js", "[TOOL", '{"na', '```json\n{"name": "web_sea'])
def test_half_a_mark_at_the_end_is_text_and_no_broken_call(rest: str) -> None:
    seen = see_text(f"\n{rest}")
    assert seen == Seen({"reasoning": "", "content": "\n"}, {"content": rest}, [], broken=False)


def test_a_code_block_is_released_as_soon_as_it_cannot_be_a_call() -> None:
    for text in ("```py", '```json\n{"u"', "```json\n[1", '```json\n{"name": "Ada"', "```\nx", "~~~"):
        leaks = LeakFilter(TOOLS)
        shown = [leaks.feed("content", character) for character in text]
        assert [piece for pieces in shown for piece in pieces][-1][1].endswith(text[-1])
        assert "".join(piece for pieces in shown for _, piece in pieces) == text


def test_a_call_in_the_thinking() -> None:
    thought: tuple[TextKind, str] = ("reasoning", f"I look.\n<tool_call>{TIDE}</tool_call>")
    assert see(thought) == Seen({"reasoning": "I look.\n", "content": ""}, {}, [SEARCH], broken=False)
    assert see(thought, ("content", "\n\n")).calls == [SEARCH]
    assert see(thought, ("content", f"<tool_call>{TIDE}</tool_call>")).calls == [SEARCH]
    assert see(thought, ("content", "It is high.")).calls == []
    assert see(("content", "Wait."), thought).calls == [SEARCH]


def test_what_the_thinking_held_back_comes_before_the_answer() -> None:
    leaks = LeakFilter(TOOLS)
    assert leaks.feed("reasoning", f"```json\n{TIDE}\n```") == []
    assert leaks.feed("content", "So") == [("reasoning", f"```json\n{TIDE}\n```"), ("content", "So")]
    assert leaks.finish().calls == ()


def test_a_cut_off_call_in_the_thinking() -> None:
    seen = see(("reasoning", "I look. <tool_call>{"))
    assert seen == Seen({"reasoning": "I look. ", "content": ""}, {"reasoning": "<tool_call>{"}, [], broken=True)
    assert not see(("reasoning", "<tool_call>{"), ("content", "It is high.")).broken


def test_content_that_was_thinking() -> None:
    leaks = LeakFilter(TOOLS)
    assert leaks.feed("content", f"I look. <tool_call>{PAGE}</tool_call>") == [("content", "I look. ")]
    leaks.content_was_reasoning()
    assert leaks.feed("content", f"```json\n{TIDE}\n```") == []
    assert [call.name for call in leaks.finish().calls] == ["read_page", "web_search"]


@pytest.mark.parametrize("said", ["I look. ", ""])
def test_an_answer_behind_content_that_was_thinking(said: str) -> None:
    leaks = LeakFilter(TOOLS)
    leaks.feed("content", f"{said}<tool_call>{PAGE}</tool_call>")
    leaks.content_was_reasoning()
    assert leaks.feed("content", "It is high.") == [("content", "It is high.")]
    assert leaks.finish().calls == ()


def test_without_tools_all_passes() -> None:
    text = f"<tool_call>{TIDE}</tool_call>"
    assert see(("content", text), tools=()) == Seen({"reasoning": "", "content": text}, {}, [], broken=False)


PARTS = st.lists(
    st.sampled_from(
        [
            *(
                "<tool_call>",
                "</tool_call>",
                "<function=web_search>",
                "</function>",
                "<parameter=query>",
                "</parameter>",
            ),
            *(
                "[TOOL_CALLS]",
                "[ARGS]",
                "web_search",
                "```",
                "```json\n",
                "\n```",
                "\n",
                " ",
                "{",
                "}",
                "[",
                "]",
                '"',
            ),
            *(TIDE, PAGE, "text", "<", "`", '{"name": "', "</", "\\"),
        ]
    ),
    max_size=10,
).map("".join)


@given(PARTS, PARTS, st.integers(min_value=1, max_value=7))
def test_splits_never_matter(thought: str, text: str, size: int) -> None:
    whole = see(("reasoning", thought), ("content", text))
    cut: list[tuple[TextKind, str]] = [("reasoning", thought[i : i + size]) for i in range(0, len(thought), size)]
    cut += [("content", text[i : i + size]) for i in range(0, len(text), size)]
    assert see(*cut) == whole


@given(PARTS)
def test_nothing_is_lost_where_no_call_is_read(text: str) -> None:
    seen = see(("content", text))
    if not seen.calls:
        assert seen.shown["content"] + seen.rest.get("content", "") == text


@pytest.mark.parametrize(
    ("begin", "piece"),
    [
        ("", "<tool_call>"),
        ("", "<tool_call>{"),
        ("", '<tool_call>{"name": "web_search", '),
        ("", "```json\n{"),
        ("", "[TOOL_CALLS]["),
        ('<tool_call>{"tool_calls": [', '"a", '),
    ],
)
@pytest.mark.parametrize("size", [50, 300_000])
def test_hostile_text_is_quick(begin: str, piece: str, size: int) -> None:
    text = begin + piece * (300_000 // len(piece))
    seen = see(*(("content", text[i : i + size]) for i in range(0, len(text), size)))
    assert seen.shown["content"] + seen.rest.get("content", "") == text
