"""Who decides in place of the model: the router asks it whether to search, and searches before it answers.

For models that cannot call tools, and for chats that always search. What is found goes to the end of the latest
message; nothing above it changes, so the server's cached prompt stays good.
"""

from __future__ import annotations

import re
from collections.abc import Generator, Sequence
from dataclasses import dataclass

from llamachat.chat.aside import Aside
from llamachat.chat.history import text_of
from llamachat.chat.prompt import UNANSWERED
from llamachat.chat.query_writer import QueryWriter
from llamachat.chat.router_prompts import BLOCK_START, DECIDE, YES_OR_NO, results_block
from llamachat.chat.web_search_tool import WebSearchTool
from llamachat.core.cancel import CancelToken
from llamachat.core.events import Event, Kind, Phase, PhaseName
from llamachat.core.messages import WireMessage

_LONGEST_TURN = 4000  # characters of the latest turn that are judged: its beginning and its end
_ANSWER = re.compile(r"\b(yes|no|ja|nein)\b", re.IGNORECASE)


@dataclass(frozen=True, slots=True)
class Router:
    """Decides and searches once, at the beginning of a turn.

    always: search whatever the message says. speculates: the server has a free slot, so that the answer may start
    while the router is still deciding. paused: why nothing can be searched now, "" where it can.
    """

    aside: Aside
    writer: QueryWriter
    tool: WebSearchTool
    always: bool = False
    speculates: bool = False
    paused: str = ""

    def results(
        self, messages: Sequence[WireMessage], cancel: CancelToken
    ) -> Generator[Event, None, WireMessage | None]:
        """The latest message with what was found at its end; None where nothing was searched. Raises Cancelled."""
        question = latest_turn(messages)
        if not question:
            return None
        latest = messages[-1]
        if latest.get("role") != "user" or BLOCK_START in text_of(latest, "content"):
            return None
        if not self.always:
            if self.paused:
                return None
            yield Event(Kind.PHASE, Phase(PhaseName.ROUTING))
            if not wants_search(self.aside, question, cancel):
                return None
        if not self.always or self.writer.optimizes:
            yield Event(Kind.PHASE, Phase(PhaseName.FRAMING))
        query = self.writer.typed(question, cancel) if self.always else self.writer.written(question, cancel)
        record = yield from self.tool.search(query, cancel, route="user" if self.always else "router")
        block = results_block(record)
        return {**latest, "content": f"{text_of(latest, 'content')}\n\n{block}"}


def wants_search(aside: Aside, question: str, cancel: CancelToken) -> bool:
    """Ask the model whether the message needs a search; what cannot be read is a no. Raises Cancelled."""
    asked, bound = f"Message: {question}", aside.bound(cancel)
    answer = aside.ask(DECIDE, asked, max_tokens=1 if bound else 16, cancel=cancel, grammar=YES_OR_NO)
    if bound:
        return answer[:1].lower() == "y"
    said = _ANSWER.findall(answer)
    return bool(said) and said[-1].lower() in ("yes", "ja")


def latest_turn(messages: Sequence[WireMessage]) -> str:
    """What the user said since the last answer, without paragraphs that repeat the system prompt."""
    system = next((text_of(one, "content") for one in messages if one.get("role") == "system"), "")
    repeated = {_bare(paragraph) for paragraph in _paragraphs(system)}
    said: list[str] = []
    for message in reversed(messages):
        if message.get("role") == "user":
            said.insert(0, text_of(message, "content").partition(BLOCK_START)[0])
        elif text_of(message, "content") != UNANSWERED:
            break
    kept = [p for text in said for p in _paragraphs(text) if _bare(p) not in repeated]
    return _shortened("\n\n".join(kept))


def _paragraphs(text: str) -> list[str]:
    return [paragraph for paragraph in re.split(r"\n\s*\n", text.strip()) if paragraph.strip()]


def _bare(text: str) -> str:
    return " ".join(text.split())


def _shortened(text: str) -> str:
    half = _LONGEST_TURN // 2
    return text if len(text) <= _LONGEST_TURN else f"{text[:half]}\n[...]\n{text[-half:]}"
