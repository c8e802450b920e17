"""Runs a turn over scripted parts and sorts what came."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass

from llamachat.chat.stream_chat import Turn, stream_chat
from llamachat.chat.tools import Toolbox
from llamachat.chat.web_search_tool import WebSearchTool
from llamachat.core.cancel import CancelToken
from llamachat.core.events import Event, Finish, Kind
from llamachat.core.messages import WireMessage
from llamachat.core.seams import Completer, SearchService
from llamachat.core.search_record import SearchRecord, record_from_json
from tests.fakes.scripted_search import ScriptedSearch
from tests.fakes.still_clock import StillClock

QUESTION: WireMessage = {"role": "user", "content": "When is high tide?"}
TURN = Turn(messages=(QUESTION,))


@dataclass(frozen=True)
class Outcome:
    """The events of a turn."""

    events: list[Event]

    def texts(self, kind: Kind) -> list[str]:
        """The texts of one kind."""
        return [str(data) for seen, data in self.events if seen is kind]

    @property
    def content(self) -> str:
        """All of the answer that was shown."""
        return "".join(self.texts(Kind.CONTENT))

    @property
    def reasoning(self) -> str:
        """All thinking that was shown."""
        return "".join(self.texts(Kind.REASONING))

    @property
    def searches(self) -> list[SearchRecord]:
        """The records of the searches."""
        return [record_from_json(text) for text in self.texts(Kind.SEARCH_DONE)]

    @property
    def messages(self) -> list[WireMessage]:
        """The messages that belong to the turn."""
        return [data for kind, data in self.events if kind is Kind.MESSAGE and isinstance(data, dict)]

    @property
    def finish(self) -> Finish:
        """How it ended: the last event, and the only one of its kind."""
        assert [event.kind for event in self.events].count(Kind.FINISH) == 1
        last = self.events[-1].data
        assert isinstance(last, Finish)
        return last


def search_box(search: SearchService | None = None) -> Toolbox:
    """A toolbox with the search in it."""
    return Toolbox(WebSearchTool(search or ScriptedSearch(), clock=StillClock()))


def run(
    completer: Completer,
    *,
    turn: Turn = TURN,
    toolbox: Toolbox | None = None,
    cancel: CancelToken | None = None,
) -> Outcome:
    """Run a turn to its end; with the search unless another toolbox is given."""
    box = search_box() if toolbox is None else toolbox
    return Outcome(list(stream_chat(turn, completer=completer, toolbox=box, cancel=cancel or CancelToken())))


def roles(messages: Iterable[WireMessage]) -> list[str]:
    """Who speaks, message by message."""
    return [str(message["role"]) for message in messages]


def sent_arguments(message: WireMessage) -> list[str]:
    """The arguments of each call in an assistant message."""
    found = []
    tool_calls = message["tool_calls"]
    assert isinstance(tool_calls, list)
    for call in tool_calls:
        assert isinstance(call, dict)
        function = call["function"]
        assert isinstance(function, dict)
        found.append(str(function["arguments"]))
    return found
