"""What a turn is made of, and its events: stored rows and the program's parts become one run of `stream_chat`."""

from __future__ import annotations

from collections.abc import Callable, Generator, Sequence
from contextlib import closing
from dataclasses import dataclass, field, replace
from functools import partial
from typing import TypeAlias

from llamachat.chat.aside import Aside
from llamachat.chat.history import history_messages
from llamachat.chat.query_writer import QueryWriter
from llamachat.chat.router import Router
from llamachat.chat.stream_chat import Turn, stream_chat
from llamachat.chat.taking_up import TakenUp, take_up, without_repeats
from llamachat.chat.tools import Toolbox
from llamachat.chat.web_search_tool import WebSearchTool
from llamachat.core.cancel import CancelToken
from llamachat.core.completion import Sampling
from llamachat.core.conversation import SearchMode
from llamachat.core.errors import Cancelled, ServerCause
from llamachat.core.events import Event, Finish, FinishReason, Kind, Phase, PhaseName
from llamachat.core.messages import StreamMark, Usage
from llamachat.core.seams import Clock, Completer, SearchService
from llamachat.core.text import tr
from llamachat.llm.places import Place
from llamachat.turn_rows import TurnRows

Events: TypeAlias = Generator[Event, None, None]

LONG_PROMPT = 1000  # tokens; a shorter one is soon read again
MOST_LEAKS = 2  # calls as text in a chat; from then on the router decides in it


@dataclass(frozen=True, slots=True)
class RouterParts:
    """What the router needs beside the search. aside: for its questions, while the completer may be busy.

    takes_all: it decides in every chat on Auto, since the model cannot call tools, or shall not. optimizes,
    speculates: see `QueryWriter` and `Router`. paused: why nothing can be searched now. may_tell: whether it may be
    told that its questions cost the chat its cached prompt; asked once for each time.
    """

    aside: Aside
    takes_all: bool = False
    optimizes: bool = True
    speculates: bool = False
    paused: str = ""
    may_tell: Callable[[], bool] = lambda: True


@dataclass(frozen=True, slots=True)
class TurnParts:
    """What the program gives a turn, out of its settings.

    search: None when searching is not permitted or not configured; then no tool is offered. router: None where the
    model alone decides.
    asked_model: the model that is asked where the conversation names none.
    model: what the server calls the model that answers, for the row of an answer whose model was not chosen;
    told_model: what the answers called it until now, where the server itself did not say.
    keeps_cached_prompt: the server is a llama-server. keeps_reasoning: its `supports_preserve_reasoning`.
    thinks_on: see `Turn`. still_has: whether the server has the rest of an answer that broke off; asked where one
    did, may ask the server and raise Cancelled. let_go: has the server stop answers that nobody waits for; does not
    wait for it.
    search_keep_turns: see `history_messages`. context_tokens: how many the context of a slot holds, if that is known.
    place: where the turn waits while other turns take up all that the server writes at a time.
    on_end: called when the turn has run, to let go of the completer's connections and of the place.
    """

    completer: Completer
    search: SearchService | None = None
    router: RouterParts | None = None
    sampling: Sampling = field(default_factory=Sampling)
    max_searches: int = 2
    keeps_cached_prompt: bool = True
    keeps_reasoning: bool = False
    thinks_on: Callable[[CancelToken], bool] = lambda _: False
    still_has: Callable[[StreamMark, CancelToken], bool] = lambda _mark, _cancel: False
    let_go: Callable[[Sequence[StreamMark]], None] = lambda _: None
    search_keep_turns: int = 0
    context_tokens: int | None = None
    asked_model: str = ""
    model: str = ""
    told_model: Callable[[], str] = lambda: ""
    place: Place | None = None
    on_end: Callable[[], None] = lambda: None


def turn_events(rows: TurnRows, parts: TurnParts, cancel: CancelToken, *, clock: Clock) -> Events:
    """Wait for a place and run the loop over stored rows: the events of one turn, `finish` last."""
    parts.let_go(rows.left)
    try:
        yield from _wait_for_place(parts.place, cancel)
        taken_up = _take_up(rows, parts, cancel)
    except Cancelled:
        yield Event(Kind.FINISH, Finish(FinishReason.STOPPED))
        return
    history = history_messages(
        rows.earlier,
        rows.conversation.prompt,
        keep_reasoning=parts.keeps_reasoning,
        search_keep_turns=parts.search_keep_turns,
        results_kept_from=rows.results_kept_from,
    )
    begun = taken_up.begun if taken_up else rows.begun
    turn = Turn(
        messages=history + begun.rounds,
        model=rows.answer.model or parts.asked_model,
        sampling=parts.sampling,
        search_mode=rows.conversation.search_mode,
        max_searches=parts.max_searches,
        keeps_cached_prompt=parts.keeps_cached_prompt,
        continue_text=begun.content,
        continue_reasoning=begun.reasoning,
        skip_thinking=rows.skip_thinking,
        thinks_on=parts.thinks_on,
        taken_up=taken_up,
    )
    tool = _search_tool(rows, parts, clock)
    router_decides = parts.router is not None and (parts.router.takes_all or _leaks(rows) >= MOST_LEAKS)
    router = _router(parts.router, tool, clock, mode=rows.conversation.search_mode, decides=router_decides)
    events = stream_chat(
        turn,
        completer=parts.completer,
        toolbox=Toolbox() if tool is None or router_decides else Toolbox(tool),
        router=router,
        cancel=cancel,
    )
    events = without_repeats(events, taken_up) if taken_up else events
    events = _watched(events, rows, parts.router) if router and parts.router else events
    yield from _offering(events, rows, parts)


def _take_up(rows: TurnRows, parts: TurnParts, cancel: CancelToken) -> TakenUp | None:
    """The rest of an answer that is continued, where the server still has it."""
    answer, mark = rows.answer, rows.answer.stream
    if mark is None:
        return None
    if rows.skip_thinking or answer.edited:
        parts.let_go((mark,))
        return None
    return take_up(answer, mark) if parts.still_has(mark, cancel) else None


def _wait_for_place(place: Place | None, cancel: CancelToken) -> Events:
    """Held through the whole turn, its searches too: the slot that has read this chat is not given to another one."""
    if place and not place.enter():
        yield Event(Kind.PHASE, Phase(PhaseName.BEHIND))
        place.wait(cancel)


def _offering(events: Events, rows: TurnRows, parts: TurnParts) -> Events:
    """The same, and where the context is full whether results of older turns take room in it."""
    before = now = Usage()
    with closing(events):
        for event in events:
            data = event.data
            if isinstance(data, Usage):
                before, now = now, data
            elif isinstance(data, Finish):
                data = _context_told(data, before=before, now=now, n_ctx=parts.context_tokens)
                if data.cause == ServerCause.CONTEXT_FULL and _holds_old_results(rows, parts):
                    data = replace(data, cause=ServerCause.CONTEXT_FULL_OF_RESULTS)
            yield Event(event.kind, data)


def _context_told(finish: Finish, *, before: Usage, now: Usage, n_ctx: int | None) -> Finish:
    """The end as it is; a limit that was the end of the context is told as that, for going on meets it again.

    now: the cost of the turn. before: that without its last request.
    """
    if finish.reason not in (FinishReason.LENGTH, FinishReason.THINKING) or not n_ctx:
        return finish
    said = (now.completion_tokens or 0) - (before.completion_tokens or 0)
    if (now.prompt_tokens or 0) + said < n_ctx - 1:  # some builds stop one short of the end
        return finish
    sentence = tr("The answer ends here because the context is full: it holds {context:,} tokens.")
    step = tr("Start a new chat, or give the server a larger context (llama-server -c N).")
    return Finish(FinishReason.ERROR, sentence.format(context=n_ctx), step, ServerCause.CONTEXT_FULL)


def _holds_old_results(rows: TurnRows, parts: TurnParts) -> bool:
    """Whether results in the prompt could be shortened: those of older turns, as far as they are not already."""
    made = partial(history_messages, rows.earlier, "", search_keep_turns=parts.search_keep_turns)
    question = rows.answer.parent_id or 0
    return made(results_kept_from=rows.results_kept_from) != made(results_kept_from=question)


def _watched(events: Events, rows: TurnRows, parts: RouterParts) -> Events:
    """The same, and once a word where the router's questions cost the chat its cached prompt."""
    before = next((row.usage for row in reversed(rows.earlier) if row.usage.prompt_tokens), Usage())
    asked = False
    with closing(events):
        for event in events:
            yield event
            asked = asked or (isinstance(event.data, Phase) and event.data.name in _ASKING)
            if asked and isinstance(event.data, Usage) and _lost(before, event.data) and parts.may_tell():
                yield Event(Kind.NOTICE, _lost_words())


_ASKING = (PhaseName.ROUTING, PhaseName.FRAMING)


def _lost(before: Usage, now: Usage) -> bool:
    known = before.prompt_tokens or 0
    return known >= LONG_PROMPT and now.cache_n is not None and now.cache_n < known // 2


def _lost_words() -> str:
    lost = tr("The question whether to search cost the model its memory of this chat, which it had to read again.")
    step = tr('Give llama-server two slots (--parallel 2), or set search_route = "tools" in config.toml.')
    return f"{lost} {step}"


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
