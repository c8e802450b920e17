"""The loop of a turn: asks the model, runs the tools it calls, asks again. A generator of events; nothing else."""

from __future__ import annotations

import itertools
from collections.abc import Callable, Generator, Iterator
from dataclasses import dataclass, field, replace
from enum import Enum, auto
from typing import TypeAlias

from llamachat.chat.answer import Answer, AnswerReader
from llamachat.chat.going_on import CANNOT_GO_ON, CONTINUED, WITH_TEXT, GoOn, partial_answer
from llamachat.chat.held_answer import HeldAnswer, hung_up
from llamachat.chat.history import text_of
from llamachat.chat.router import Router
from llamachat.chat.said import Said
from llamachat.chat.taking_up import TakenUp, rounds_before
from llamachat.chat.tools import Toolbox, is_readable, wire_call
from llamachat.core.cancel import CancelToken
from llamachat.core.completion import CompletionRequest, Delta, Sampling
from llamachat.core.conversation import SearchMode
from llamachat.core.errors import Cancelled, ServerCause, ServerError
from llamachat.core.events import Event, Finish, FinishReason, Kind, Phase, PhaseName
from llamachat.core.messages import ToolCall, WireMessage
from llamachat.core.seams import Completer
from llamachat.core.text import tr

MAX_CALLS = 8  # in one turn, whatever the number of rounds

Events: TypeAlias = Generator[Event, None, None]


@dataclass(frozen=True, slots=True)
class Turn:
    """What a turn starts from: `messages` end with the user's message (or with tool results, in Continue).

    keeps_cached_prompt: the server is a llama-server, which re-reads the whole chat once `tools` are left out.
    continue_text, continue_reasoning: a partial answer that the model is to go on with; it is not yielded again.
    skip_thinking: it is to answer now, from what it has thought so far. thinks_on: whether the server can have it
    go on within a thought that broke off; asked where one did, may ask the server and raise Cancelled.
    taken_up: an answer that broke off and that the server has kept: nothing is asked for before its end.
    """

    messages: tuple[WireMessage, ...]
    model: str = ""
    sampling: Sampling = field(default_factory=Sampling)
    search_mode: SearchMode = SearchMode.AUTO
    max_searches: int = 2
    keeps_cached_prompt: bool = True
    continue_text: str = ""
    continue_reasoning: str = ""
    skip_thinking: bool = False
    thinks_on: Callable[[CancelToken], bool] = lambda _: False
    taken_up: TakenUp | None = None


def stream_chat(
    turn: Turn, *, completer: Completer, toolbox: Toolbox, cancel: CancelToken, router: Router | None = None
) -> Events:
    """Yield the events of one turn; the last one is always `finish`. Closing the generator hangs up.

    router: decides about a search before the model is asked. Where it may, the model begins at the same time, and its
    answer is held unread until the router has decided.

    The tools stand in every request, so that the server keeps its cached prompt. How freely the model may call goes
    down in steps (`_Offer`) and never up. A step down follows the last round that is allowed, an answer without text,
    and a call that cannot be used:

    - arguments that are no JSON, such as those cut off by the token limit: the call is left out (other calls of the
      answer run), and the turn goes on as at the cap;
    - a call as text that was cut off or is malformed: likewise, and its text is shown only if nothing better comes.

    Arguments that are JSON of the wrong shape are no reason: the model is told what is wrong as the result of the
    call, and may try again within the rounds.
    """
    loop = _Loop(turn, completer, toolbox, cancel)
    try:
        yield from loop.take_up_thought()
        if router:
            yield from loop.route(router)
        finish = yield from loop.run()
    except Cancelled:
        finish = Finish(FinishReason.STOPPED)
    except ServerError as error:
        cut_off = error.cause is ServerCause.CUT_OFF
        reason = FinishReason.CUT_OFF if cut_off else FinishReason.ERROR
        finish = Finish(reason, error.sentence, error.next_step, error.cause)
    finally:
        loop.let_go()
    yield Event(Kind.FINISH, finish)


class _Offer(Enum):
    """What a request offers the model."""

    TOOLS = auto()  # it may call
    HELD = auto()  # the same tools with tool_choice "none"
    BARE = auto()  # no tools


class _Loop:
    """The state of one turn. `_offers` are the steps that are left; the first is the one in force."""

    def __init__(self, turn: Turn, completer: Completer, toolbox: Toolbox, cancel: CancelToken) -> None:
        self._turn, self._completer, self._toolbox, self._cancel = turn, completer, toolbox, cancel
        self._messages = list(turn.messages)
        self._offers = _offers(turn, toolbox)
        self._taken_up = turn.taken_up
        self._rounds, self._calls = rounds_before(turn.messages) if turn.taken_up else (0, 0)
        self._continue: GoOn | None = None
        self._held: HeldAnswer | None = None
        self._said = Said(
            content=turn.continue_text, reasoning=turn.continue_reasoning, shown=_shown_before(turn.messages)
        )
        if turn.continue_text:
            self._go_on_by(GoOn.PREFILL if turn.keeps_cached_prompt else GoOn.ASK)
        elif turn.skip_thinking:
            closes = turn.keeps_cached_prompt and turn.continue_reasoning
            self._go_on_by(GoOn.ANSWER if closes else GoOn.UNTHOUGHT)

    def take_up_thought(self) -> Events:
        """Go on within a thought that broke off, where the server can."""
        if self._continue or not self._turn.continue_reasoning:
            return
        if self._taken_up or self._turn.thinks_on(self._cancel):
            self._go_on_by(GoOn.THINK)
        else:
            yield from self._think_anew()

    def _think_anew(self) -> Events:
        self._continue = None
        self._said.expect_thought(goes_on=False)
        yield Event(Kind.NOTICE, tr("This server cannot go on within the thinking, so the model thinks once more."))

    def route(self, router: Router) -> Events:
        """Let the router search, and put what it found to the latest message."""
        if self._continue or self._taken_up:
            return
        if router.speculates:
            self._held = HeldAnswer(self._completer, replace(self._request(), keep=False), self._cancel)
        latest = yield from router.results(self._messages, self._cancel)
        if latest:
            self.let_go()
            self._messages[-1] = latest
            yield Event(Kind.MESSAGE, latest)

    def let_go(self) -> None:
        """Hang up on an answer that is held and will not be read."""
        if self._held:
            self._held.drop()
        self._held = None

    def run(self) -> Generator[Event, None, Finish]:
        """Ask until there is an answer."""
        while True:
            self._cancel.raise_if_cancelled()
            answer = yield from self._ask()
            self._cancel.raise_if_cancelled()
            calls = self._calls_to_run(answer)
            left_out = bool(answer.unreadable) or len(calls) < len(answer.calls)
            if calls:
                yield from self._run(calls, as_text=answer.as_text)
                if not left_out and not self._at_cap():
                    continue
            elif not left_out and (answer.has_text or answer.finish_reason == "length"):
                return (yield from self._end(answer))
            elif not left_out and self._continue in WITH_TEXT:
                yield Event(Kind.NOTICE, tr("The model has nothing to add."))
                return (yield from self._end(answer))
            elif len(self._offers) == 1:
                return (yield from self._give_up(answer))
            del self._offers[0]

    def _ask(self) -> Generator[Event, None, Answer]:
        """Send the request; once more where the server refuses something that can be left out."""
        while True:
            self._said.begin_request()
            reader = AnswerReader(self._said, self._toolbox.names)
            if self._taken_up:
                reader.take_up(self._taken_up.content, self._taken_up.reasoning)
            yield Event(Kind.PHASE, Phase(PhaseName.WAITING))
            try:
                with hung_up(self._deltas()) as deltas:
                    return (yield from reader.events(deltas))
            except ServerError as error:
                yield from self._do_without(error)

    def _deltas(self) -> Iterator[Delta]:
        held, self._held = self._held, None
        if held:
            return held.deltas()
        taken_up, self._taken_up = self._taken_up, None
        request = replace(self._request(), takes_up=taken_up.position if taken_up else None)
        return self._completer.stream(request, self._cancel)

    def _do_without(self, error: ServerError) -> Events:
        """Leave out what the server refused; raises the error again where there is nothing of the kind."""
        if error.cause is ServerCause.TOOLS_REFUSED and self._offers[0] is not _Offer.BARE:
            self._offers = [_Offer.BARE]
            yield Event(Kind.NOTICE, tr("The server takes no tools with this model, so it cannot search the web."))
        elif error.cause is ServerCause.PREFILL_REFUSED and self._continue is GoOn.PREFILL:
            self._go_on_by(GoOn.ASK)
        elif error.cause in CANNOT_GO_ON and self._continue is GoOn.ANSWER:
            self._go_on_by(GoOn.UNTHOUGHT)
        elif error.cause in CANNOT_GO_ON and self._continue is GoOn.THINK:
            yield from self._think_anew()
        else:
            raise error

    def _go_on_by(self, way: GoOn) -> None:
        self._continue = way
        if way is GoOn.ASK:
            self._said.expect_whole_words()
        elif way is GoOn.THINK:
            self._said.expect_thought(goes_on=True)

    def _request(self) -> CompletionRequest:
        offer = self._offers[0]
        messages = list(self._messages)
        if self._continue:
            messages += partial_answer(self._continue, self._said.content, self._said.reasoning)
        return CompletionRequest(
            messages=tuple(messages),
            tools=() if offer is _Offer.BARE else self._toolbox.schemas,
            tool_choice="none" if offer is _Offer.HELD else None,
            model=self._turn.model,
            sampling=self._turn.sampling,
            thinking=False if self._continue is GoOn.UNTHOUGHT else None,
            continues=CONTINUED.get(self._continue, "") if self._continue else "",
            keep=True,
        )

    def _calls_to_run(self, answer: Answer) -> list[ToolCall]:
        if self._offers[0] is not _Offer.TOOLS:
            return []
        return [call for call in answer.calls if is_readable(call)][: MAX_CALLS - self._calls]

    def _run(self, calls: list[ToolCall], *, as_text: bool) -> Events:
        """Run the calls of one answer and put all of it into the messages."""
        yield from self._keep({**self._said.take_message(), "tool_calls": [wire_call(call) for call in calls]})
        self._continue = None
        self._cancel.raise_if_cancelled()
        for result in (yield from self._toolbox.run(calls, self._cancel, as_text=as_text)):
            yield from self._keep(result)
        self._rounds += 1
        self._calls += len(calls)

    def _keep(self, message: WireMessage) -> Events:
        self._messages.append(message)
        yield Event(Kind.MESSAGE, message)

    def _at_cap(self) -> bool:
        return self._rounds >= self._turn.max_searches or self._calls >= MAX_CALLS or self._toolbox.exhausted

    def _end(self, answer: Answer) -> Generator[Event, None, Finish]:
        only_thought = bool(self._said.reasoning.strip()) and not self._said.content.strip()
        if self._said.content.strip():
            yield from self._keep(self._said.take_message())
        if answer.finish_reason != "length":
            return Finish(FinishReason.STOP)
        if only_thought:
            sentence = tr("The model thought until the token limit was reached, and gave no answer.")
            step = tr("Continue without thinking has it answer from what it has thought so far.")
            return Finish(FinishReason.THINKING, sentence, step)
        sentence = tr("The answer ends here because the token limit was reached.")
        return Finish(FinishReason.LENGTH, sentence, tr("Continue has the model go on."))

    def _give_up(self, answer: Answer) -> Generator[Event, None, Finish]:
        """The last step brought no answer, or one that ends with a call."""
        for kind, text in answer.unreadable:
            yield from self._said.add(Kind(kind), text)
        if answer.has_text and not answer.unreadable:
            return (yield from self._end(answer))
        sentence = tr("The model gave no answer.")
        if answer.unreadable:
            sentence = tr("The model tried to search in a form that cannot be read, and gave no answer.")
        step = tr("Retry asks it once more.")
        if self._rounds or self._turn.messages[-1].get("role") == "tool":
            step = tr("Continue asks it once more with what was found, Retry starts anew.")
        return Finish(FinishReason.EMPTY, sentence, step)


def _offers(turn: Turn, toolbox: Toolbox) -> list[_Offer]:
    """The steps of the turn. Only a llama-server is asked with held tools: it would re-read the chat without them."""
    if not toolbox.names:
        return [_Offer.BARE]
    capped = [_Offer.HELD, _Offer.BARE] if turn.keeps_cached_prompt else [_Offer.BARE]
    may_call = turn.search_mode is not SearchMode.OFF and turn.max_searches > 0
    return [_Offer.TOOLS, *capped] if may_call else capped


def _shown_before(messages: tuple[WireMessage, ...]) -> frozenset[Kind]:
    """Which texts the tool rounds of a turn that is continued have shown already."""
    rounds = itertools.takewhile(lambda message: message.get("role") != "user", reversed(messages))
    said = [message for message in rounds if message.get("role") == "assistant"]
    fields = {Kind.CONTENT: "content", Kind.REASONING: "reasoning_content"}
    return frozenset(kind for kind, name in fields.items() if any(text_of(message, name) for message in said))
