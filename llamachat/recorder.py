"""One turn: store the question, drive `stream_chat`, write what passes into the store."""

from __future__ import annotations

from collections.abc import Callable, Generator, Mapping
from contextlib import closing, suppress
from typing import TypeAlias

from llamachat.chat.history import shown_text
from llamachat.chat.said import add_usage
from llamachat.core.cancel import CancelToken
from llamachat.core.completion import StreamPosition
from llamachat.core.errors import Cancelled, ServerError, StorageError, UserFacingError
from llamachat.core.events import Event, EventData, Finish, FinishReason, Kind, Phase, PhaseName
from llamachat.core.messages import Status, StoredMessage, Usage, WireMessage
from llamachat.core.search_record import record_from_json
from llamachat.core.text import tr
from llamachat.storage.broken_off import keep_in_mind
from llamachat.storage.database import Database
from llamachat.storage.growing_message import PATIENCE_S, GrowingMessage, LateWriter
from llamachat.storage.writers import writing
from llamachat.turn_parts import TurnParts, turn_events
from llamachat.turn_rows import TurnRequest, TurnRows, store_rows

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
            with (
                writing(self._db.path, self.answer.id),
                closing(self._source()) as source,
                LateWriter(self._row, self._db.path) as late_writer,
            ):
                for event in source:
                    self._take(event, late_writer)
                    if problem := self._row.take_problem():
                        yield Event(Kind.NOTICE, _not_saved(problem))
                    if event.kind is not Kind.STREAM:
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
            yield from turn_events(self._rows, parts, self._cancel, clock=self._db.clock)
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
        elif isinstance(data, StreamPosition):
            if not data.id:
                self._row.set(stream=None)
            elif self._row.reach(data):  # before it is asked for: a killed program finds it again
                self._row.write(self._db)
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
            self._row.set(wire=wire, stream=None)  # it knows better than what was shown where thinking ends
            self._row.set_text("content", shown_text(wire, "content"))
            self._row.set_text("reasoning", shown_text(wire, "reasoning_content"))

    def _keep_question(self, message: WireMessage) -> None:
        """The question as it was sent, with what was found for it: the next request repeats it byte for byte.

        Where other answers were given to it before, only this one has it in this form.
        """
        if self._rows.user is None:
            self._row.set(wire=(message, *self._row.fields.rounds))
            return
        question = GrowingMessage(self._rows.earlier[-1], self._db.unsaved)
        question.set(wire=(message,))
        if not question.write(self._db):
            self._db.unsaved.hold(question)

    def _end(self, finish: Finish) -> None:
        row = self._row.message()
        if row.status is not Status.STREAMING:
            return
        self._name_model(self._told_model())
        reason = finish.cause or finish.reason.value
        error = "\n".join(filter(None, (finish.error, finish.next_step)))
        stream = row.stream if finish.reason is FinishReason.CUT_OFF else None  # the server may still have it
        self._row.set(status=_status(finish.reason, row), finish_reason=reason, error=error, stream=stream)
        broken_off = finish.reason is FinishReason.STOPPED and self._cancel.program_ends
        if broken_off:
            self._row.set(status=Status.INTERRUPTED, finish_reason="")
        if not self._row.write(self._db):
            self._db.unsaved.hold(self._row)
        elif broken_off:
            with suppress(StorageError), self._db.patience(PATIENCE_S):  # the chat itself offers to go on as well
                keep_in_mind(self._db, row.id)


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


def _status(reason: FinishReason, row: StoredMessage) -> Status:
    """How far the answer has come; what can be continued is interrupted, not failed."""
    if reason in (FinishReason.STOP, FinishReason.LENGTH, FinishReason.THINKING):
        return Status.COMPLETE
    if reason is FinishReason.STOPPED:
        return Status.STOPPED
    return Status.INTERRUPTED if row.content or row.reasoning or row.rounds else Status.FAILED
