"""What flushes cost inside one big block: a fence of 2,000 lines, a table of 300 rows, lists of 300 items.

And what opening messages of 15,000 lines costs.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator

from llamachat.core.messages import Role, StoredMessage
from llamachat.ui.flush_pace import FLUSH_MS, REST_FACTOR
from tests.bench.chats import long_chat
from tests.bench.figures import Bar, Detail, Figure
from tests.bench.markdown_texts import MarkdownTexts
from tests.bench.view_flush import BATCH
from tests.bench.view_stage import Cost, Growing, ViewStage, costs_as_json, cut, stall_bar

MESSAGES = 200
FENCE_LINES = 2_000
LONG_LINES = 15_000
LANGUAGES = ("python", "cpp", "bash")
CHARACTERS_A_MS = BATCH / FLUSH_MS  # at 2,000 tokens a second


def measure_fence(*, quick: bool) -> Figure:
    """Code that streams, its closing line, and the end of the answer."""
    lines, runs = (200, 1) if quick else (FENCE_LINES, 5)
    stage = ViewStage(long_chat(20 if quick else MESSAGES))
    above = stage.last_id
    bars: list[Bar] = []
    details: dict[str, Detail] = {}
    for language in LANGUAGES:
        flushes: list[Cost] = []
        closings: list[Cost] = []
        ends: list[Cost] = []
        after: list[float] = []
        for seed in range(runs):
            code = "\n".join(MarkdownTexts(seed).code(language, lines))
            growing = Growing(stage, above=above)
            flushes += [growing.feed(batch) for batch in cut(f"```{language}\n{code}\n", BATCH)]
            closings.append(growing.feed("```\n"))
            ends.append(growing.end())
            after.append(stage.settle())
        bars += [
            stall_bar(f"{language}, a flush, p99", flushes, percent=99, at_most=12),
            stall_bar(f"{language}, closing, p99", closings, percent=99, at_most=12),
        ]
        details[language] = {
            "flush": costs_as_json(flushes),
            "closing": costs_as_json(closings),
            "end": costs_as_json(ends),
            "longest_task_after_ms": max(after),
        }
    return Figure(bars, details)


def measure_stalls(*, quick: bool) -> Figure:
    """Big blocks that come at 2,000 tokens a second: a flush that cost more waits longer, and so brings more."""
    size, runs = (40, 1) if quick else (300, 3)
    stage = ViewStage(long_chat(20 if quick else MESSAGES))
    above = stage.last_id
    bars: list[Bar] = []
    details: dict[str, Detail] = {}
    for name, text in _big_blocks(size):
        flushes: list[Cost] = []
        ends: list[Cost] = []
        after: list[float] = []
        for _ in range(runs):
            growing = Growing(stage, above=above)
            flushes += _stream(growing, text)
            ends.append(growing.end())
            after.append(stage.settle())
        opening = stage.timed(_showing(stage, text))
        stage.show(long_chat(20 if quick else MESSAGES))
        longest = max(*(cost.stall_ms for cost in flushes + ends), *after)
        own = max(cost.cpu_ms for cost in flushes + ends)
        bars.append(Bar(f"{name}, longest stall", longest, 50, "wall", own))
        details[name] = {
            "flush": costs_as_json(flushes),
            "end": costs_as_json(ends),
            "longest_task_after_ms": max(after),
            "opening_ms": round(opening.painted_ms, 1),
        }
    return Figure(bars, details)


def measure_long(*, quick: bool) -> Figure:
    """Open a chat of one message that is as long as messages are drawn."""
    stage = ViewStage([])
    bars: list[Bar] = []
    details: dict[str, Detail] = {}
    for name, role, text in _long_texts(1_000 if quick else LONG_LINES):
        opening = stage.timed(_showing(stage, text, role))
        after = stage.settle()
        bars.append(Bar(f"opening {name}, longest stall", max(opening.stall_ms, after), 50))
        details[name] = {"until_painted_ms": round(opening.painted_ms, 1), "longest_task_after_ms": after}
        stage.show([])
    return Figure(bars, details)


def _long_texts(lines: int) -> Iterator[tuple[str, Role, str]]:
    texts = MarkdownTexts(5)
    yield "a list", Role.ASSISTANT, "\n".join(f"- {texts.words(1, 3)}" for _ in range(lines))
    yield "a table", Role.ASSISTANT, texts.table(lines)
    yield "paragraphs", Role.ASSISTANT, "\n\n".join(texts.words(1, 3) for _ in range(lines // 2))
    yield "code", Role.ASSISTANT, "\n".join(["```python", *texts.code("python", lines)])
    yield "a question", Role.USER, "\n".join(texts.words(1, 9) for _ in range(lines))


def _big_blocks(size: int) -> Iterator[tuple[str, str]]:
    texts = MarkdownTexts(5)
    yield f"table of {size} rows", texts.table(size)
    yield f"list of {size} items", texts.items(size, depths=1)
    yield f"nested list of {size} items", texts.items(size, depths=4)


def _stream(growing: Growing, text: str) -> Iterator[Cost]:
    """Feed what has come since the last flush, as the window's timer does; it pays no heed to the painting."""
    start, waited_ms = 0, float(FLUSH_MS)
    while start < len(text):
        end = start + max(round(CHARACTERS_A_MS * waited_ms), 1)
        cost = growing.feed(text[start:end])
        yield cost
        start, waited_ms = end, cost.update_ms + max(FLUSH_MS, REST_FACTOR * cost.update_ms)


def _showing(stage: ViewStage, text: str, role: Role = Role.ASSISTANT) -> Callable[[], None]:
    """What shows a chat of one message with this text."""
    message = StoredMessage(1, "m1", 1, None, role, text, model="bench")
    return lambda: stage.view.set_messages([message])
