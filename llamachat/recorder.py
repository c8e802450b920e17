"""One turn: store the question, drive `stream_chat`, write what passes into the store."""

from __future__ import annotations

from collections.abc import Callable, Generator, Mapping
from contextlib import closing
from dataclasses import dataclass, field
from typing import TypeAlias

from llamachat.chat.aside import Aside
from llamachat.chat.history import history_messages, shown_text
from llamachat.chat.query_writer import QueryWriter
from llamachat.chat.router import Router
from llamachat.chat.said import add_usage
from llamachat.chat.stream_chat import Turn, stream_chat
from llamachat.chat.tools import Toolbox
from llamachat.chat.web_search_tool import WebSearchTool
from llamachat.core.cancel import CancelToken
from llamachat.core.completion import Sampling
from llamachat.core.conversation import SearchMode
from llamachat.core.errors import Cancelled, ServerError, StorageError, UserFacingError
from llamachat.core.events import Event, EventData, Finish, FinishReason, Kind, Phase, PhaseName
from llamachat.core.messages import Status, StoredMessage, Usage, WireMessage
from llamachat.core.seams import Clock, Completer, SearchService
from llamachat.core.search_record import record_from_json
from llamachat.core.text import tr
from llamachat.storage.database import Database
from llamachat.storage.growing_message import GrowingMessage, LateWriter
from llamachat.storage.messages import update_message
from llamachat.turn_rows import TurnRequest, TurnRows, store_rows

MOST_LEAKS = 2  # calls as text in a chat; from then on the router decides in it


@dataclass(frozen=True, slots=True)
class RouterParts:
    """What the router needs beside the search. aside: for its questions, while the completer may be busy.

    takes_all: it decides in every chat on Auto, since the model cannot call tools, or shall not. optimizes,
    speculates: see `QueryWriter` and `Router`. paused: why nothing can be searched now.
    """

    aside: Aside
    takes_all: bool = False
    optimizes: bool = True
    speculates: bool = False
    paused: str = ""


@dataclass(frozen=True, slots=True)
class TurnParts:
    """What the program gives a turn, out of its settings.

    search: None when searching is not permitted or not configured; then no tool is offered. router: None where the
    model alone decides.
    model: what the server calls the model that answers, for the row of an answer whose model was not chosen;
    told_model: what the answers called it until now, where the server itself did not say.
    keeps_cached_prompt: the server is a llama-server. keeps_reasoning: its `supports_preserve_reasoning`.
    search_keep_turns: see `history_messages`.
    on_end: called when the turn has run, to let go of the completer's connections.
    """

    completer: Completer
    search: SearchService | None = None
    router: RouterParts | None = None
    sampling: Sampling = field(default_factory=Sampling)
    max_searches: int = 2
    keeps_cached_prompt: bool = True
    keeps_reasoning: bool = False
    search_keep_turns: int = 0
    model: str = ""
    told_model: Callable[[], str] = lambda: ""
    on_end: Callable[[], None] = lambda: None


Prepare: TypeAlias = Callable[[], TurnParts]


class RecordedTurn:
    """A turn whose rows are stored and that has yet to run.

    user: the row of the question, None where no new one was asked. answer: the assistant row before the turn runs.
    """

    def __init__(
        self, db: Database, rows: TurnRows, *, prepare: Prepare, phase: PhaseName, cancel: CancelToken
    ) -> None:
        self.conversation, self.user, self.answer = rows.conversation, rows.user, rows.answer
        self._db, self._rows, self._prepare, self._phase, self._cancel = db, rows, prepare, phase, cancel
        self._row = GrowingMessage(rows.answer, db.unsaved)
        self._told_model: Callable[[], str] = lambda: ""

    def stored_answer(self) -> StoredMessage:
        """The answer as the turn has left it."""
        return self._row.message()

    def events(self) -> Generator[Event, None, None]:
        """Run the turn once, in the thread of the database; `finish` is the last event.

        Closing it stops the turn: the row keeps what came, with the status `stopped`. What cannot be written is told
        in a notice, goes to `db.unsaved` and is tried again; the turn goes on.
        """
        try:
            with closing(self._source()) as source, LateWriter(self._row, self._db.path) as late_writer:
                for event in source:
                    self._take(event, late_writer)
                    if problem := self._row.take_problem():
                        yield Event(Kind.NOTICE, _not_saved(problem))
                    yield event
        except GeneratorExit:
            self._end(Finish(FinishReason.STOPPED))
            raise
        except BaseException:
            self._end(Finish(FinishReason.ERROR, tr("Something went wrong inside the program.")))
            raise

    def _source(self) -> Generator[Event, None, None]:
        """Get ready, which may ask the server, and run the loop."""
        yield Event(Kind.PHASE, Phase(self._phase))
        try:
            parts = self._prepare()
        except Cancelled:
            yield Event(Kind.FINISH, Finish(FinishReason.STOPPED))
            return
        except UserFacingError as error:
            cause = error.cause if isinstance(error, ServerError) else ""
            yield Event(Kind.FINISH, Finish(FinishReason.ERROR, error.sentence, error.next_step, cause))
            return
        self._name_model(parts.model)
        self._told_model = parts.told_model
        try:
            yield from _run(self._rows, parts, self._cancel, clock=self._db.clock)
        finally:
            parts.on_end()

    def _name_model(self, model: str) -> None:
        if model and not self._row.fields.model:
            self._row.set(model=model)

    def _take(self, event: Event, late_writer: LateWriter) -> None:
        """Take in an event; all but the texts is written at once, and before a search the texts are too."""
        kind, data = event
        if kind is Kind.CONTENT or kind is Kind.REASONING:
            self._row.add_text("content" if kind is Kind.CONTENT else "reasoning", str(data))
            late_writer.text_came()
        elif isinstance(data, Finish):
            self._end(data)
        else:
            self._take_fields(kind, data)
            self._row.write(self._db)

    def _take_fields(self, kind: Kind, data: EventData) -> None:
        if kind is Kind.SEARCH_DONE and isinstance(data, str):
            self._row.set(searches=(*self._row.fields.searches, record_from_json(data)))
        elif isinstance(data, Usage):
            self._row.set(usage=add_usage(self.answer.usage, data))
        elif isinstance(data, Mapping) and data.get("role") == "user":
            self._keep_question(data)
        elif isinstance(data, Mapping):
            wire = (*self._row.fields.wire, data)
            self._row.set(wire=wire)  # it knows better than what was shown where thinking ends
            self._row.set_text("content", shown_text(wire, "content"))
            self._row.set_text("reasoning", shown_text(wire, "reasoning_content"))

    def _keep_question(self, message: WireMessage) -> None:
        """The question as it was sent, with what was found for it: the next request repeats it byte for byte."""
        try:
            if self.answer.parent_id is not None:
                update_message(self._db, self.answer.parent_id, wire=(message,))
        except StorageError as error:
            self._row.note_problem(error)

    def _end(self, finish: Finish) -> None:
        row = self._row.message()
        if row.status is not Status.STREAMING:
            return
        self._name_model(self._told_model())
        reason = finish.cause or finish.reason.value
        error = "\n".join(filter(None, (finish.error, finish.next_step)))
        self._row.set(status=_status(finish.reason, row), finish_reason=reason, error=error)
        if not self._row.write(self._db):
            self._db.unsaved.hold(self._row)


def _not_saved(problem: StorageError) -> str:
    return tr("Nothing can be saved at the moment; this is tried again. {reason}").format(reason=problem.sentence)


def start_turn(
    db: Database,
    request: TurnRequest,
    *,
    prepare: Prepare,
    cancel: CancelToken,
    phase: PhaseName = PhaseName.WAITING,
) -> RecordedTurn:
    """Store the question and a row for the answer in one transaction, and return the turn to run.

    What could not be written of earlier answers is written first: this turn goes on from it.
    prepare: called when the turn runs; may block, and raise Cancelled or a UserFacingError that ends the turn.
    phase: what goes on while it runs.
    Raises StorageError; nothing is stored then.
    """
    db.unsaved.save(db)
    return RecordedTurn(db, store_rows(db, request), prepare=prepare, phase=phase, cancel=cancel)


def _run(rows: TurnRows, parts: TurnParts, cancel: CancelToken, *, clock: Clock) -> Generator[Event, None, None]:
    history = history_messages(
        rows.earlier,
        rows.conversation.prompt,
        keep_reasoning=parts.keeps_reasoning,
        search_keep_turns=parts.search_keep_turns,
    )
    turn = Turn(
        messages=history + rows.begun.rounds,
        model=rows.conversation.model,
        sampling=parts.sampling,
        search_mode=rows.conversation.search_mode,
        max_searches=parts.max_searches,
        keeps_cached_prompt=parts.keeps_cached_prompt,
        continue_text=rows.begun.content,
        continue_reasoning=rows.begun.reasoning,
    )
    tool = _search_tool(rows, parts, clock)
    router_decides = parts.router is not None and (parts.router.takes_all or _leaks(rows) >= MOST_LEAKS)
    return stream_chat(
        turn,
        completer=parts.completer,
        toolbox=Toolbox() if tool is None or router_decides else Toolbox(tool),
        router=_router(parts.router, tool, clock, mode=rows.conversation.search_mode, decides=router_decides),
        cancel=cancel,
    )


def _search_tool(rows: TurnRows, parts: TurnParts, clock: Clock) -> WebSearchTool | None:
    if parts.search is None:
        return None
    before = [record for row in rows.earlier for record in row.searches]
    return WebSearchTool(
        parts.search, clock=clock, earlier=rows.answer.searches, conversation=before, fresh=rows.fresh
    )


def _leaks(rows: TurnRows) -> int:
    return sum(record.route == "text" for row in rows.earlier for record in row.searches)


def _router(
    parts: RouterParts | None, tool: WebSearchTool | None, clock: Clock, *, mode: SearchMode, decides: bool
) -> Router | None:
    always = mode is SearchMode.ALWAYS
    if parts is None or tool is None or not (always or (decides and mode is SearchMode.AUTO)):
        return None
    return Router(
        aside=parts.aside,
        writer=QueryWriter(parts.aside, clock, optimizes=parts.optimizes),
        tool=tool,
        always=always,
        speculates=parts.speculates and not always,
        paused=parts.paused,
    )


def _status(reason: FinishReason, row: StoredMessage) -> Status:
    """How far the answer has come; what can be continued is interrupted, not failed."""
    if reason in (FinishReason.STOP, FinishReason.LENGTH):
        return Status.COMPLETE
    if reason is FinishReason.STOPPED:
        return Status.STOPPED
    return Status.INTERRUPTED if row.content or row.reasoning or row.wire else Status.FAILED
