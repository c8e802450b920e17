"""What one flush of a streaming answer costs, by the length of the chat and of the answer."""

from __future__ import annotations

import statistics
from collections.abc import Sequence
from dataclasses import dataclass

from tests.bench.chats import long_chat
from tests.bench.figures import Bar, Figure
from tests.bench.markdown_texts import MarkdownTexts
from tests.bench.view_stage import Cost, Growing, ViewStage, costs_as_json, cut

BATCH = 270  # characters that come in one interval at 2,000 tokens a second
ROUND = 10  # flushes of whole blocks before the other transcripts have their turn
SHORT, MIDDLE, LONG = 2_000, 20_000, 200_000


@dataclass(slots=True)
class _Transcript:
    """A chat of so many messages with an answer that has about so many characters, and what its flushes cost.

    One that is to stay short is begun anew each round.
    """

    messages: int
    size: int
    stage: ViewStage
    costs: list[Cost]
    growing: Growing | None = None

    def run(self, prefill: str, batches: Sequence[str]) -> None:
        """Flush these batches behind what the answer has already."""
        if self.growing is None or self.size < LONG:
            self.growing = Growing(self.stage, above=self.messages)
            self.growing.feed(prefill)
            self.stage.settle()
        self.costs += [self.growing.feed(batch) for batch in batches]

    def over(self, other: _Transcript, what: str, at_most: float) -> Bar:
        """How many times as long as with the other one a flush takes until it is painted, in the median."""
        (own, own_cpu), (others, others_cpu) = (
            [statistics.median(clock(cost) for cost in each.costs) for clock in (_painted, _worked)]
            for each in (self, other)
        )
        return Bar(f"{what}, medians", own / others, at_most, "wall", own_cpu / others_cpu)

    @property
    def name(self) -> str:
        """For the report."""
        return f"{self.messages} messages, {self.size} characters"


def _painted(cost: Cost) -> float:
    return cost.painted_ms


def _worked(cost: Cost) -> float:
    return cost.cpu_ms


def measure_flush(*, quick: bool) -> Figure:
    """The same batches at the end of short and long answers in short and long chats, by turns."""
    many, rounds = (200, 3) if quick else (2_000, 20)
    shapes = [(10, SHORT), (10, MIDDLE), (10, LONG), (many, MIDDLE), (many, LONG)]
    transcripts = [_Transcript(n, size, ViewStage(long_chat(n)), []) for n, size in shapes]
    texts = MarkdownTexts(3)
    before = {size: f"{texts.document(size - ROUND * BATCH // 2)}\n\n" for size in (SHORT, MIDDLE, LONG)}
    for _ in range(rounds):
        batches = cut(f"{texts.document(ROUND * BATCH)}\n\n", BATCH)
        for transcript in transcripts:
            transcript.run(before[transcript.size], batches)
    short, few_middle, few_long, many_middle, many_long = transcripts
    bars = [
        many_long.over(short, f"{many} messages and 200 k over 10 messages and 2 k", 2.5),
        few_long.over(few_middle, "200 k over 20 k, 10 messages", 1.25),
        many_long.over(many_middle, f"200 k over 20 k, {many} messages", 1.25),
    ]
    return Figure(bars, {transcript.name: costs_as_json(transcript.costs) for transcript in transcripts})
