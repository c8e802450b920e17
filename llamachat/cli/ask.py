"""`llamachat ask`: one turn, printed as it comes. The same turn that the window runs."""

from __future__ import annotations

import argparse
import dataclasses
import signal
import sys
import threading
import time
from collections.abc import Iterator, Sequence
from contextlib import closing, contextmanager, suppress

from llamachat.app import App, build_app
from llamachat.cli.commands import Commands, counting_number, stored_conversation
from llamachat.cli.consent import TerminalConsent
from llamachat.cli.models_on_offer import last_used_model, models_on_offer
from llamachat.cli.output import remark, write, write_json
from llamachat.cli.prompt_choice import change_prompt, chosen_prompt
from llamachat.cli.store import begin_on_history
from llamachat.config.paths import resolve_paths
from llamachat.core.cancel import CancelToken
from llamachat.core.completion import PromptProgress
from llamachat.core.conversation import SearchMode, SystemPrompt
from llamachat.core.errors import Cancelled, ServerCause, StorageError, UserFacingError
from llamachat.core.events import Event, Finish, FinishReason, Kind, Phase, PhaseName, event_to_json
from llamachat.core.messages import Status
from llamachat.core.search_record import SearchRecord, numbered_results, record_from_json
from llamachat.core.text import clean, tr, trn
from llamachat.recorder import RecordedTurn
from llamachat.storage.database import Database
from llamachat.storage.purge import take_back_chat
from llamachat.turn_rows import TurnRequest

_STOPS = ("SIGINT", "SIGTERM", "SIGHUP")  # Windows has no SIGHUP
SAVE_AGAIN_S, SAVE_PAUSE_S = 10.0, 0.5


def add_command(commands: Commands) -> None:
    """Declare the command and its arguments."""
    parser = commands.add_parser("ask", help=tr("ask the model and print the answer"))
    parser.add_argument("prompt", metavar="PROMPT", help=tr("the question; - reads it from stdin"))
    parser.add_argument("--json", action="store_true", help=tr("print one event a line as JSON"))
    parser.add_argument("--model", default="", metavar="M", help=tr("model to ask, where the server has several"))
    parser.add_argument(
        "--prompt",
        dest="prompt_name",
        metavar="NAME",
        help=tr("system prompt of that name in config.toml, also for a chat that has another one"),
    )
    parser.add_argument(
        "--search", choices=[mode.value for mode in SearchMode], help=tr("whether it may search the web")
    )
    parser.add_argument("--conversation", type=counting_number, metavar="ID", help=tr("go on in a stored chat"))
    parser.add_argument("--no-save", action="store_true", help=tr("store nothing, as in a temporary chat"))
    parser.set_defaults(run=run)


def run(options: argparse.Namespace) -> int:
    """Ask once; raises Cancelled, or UserFacingError when the turn did not end well."""
    text = sys.stdin.read() if options.prompt == "-" else options.prompt
    if not text.strip():
        raise UserFacingError(tr("The question is empty."), tr("Give it as an argument, or pipe it in and use -."))
    if options.no_save and options.conversation is not None:
        raise UserFacingError(tr("--no-save and --conversation exclude each other."))
    app = build_app(resolve_paths(options.config, options.data_dir))
    app.search.consent = TerminalConsent()
    cancel = CancelToken()
    with closing(app), interrupt_stops(cancel):
        for problem in app.problems:
            remark(str(problem))
        request = _request(app, options, text)
        changes_prompt = options.prompt_name is not None

        def start(db: Database) -> RecordedTurn:
            return _started(app, db, request, cancel=cancel, changes_prompt=changes_prompt)

        db, turn = begin_on_history(app, start, memory=options.no_save)
        with db:
            finish = _run_turn(db, turn, as_json=options.json)
            if finish.reason not in (FinishReason.STOP, FinishReason.LENGTH):
                step = _next_step(finish, models_on_offer(app, cancel) if _wants_model(finish) else ())
                is_new = options.conversation is None and not options.no_save
                stored = _taken_back(db, turn, finish) if is_new else ""
                raise UserFacingError(finish.error, f"{step} {stored}".strip())
    return 0


@contextmanager
def interrupt_stops(cancel: CancelToken) -> Iterator[None]:
    """Have Ctrl-C, a request to end, and a terminal that closes set the token while the block lasts.

    A thread sets it: the handler runs in the middle of what the main thread does, which may hold the token's lock.
    """
    numbers = [getattr(signal, name) for name in _STOPS if hasattr(signal, name)]
    heard = {number: handler for number in numbers if (handler := signal.getsignal(number)) is not signal.SIG_IGN}
    for number in heard:
        signal.signal(number, lambda *_: threading.Thread(target=cancel.cancel).start())
    try:
        yield
    finally:
        for number, handler in heard.items():
            signal.signal(number, handler)


def _request(app: App, options: argparse.Namespace, text: str) -> TurnRequest:
    app.search.look_up_key()
    permission = app.search_permission()
    if options.search in (SearchMode.AUTO, SearchMode.ALWAYS) and not permission.ready:
        remark(permission.sentence)
    prompt = chosen_prompt(app.config, options.prompt_name)
    return TurnRequest(
        action="send",
        conversation_id=options.conversation,
        text=text,
        model=clean(options.model),
        search_mode=SearchMode(options.search) if options.search else None,
        prompt=prompt.text,
        prompt_name=prompt.name,
    )


def _started(
    app: App, db: Database, request: TurnRequest, *, cancel: CancelToken, changes_prompt: bool
) -> RecordedTurn:
    if request.conversation_id is not None:
        stored_conversation(db, request.conversation_id)
        if changes_prompt:
            prompt = SystemPrompt(request.prompt_name, request.prompt)
            model = app.config.prompt_named(prompt.name).model
            change_prompt(db, request.conversation_id, prompt, model=model)
    if not app.model_of(db, request):
        request = dataclasses.replace(request, model=last_used_model(app, cancel))
    return app.start_turn(db, request, cancel)


def _run_turn(db: Database, turn: RecordedTurn, *, as_json: bool) -> Finish:
    printer = _Printer()
    finish = Finish(FinishReason.ERROR)
    with _saved_at_the_end(db), closing(turn.events()) as events:
        for event in events:
            if as_json:
                write_json(event_to_json(event) + "\n")
            else:
                printer.show(event)
            if isinstance(event.data, Finish):
                finish = event.data
    if finish.reason is FinishReason.STOPPED:
        raise Cancelled
    return finish


def _taken_back(db: Database, turn: RecordedTurn, finish: Finish) -> str:
    """Store nothing of a new chat whose question the server did not take, and say so."""
    answer = turn.stored_answer()
    nothing_came = finish.reason is FinishReason.ERROR and answer.status is Status.FAILED and not answer.searches
    with suppress(StorageError):  # then it stays, as a chat that says what went wrong
        if nothing_came and take_back_chat(db, turn.conversation.id):
            return tr("The question was not stored.")
    return ""


def _wants_model(finish: Finish) -> bool:
    return finish.cause == ServerCause.MODEL_NOT_FOUND


def _next_step(finish: Finish, models: Sequence[str] = ()) -> str:
    """What to do on a command line, where the turn's own words are about a window. models: what the server has."""
    if models:
        return tr("Name one with --model: {names}.").format(names=", ".join(models))
    words: dict[str, str] = {
        FinishReason.EMPTY: tr("Ask again, or in other words."),
        FinishReason.LENGTH: tr(
            "Ask for the rest with --conversation ID, or set a higher max_tokens in config.toml."
        ),
        FinishReason.THINKING: tr("Set a higher max_tokens in config.toml, or name a model that thinks less."),
        FinishReason.CUT_OFF: tr("Ask again; if the server has stopped, start it anew."),
        ServerCause.MODEL_NOT_FOUND: tr("Name another one with --model."),
        ServerCause.TOOLS_REFUSED: tr("Use --search off, or name a model that can call tools with --model."),
        ServerCause.CONTEXT_FULL: tr(
            "Ask without --conversation, ask less, or give the server a larger context (llama-server -c N)."
        ),
        ServerCause.CONTEXT_FULL_OF_RESULTS: tr(
            "Ask without --conversation, or shorten older search results: search_keep_turns = 1 in config.toml."
        ),
    }
    return words.get(finish.cause or finish.reason, finish.next_step)


@contextmanager
def _saved_at_the_end(db: Database) -> Iterator[None]:
    """Try again for some seconds to write an answer whose last write failed; raises StorageError."""
    try:
        yield
    finally:
        until = time.monotonic() + SAVE_AGAIN_S
        while len(db.unsaved):
            try:
                db.unsaved.save(db)
            except StorageError as error:
                if time.monotonic() > until:
                    sentence = tr("The end of the answer is not saved. {reason}").format(reason=error.sentence)
                    raise StorageError(sentence, error.next_step) from error
                time.sleep(SAVE_PAUSE_S)


class _Printer:
    """Prints a turn for people: the answer on stdout, what happens beside it on stderr."""

    def __init__(self) -> None:
        self._records: list[SearchRecord] = []
        self._last_phase = ""
        self._ends_with_newline = True

    def show(self, event: Event) -> None:
        """Print one event."""
        data = event.data
        if isinstance(data, str):
            self._text(event.kind, data)
        elif isinstance(data, Phase):
            self._phase(data)
        elif isinstance(data, PromptProgress):
            return
        elif isinstance(data, Finish):
            self._end(data)

    def _text(self, kind: Kind, text: str) -> None:
        if kind is Kind.CONTENT:
            write(text)
            self._ends_with_newline = text.endswith("\n")
        elif kind is Kind.SEARCH_DONE:
            record = record_from_json(text)
            self._records.append(record)
            remark(_search_line(record))
        elif kind is Kind.NOTICE:
            remark(text)

    def _phase(self, phase: Phase) -> None:
        words = {
            PhaseName.LOADING: tr("The server is loading the model."),
            PhaseName.RETRYING: tr("Trying again."),
            PhaseName.TAKING_UP: tr("The connection was lost; the answer is taken up again."),
            PhaseName.READING: tr("Reading pages."),
        }
        if phase.name != self._last_phase and phase.name in words:
            remark(words[phase.name])
        self._last_phase = phase.name

    def _end(self, finish: Finish) -> None:
        if not self._ends_with_newline:
            write("\n")
        if finish.reason is FinishReason.LENGTH:
            remark(f"{finish.error} {_next_step(finish)}")
        sources = numbered_results(self._records)
        if sources:
            write("\n" + tr("Sources ({provider}):").format(provider=self._records[0].provider) + "\n")
        for number, result in sources.items():
            write(f"[{number}] {' '.join(f'{result.title} {result.url}'.split())}\n")


def _search_line(record: SearchRecord) -> str:
    query = record.query
    if record.asked:
        query = tr("{query}, sent as “{asked}”").format(query=query, asked=record.asked)
    if record.failed:
        return tr("search failed: {query} — {error}").format(query=query, error=record.error)
    count = trn("{count} result", "{count} results", len(record.results))
    return tr("searched: {query} ({count})").format(query=query, count=count)
