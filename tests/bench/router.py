"""What the router costs a message that needs no search: the time to the first token, with it over without it.

The bar is for a long history that is read with the question. Where the server has read it before there is little to
wait for, and on a machine whose processor does the work the router's own question is a large part of that: told too.
"""

from __future__ import annotations

import argparse
import itertools
import json
import random
import statistics
import sys
import time
from collections.abc import Iterator, Sequence
from contextlib import closing
from dataclasses import dataclass
from pathlib import Path

from llamachat.chat.aside import Aside
from llamachat.chat.query_writer import QueryWriter
from llamachat.chat.router import Router
from llamachat.chat.stream_chat import Turn, stream_chat
from llamachat.chat.tools import Toolbox
from llamachat.chat.web_search_tool import WebSearchTool
from llamachat.core.cancel import CancelToken
from llamachat.core.clock import SystemClock
from llamachat.core.completion import CompletionRequest, ContentDelta, Delta, Endpoint, FinishDelta, Sampling
from llamachat.core.events import Kind
from llamachat.core.messages import WireMessage
from llamachat.engines.embedded_llama import EmbeddedLlama
from llamachat.llm.client import ChatClient
from tests.bench.figures import Bar, Figure
from tests.fakes.scripted_search import ScriptedSearch

HISTORIES = {"short": 50, "long": 1500}  # words
QUESTIONS = {"short": 12, "long": 150}
MOST = 1.25  # for a long history and a short question, when the answer starts at once
WORDS = "tide harbour lantern copper river morning slate window garden paper stone winter engine quiet letter".split()  # noqa: SIM905 - a list of words


class SaysNo:
    """Asks the model for real and takes what it says for a no: a small model's judgement is another matter."""

    def __init__(self, client: ChatClient) -> None:
        self._client = client

    def stream(self, request: CompletionRequest, cancel: CancelToken) -> Iterator[Delta]:
        """The end of the real answer, as a no."""
        with closing(self._client.stream(request, cancel)) as deltas:
            for _ in deltas:
                pass
        yield ContentDelta("no")
        yield FinishDelta("stop")


@dataclass(frozen=True, slots=True)
class Server:
    """The model with its connections."""

    answering: ChatClient
    aside: ChatClient

    def first_token_s(self, messages: Sequence[WireMessage], *, router: bool, speculates: bool) -> float:
        """Seconds from the request to the first token of the answer."""
        cancel, clock = CancelToken(), SystemClock()
        aside = Aside(SaysNo(self.aside))
        tool = WebSearchTool(ScriptedSearch(), clock=clock)
        events = stream_chat(
            Turn(tuple(messages), sampling=Sampling(temperature=0.0, max_tokens=8)),
            completer=self.answering,
            toolbox=Toolbox(),
            router=Router(aside, QueryWriter(aside, clock), tool, speculates=speculates) if router else None,
            cancel=cancel,
        )
        began = time.perf_counter()
        with closing(events):
            for event in events:
                if event.kind is Kind.CONTENT:
                    return time.perf_counter() - began
        raise RuntimeError("the model said nothing")


def words(count: int, random_: random.Random) -> str:
    """So many words."""
    return " ".join(random_.choice(WORDS) for _ in range(count))


def turns_above(count: int, random_: random.Random) -> list[WireMessage]:
    """A history of so many words."""
    above: list[WireMessage] = []
    for _ in range(4):
        above += [{"role": "user", "content": words(count // 8, random_)}]
        above += [{"role": "assistant", "content": words(count // 8, random_)}]
    return above


def measured(server: Server, *, history: int, question: int, runs: int, known: bool) -> dict[str, float]:
    """Medians over `runs` questions, each asked in all three ways in turn.

    known: the server has read the history before, as while a chat goes on; else as when it is taken up again.
    """
    random_ = random.Random(history * 1000 + question)
    above = turns_above(history, random_)
    ways = {"without": (False, False), "speculative": (True, True), "sequential": (True, False)}
    took: dict[str, list[float]] = {name: [] for name in ways}
    for run in range(runs + 1):
        for name, (router, speculates) in ways.items():
            above = above if known else turns_above(history, random_)
            asked = [*above, {"role": "user", "content": f"{words(question, random_)}?"}]
            seconds = server.first_token_s(asked, router=router, speculates=speculates)
            if run:  # the first one reads the history, and the router's examples
                took[name].append(seconds)
    return {name: statistics.median(values) for name, values in took.items()}


def main(arguments: list[str]) -> None:
    """Measure and print; exit code 1 where the bar is not met."""
    parser = argparse.ArgumentParser(prog="python -m tests.bench router")
    parser.add_argument("--model", type=Path, required=True, help="a GGUF file, such as SmolLM2")
    parser.add_argument("--runs", type=int, default=15)
    options = parser.parse_args(arguments)
    engine = EmbeddedLlama()
    try:
        endpoint = Endpoint(engine.start(options.model, n_ctx=8192, slots=2, cancel=CancelToken()))
        clock = SystemClock()
        with (
            closing(ChatClient(endpoint, clock=clock)) as answering,
            closing(ChatClient(endpoint, clock=clock)) as aside,
        ):
            figure = all_measured(Server(answering, aside), runs=options.runs)
    finally:
        engine.stop()
    sys.stdout.write(json.dumps(figure.as_json(), indent=1) + "\n")
    sys.exit(any(bar.value > bar.at_most for bar in figure.bars))


def all_measured(server: Server, *, runs: int) -> Figure:
    """Every pair of history and question."""
    rows: dict[str, dict[str, float]] = {}
    cases = itertools.product((True, False), HISTORIES.items(), QUESTIONS.items())
    for known, (history, words_above), (question, words_asked) in cases:
        times = runs if known else max(runs // 3, 3)
        took = measured(server, history=words_above, question=words_asked, runs=times, known=known)
        ratios = {
            f"{name} over without": round(took[name] / took["without"], 3) for name in took if name != "without"
        }
        milliseconds = {f"{name} ms": round(1000 * seconds, 1) for name, seconds in took.items()}
        rows[_name(history, question, known=known)] = {**milliseconds, **ratios}
    name = _name("long", "short", known=False)
    bar = Bar(f"first token, {name}, speculative over without", rows[name]["speculative over without"], MOST, "wall")
    return Figure([bar], dict(rows))


def _name(history: str, question: str, *, known: bool) -> str:
    return f"{history} history that the server {'has' if known else 'has not'} read, {question} question"
