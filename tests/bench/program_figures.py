"""Figures of the whole program against a server that says seeded Markdown: work, lateness, memory, opening, start."""

from __future__ import annotations

import statistics
from collections.abc import Iterable
from dataclasses import asdict

from tests.bench.figures import Bar, Detail, Figure, percentile, spread
from tests.bench.jobs import AnswerCost, Job, Opening, Size
from tests.bench.program import Profile, Start, run_answer, run_memory, run_opening, run_start
from tests.bench.stream_server import running_server

TOKENS = 20_000
SLOW_ANSWER_S = 100
FAST_RUNS = 3
LATENESS_RATE = 2_000
LATENESS_MESSAGES = 200
MANY = 2_000
# What a start must not import: it is slow, and nothing that is shown needs it.
HEAVY = (
    "PySide6.QtPrintSupport",
    "PySide6.QtQml",
    "PySide6.QtWebEngineCore",
    "PIL",
    "asyncio",
    "click",
    "fontTools",
    "gguf",
    "h11",
    "http.server",
    "httpcore",
    "httpx",
    "keyring",
    "matplotlib",
    "multiprocessing",
    "numpy",
    "pip",
    "pkg_resources",
    "pydoc",
    "pygments.lexers.python",
    "pypdfium2",
    "rich",
    "selectolax",
    "setuptools",
    "trafilatura",
    "unittest",
    "xllamacpp",
    "ziafont",
    "ziamath",
)


def measure_cpu(rate: int, at_most: float, *, size: Size) -> Figure:
    """Seconds of all threads for 1,000 tokens, from the question until a second after the end."""
    tokens = _tokens(rate, size)
    with Profile() as profile:
        costs = [_answer(profile, rate=rate, tokens=tokens) for _ in range(1 if rate else FAST_RUNS)]
    seconds = statistics.median(cost.cpu_s for cost in costs)
    details: dict[str, Detail] = {f"run {number}": _as_json(cost) for number, cost in enumerate(costs, start=1)}
    return Figure([_cpu_bar(seconds, tokens, at_most)], {"tokens": tokens, **details})


def measure_cpu_by_chat_length(rate: int, at_most: float, *, size: Size) -> Figure:
    """The same in a new chat and in one of 2,000 messages."""
    many = 200 if size is Size.QUICK else MANY
    tokens = _tokens(rate, size)
    with Profile(many) as profile:
        alone = _answer(profile, rate=rate, tokens=tokens)
        below = _answer(profile, rate=rate, tokens=tokens, chats=profile.chats)
    ratio = below.cpu_s / alone.cpu_s
    bars = [
        _cpu_bar(alone.cpu_s, tokens, at_most),
        Bar(f"CPU seconds with {many} messages in the chat over none", ratio, 1.1, "cpu"),
    ]
    return Figure(bars, {"tokens": tokens, "none": _as_json(alone), f"{many}": _as_json(below)})


def _tokens(rate: int, size: Size) -> int:
    """How long the answer is: 20,000 tokens, but where they come slowly as many as come in this time."""
    if size is Size.QUICK:
        return 500
    return TOKENS if size is Size.FULL or not rate else min(TOKENS, rate * SLOW_ANSWER_S)


def _cpu_bar(seconds: float, tokens: int, at_most: float) -> Bar:
    return Bar("CPU seconds per 1,000 tokens", 1000 * seconds / tokens, at_most, "cpu")


def measure_lateness(*, size: Size) -> Figure:
    """How late a timer of 5 ms is while 2,000 chunks a second come in a chat whose 200 messages are all loaded."""
    messages, tokens, runs = (40, 2_000, 1) if size is Size.QUICK else (LATENESS_MESSAGES, TOKENS, 3)
    late: list[float] = []
    own: list[float] = []
    details: dict[str, Detail] = {}
    with Profile(messages) as profile:
        for number in range(1, runs + 1):
            cost = _answer(profile, rate=LATENESS_RATE, tokens=tokens, chats=profile.chats, beats=True)
            details[f"run {number}"] = {**_as_json(cost), "late_ms": spread(cost.late_ms)}
            late += cost.late_ms
            own += cost.own_ms
    details["own_ms"] = spread(own)
    details |= {"over_16_ms": sum(value > 16 for value in late), "own_over_16_ms": sum(value > 16 for value in own)}
    bar = Bar("lateness of a 5 ms timer, ms, p99.9", percentile(late, 99.9), 16, "wall", percentile(own, 99.9))
    return Figure([bar], details)


def measure_open(*, size: Size) -> Figure:
    """Open a chat of 2,000 messages: the first of a process, and others when the process is warm."""
    many, processes, runs = (200, 1, 4) if size is Size.QUICK else (MANY, 5, 7)
    cold: list[Opening] = []
    warm: list[Opening] = []
    with Profile(many, many) as profile, running_server(rate=0, tokens=10) as url:
        for _ in range(processes):
            with profile.copied(url) as folder:
                first, _, *rest = run_opening(Job("opening", str(folder), profile.chats, runs=runs))
            cold.append(first)
            warm += rest
    bars: list[Bar] = []
    details: dict[str, Detail] = {}
    for name, openings, at_most in (("warm", warm, 60), ("cold process", cold, 130)):
        wall, own = [each.wall_ms for each in openings], [each.own_ms for each in openings]
        median, work = statistics.median(wall), statistics.median(own)
        bars.append(Bar(f"open, {name}, ms, median", median, at_most, "wall", work))
        details[name] = {"wall_ms": spread(wall), "own_ms": spread(own)}
    return Figure(bars, details)


def measure_memory(*, size: Size) -> Figure:
    """Megabytes of the process (PSS)."""
    many = 200 if size is Size.QUICK else MANY
    with Profile(many) as profile, running_server(rate=0, tokens=10) as url, profile.copied(url) as folder:
        found = run_memory(Job("memory", str(folder), profile.chats))
    names = ("idle", f"{many} messages open", f"{many} messages loaded")
    bars = [
        Bar(f"PSS, MB, {name}", memory.pss_mb, at_most)
        for name, memory, at_most in zip(names, found, (90, 130, 260), strict=True)
    ]
    return Figure(bars, {name: asdict(memory) for name, memory in zip(names, found, strict=True)})


def measure_start(*, size: Size) -> Figure:
    """From the start of the process to the painted window, with the files of the program in the system's cache."""
    with Profile() as profile, running_server(rate=0, tokens=10) as url:
        starts: list[Start] = []
        for _ in range(2 if size is Size.QUICK else 12):
            with profile.copied(url) as folder:
                starts.append(run_start(folder))
    seconds = [start.seconds for start in starts[1:]]  # the first one has filled the cache
    own = statistics.median(start.cpu_s for start in starts[1:])
    heavy = heavy_modules(starts[0].modules)
    bars = [
        Bar("cold start to painted window, s, median", statistics.median(seconds), 0.6, "wall", own),
        Bar("heavy modules imported", len(heavy), 0),
    ]
    return Figure(bars, {"seconds": spread(seconds), "modules": len(starts[0].modules), "heavy": heavy})


def heavy_modules(modules: Iterable[str]) -> list[str]:
    """Those of the modules that a start must not import, without what is inside them."""
    return [module for module in modules if module in HEAVY]


def _answer(
    profile: Profile, *, rate: int, tokens: int, chats: tuple[int, ...] = (), beats: bool = False
) -> AnswerCost:
    """An answer in the last of these chats, all loaded if the beats count; in a new chat if there are none."""
    with running_server(rate=rate, tokens=tokens) as url, profile.copied(url) as folder:
        return run_answer(Job("answer", str(folder), chats, load_all=beats, beat=beats))


def _as_json(cost: AnswerCost) -> dict[str, Detail]:
    return {"cpu_s": cost.cpu_s, "wall_s": cost.wall_s, "characters": cost.characters}
