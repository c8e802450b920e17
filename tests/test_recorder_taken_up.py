"""A program killed at any moment of a turn: what it left becomes the answer that it would have become."""

from __future__ import annotations

from collections.abc import Generator, Iterator
from dataclasses import replace

import pytest

from llamachat.core.cancel import CancelToken
from llamachat.core.completion import CompletionRequest, Delta, StreamPosition, UsageDelta
from llamachat.core.errors import ServerCause, ServerError
from llamachat.core.events import Event, FinishReason, Kind
from llamachat.core.messages import Role, Status, StoredMessage, StreamMark, Usage
from llamachat.recorder import RecordedTurn, start_turn
from llamachat.storage.conversations import create_conversation
from llamachat.storage.database import Database
from llamachat.storage.messages import add_message, update_message
from llamachat.turn_parts import TurnParts
from llamachat.turn_rows import Action, TurnRequest
from tests.fakes.scripted_completer import ScriptedCompleter, Step, calls, says
from tests.fakes.scripted_search import ScriptedSearch
from tests.recorder_parts import finish_of, shown

QUESTION = "When is high tide?"
COST = UsageDelta(Usage(prompt_tokens=20, completion_tokens=9, predicted_n=9, predicted_ms=2.5))
CALL = '<tool_call>\n{"name": "web_search", "arguments": {"query": "tide Husum"}}\n</tool_call>'
LITERAL = 'Write `<tool_call>`, or\n```json\n{"name": "other"}\n```\nand <think> is a tag.\n```py\nx = 1\n```\nSo.'

TURNS: dict[str, list[list[Step]]] = {
    "thinking and an answer": [[*says("It is at noon.", thinking="Let me see."), COST]],
    "a call, thinking and an answer": [
        [*says("Let me look.", thinking="I do not know.", finish="")[:-1], *calls({"query": "tide Husum"}), COST],
        [*says("At noon [1].", thinking="Found it."), COST],
    ],
    "a call as text": [[*says(f"Let me look.\n{CALL}"), COST], [*says("At noon [1]."), COST]],
    "a call in the thinking": [[*says("", thinking=f"Hm.\n{CALL}"), COST], [*says("At noon [1]."), COST]],
    "what looks like calls": [[*says(LITERAL, thinking=LITERAL), COST]],
    "what looks like calls, without thinking": [[*says(LITERAL), COST]],
    "thinking in tags": [[*says("<think>\nHm, `<b>`.\n</think>\n\nAt <b>noon</b>."), COST]],
    "thinking whose tag stood in the prompt": [[*says("Hm, hm.\n</think>\n\nAt noon."), COST]],
    "cut by the limit": [[*says("At noo", finish="length"), COST]],
}


class Keeping:
    """A server that keeps what it has said: each delta is a byte of it."""

    def __init__(self, scripts: list[list[Step]]) -> None:
        self._scripts = scripts
        self.asked = 0

    def stream(self, request: CompletionRequest, cancel: CancelToken) -> Iterator[Delta]:
        """One answer, or the rest of one."""
        start = request.takes_up
        if start is None:
            assert request.keep
            self.asked += 1
            start = StreamPosition(f"s{self.asked - 1}", 0, "here")
        return self._play(start)

    def _play(self, start: StreamPosition) -> Generator[Delta, None, None]:
        yield start
        finished = False
        for place, delta in enumerate(self._scripts[int(start.id[1:])], 1):
            if place <= start.offset or (isinstance(delta, Exception) and start.offset):
                continue
            if isinstance(delta, Exception):
                raise delta
            if not isinstance(delta, CancelToken) and not callable(delta):
                yield delta
                finished = finished or hasattr(delta, "reason") or isinstance(delta, UsageDelta)
                if not finished:
                    yield StreamPosition(start.id, place)


def begin(db: Database, server: Keeping, request: TurnRequest) -> RecordedTurn:
    """A turn on that server."""
    parts = TurnParts(server, search=ScriptedSearch(), keeps_reasoning=True, still_has=lambda *_: True)
    return start_turn(db, request, prepare=lambda: parts, cancel=CancelToken())


def run(turn: RecordedTurn) -> tuple[list[StoredMessage], list[Event]]:
    """The row as it might be written at each event, and the events."""
    rows, events = [], []
    for event in turn.events():
        rows.append(turn.stored_answer())
        events.append(event)
    return [*rows, turn.stored_answer()], events


def left(db: Database, row: StoredMessage) -> StoredMessage:
    """The row as a start finds it after the kill, in a history of its own."""
    chat = create_conversation(db, prompt=row.prompt)
    asked = add_message(db, conversation_id=chat.id, parent_id=None, role=Role.USER, content=QUESTION)
    return add_message(
        db,
        conversation_id=chat.id,
        parent_id=asked.id,
        role=Role.ASSISTANT,
        content=row.content,
        reasoning=row.reasoning,
        prompt=row.prompt,
        searches=row.searches,
        wire=row.wire,
        status=Status.INTERRUPTED,
        usage=row.usage,
        stream=row.stream,
    )


def plain(row: StoredMessage) -> StoredMessage:
    """What of a row has to be the same."""
    wire = tuple(
        {**message, "tool_call_id": ""} if "tool_call_id" in message else {**message, "tool_calls": ""}
        for message in row.wire
    )
    searches = tuple(replace(record, seconds=0.0, at=0.0) for record in row.searches)
    return replace(row, id=0, uid="", conversation_id=0, parent_id=None, created_at=0.0, wire=wire, searches=searches)


@pytest.mark.parametrize("name", TURNS)
def test_whatever_moment_it_is_killed_at(name: str) -> None:
    scripts = TURNS[name]
    with Database.in_memory() as db:
        rows, events = run(begin(db, Keeping(scripts), TurnRequest("send", text=QUESTION)))
        whole = rows[-1]
        assert finish_of(events).reason in (FinishReason.STOP, FinishReason.LENGTH)
        assert whole.stream is None
        taken_up = 0
        for row in rows:
            if row.stream is None:
                continue
            taken_up += 1
            server = Keeping(scripts)
            server.asked = int(row.stream.id[1:]) + 1
            answer = left(db, row)
            again = begin(db, server, TurnRequest("continue", answer.conversation_id))
            later, came = run(again)
            assert plain(later[-1]) == plain(whole)
            if "tag" not in name:  # there text moves at the end
                for kind, before in ((Kind.CONTENT, answer.content), (Kind.REASONING, answer.reasoning)):
                    assert before + shown(came, kind) == shown(events, kind)
        assert taken_up > 2


@pytest.mark.parametrize("name", TURNS)
def test_killed_twice(name: str) -> None:
    scripts = TURNS[name]
    with Database.in_memory() as db:
        rows, _ = run(begin(db, Keeping(scripts), TurnRequest("send", text=QUESTION)))
        for first in rows[::5]:
            if first.stream is None:
                continue
            server = Keeping(scripts)
            server.asked = int(first.stream.id[1:]) + 1
            later, _ = run(begin(db, server, TurnRequest("continue", left(db, first).conversation_id)))
            for second in later[::3]:
                if second.stream is None:
                    continue
                server.asked = int(second.stream.id[1:]) + 1
                last, _ = run(begin(db, server, TurnRequest("continue", left(db, second).conversation_id)))
                assert plain(last[-1]) == plain(rows[-1])


def test_what_the_server_has_no_more_is_continued_as_ever() -> None:
    with Database.in_memory() as db:
        rows, _ = run(begin(db, Keeping([[*says("It is at noon.")]]), TurnRequest("send", text=QUESTION)))
        row = next(row for row in rows if row.content == "It is ")
        assert row.stream is not None
        answer = left(db, row)
        server = Keeping([[*says("at one.")]])
        parts = TurnParts(server, still_has=lambda *_: False)
        again = start_turn(
            db, TurnRequest("continue", answer.conversation_id), prepare=lambda: parts, cancel=CancelToken()
        )
        later, _ = run(again)
        assert later[-1].content == "It is at one."
        assert later[-1].stream is None
        assert server.asked == 1


def test_what_broke_off_with_the_connection_is_taken_up_by_continue() -> None:
    lost = ServerError("The connection broke off.", "Try again.", cause=ServerCause.CUT_OFF)
    said = says("Write <tool_call> there.")
    with Database.in_memory() as db:
        server = Keeping([[*said[:3], lost, *said[3:], COST]])
        first = begin(db, server, TurnRequest("send", text=QUESTION))
        rows, events = run(first)
        assert finish_of(events).reason is FinishReason.CUT_OFF
        assert rows[-1].content == "Write <to"
        assert rows[-1].stream is not None
        whole, _ = run(begin(db, server, TurnRequest("continue", first.conversation.id)))
    assert (whole[-1].content, whole[-1].status) == ("Write <tool_call> there.", Status.COMPLETE)
    assert (whole[-1].stream, server.asked) == (None, 1)


def test_what_the_server_lost_meanwhile_is_not_asked_for_again() -> None:
    gone = ServerError("The connection broke off.", "Try again.", cause=ServerCause.CUT_OFF)
    with Database.in_memory() as db:
        rows, _ = run(begin(db, Keeping([[*says("It is at noon.")]]), TurnRequest("send", text=QUESTION)))
        answer = left(db, next(row for row in rows if row.content == "It is "))
        parts = TurnParts(ScriptedCompleter([StreamPosition(""), gone]), still_has=lambda *_: True)
        request = TurnRequest("continue", answer.conversation_id)
        turn = start_turn(db, request, prepare=lambda: parts, cancel=CancelToken())
        rows, events = run(turn)
    assert finish_of(events).reason is FinishReason.CUT_OFF
    assert (rows[-1].content, rows[-1].stream) == ("It is ", None)


@pytest.mark.parametrize("action", ["retry", "send", "continue"])
def test_the_server_stops_what_nobody_waits_for_any_more(action: Action) -> None:
    with Database.in_memory() as db:
        rows, _ = run(begin(db, Keeping([[*says("It is at noon.")]]), TurnRequest("send", text=QUESTION)))
        answer = left(db, next(row for row in rows if row.content == "It is "))
        let_go: list[StreamMark] = []
        server = Keeping([[*says("At one.")], [*says("At two.")]])
        parts = TurnParts(server, still_has=lambda *_: True, let_go=let_go.extend)
        request = TurnRequest(action, answer.conversation_id, text="And low?", skip_thinking=action == "continue")
        later, _ = run(start_turn(db, request, prepare=lambda: parts, cancel=CancelToken()))
        run(start_turn(db, request, prepare=lambda: parts, cancel=CancelToken()))
    assert let_go == [answer.stream]
    assert later[-1].content.endswith("At one.")


def test_what_the_user_has_changed_is_not_taken_up() -> None:
    with Database.in_memory() as db:
        rows, _ = run(begin(db, Keeping([[*says("It is at noon.")]]), TurnRequest("send", text=QUESTION)))
        row = next(row for row in rows if row.content == "It is ")
        answer = left(db, row)
        update_message(db, answer.id, content="It was ", edited=True)
        server = Keeping([[*says("at one.")]])
        later, _ = run(begin(db, server, TurnRequest("continue", answer.conversation_id)))
    assert (later[-1].content, server.asked) == ("It was at one.", 1)


def test_a_mark_stands_only_for_text_that_is_there() -> None:
    with Database.in_memory() as db:
        rows, _ = run(begin(db, Keeping([[*says("Is it <tool-like> text?")]]), TurnRequest("send", text=QUESTION)))
        marks = [(row.stream, row.content) for row in rows if row.stream]
        assert marks[0] == (StreamMark("s0", 0, "here"), "Is ")
        for mark, content in marks:
            assert content[: mark.content] == "Is it <tool-like> text?"[: 3 * mark.offset]
        assert {mark.offset for mark, _ in marks} > {0, 1, 2}
