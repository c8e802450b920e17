"""Turns in every state they can be in: waiting, thinking, searching, failed, stopped, too long; and being read."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import replace
from pathlib import Path

from PySide6.QtCore import QUrl

from llamachat.core.completion import PromptProgress
from llamachat.core.events import Event, FinishReason, Kind, Phase, PhaseName
from llamachat.core.messages import Role, Status, StoredMessage, Usage
from llamachat.core.search_record import SearchRecord, SearchResult, record_to_json
from llamachat.render.links import Anchor, AnchorKind
from llamachat.ui.transcript.message_acts import SOMETIMES
from llamachat.ui.transcript.view import TranscriptView

TEXTS = Path(__file__).parent / "texts"
MIXED = (TEXTS / "mixed.md").read_text(encoding="utf-8")
THOUGHT = """The user asks how tides are made. I should explain the two bulges, then spring and neap tides.

A table with a few places helps; I searched for the mean ranges. Code for the height between low and high water can \
be short: half a cosine wave is close enough, as the rule of twelfths is."""
FOUND = SearchRecord(
    "mean tidal range by place",
    (
        SearchResult(
            "Tides and Water Levels: Types and Causes",
            "https://oceanservice.example/education/tides/tides07_cycles.html",
            "The text of the whole page. " * 200,
            read_via="direct",
            read_chars=5600,
            read_note="The page has 23,111.",
            snippet="Most coasts have two high waters a day, 12 hours and 25 minutes apart, because the moon moves "
            "on while the earth turns once.",
        ),
        SearchResult(
            "Harbour tables for Hamburg & <Cuxhaven>",
            "https://tables.example/",
            "Mean range 3.8 m.",
            read_error="the server turns programs away (403); Jina Reader: it takes no more requests for 31 s",
        ),
        SearchResult("A page without a text", "https://empty.example/" + "long/" * 30, ""),
    ),
    asked="mean tidal range table",
    provider="SearXNG",
    seconds=1.24,
    engines=(("duckduckgo", "CAPTCHA"), ("brave", "")),
)
AGAIN = SearchRecord(
    "rule of twelfths", (SearchResult("Rule of twelfths", "https://twelfths.example/", "1, 2, 3, 3, 2, 1"),),
    provider="SearXNG", seconds=0.4, first_number=4, cached_age_s=720.0,
)  # fmt: skip
NOTHING = SearchRecord("tides on the moon", provider="SearXNG", seconds=2.1, engines=(("google", "timeout"),))
FAILED = SearchRecord("tide table", error="The search at http://127.0.0.1:8888 refused: JSON is switched off.")
USAGE = Usage(prompt_n=412, cache_n=3680, predicted_n=512, predicted_ms=12_160.0)


def question(text: str = "How are tides made? Add a table and *some* code.") -> StoredMessage:
    """What a person asks."""
    return StoredMessage(1, "u1", 1, None, Role.USER, text)


def answer(
    text: str = "",
    *,
    status: Status = Status.COMPLETE,
    finish_reason: str = FinishReason.STOP,
    error: str = "",
    reasoning: str = "",
    searches: tuple[SearchRecord, ...] = (),
) -> StoredMessage:
    """What a model answers."""
    return StoredMessage(
        2,
        "a2",
        1,
        1,
        Role.ASSISTANT,
        text,
        model="models/Qwen3-8B-Q4_K_M.gguf",
        status=status,
        finish_reason=finish_reason,
        error=error,
        reasoning=reasoning,
        searches=searches,
        usage=USAGE if status is Status.COMPLETE else Usage(),
    )


def stored(*messages: StoredMessage) -> Callable[[TranscriptView], None]:
    """Show messages as they are stored."""
    return lambda view: view.set_messages(messages)


def running(*steps: Event | Anchor) -> Callable[[TranscriptView], None]:
    """Show a turn in its middle, after these events and clicks."""

    def show(view: TranscriptView) -> None:
        view.set_messages(())
        view.begin_answer(question(), answer(status=Status.STREAMING))
        for step in steps:
            if isinstance(step, Anchor):
                view.anchorClicked.emit(QUrl(str(step)))
            else:
                view.apply([step])

    return show


def unfolded(message: StoredMessage, *anchors: Anchor) -> Callable[[TranscriptView], None]:
    """Show a turn with lines unfolded."""

    def show(view: TranscriptView) -> None:
        view.set_messages((question(), message))
        for anchor in anchors:
            view.anchorClicked.emit(QUrl(str(anchor)))

    return show


_THINKING = Anchor(AnchorKind.REASONING, 2)
_SEARCHES = tuple(Anchor(AnchorKind.SEARCH, 2, number) for number in range(3))
_WHOLE = answer(MIXED, reasoning=THOUGHT, searches=(FOUND, AGAIN))
_PASTED = """Please look at this file, it has <b>tags</b>, *stars* and a bare address https://typed.example/:

```python
print("typed code")
```

    and it is indented

שלום עולם"""
_AWAY = "llama-server at http://127.0.0.1:8080 does not answer.\nStart it, or set base_url to where it runs."
_CONTEXT = (
    "The request exceeds the context of the model: 9,840 tokens of 8,192.\nBegin a new chat, or shorten this one."
)


def selected(view: TranscriptView) -> None:
    """Show a turn with all of it selected."""
    view.set_messages((question(), _WHOLE))
    view.selectAll()


def searched(view: TranscriptView) -> None:
    """Show the find bar and its matches."""
    view.set_messages((question(), _WHOLE))
    view.find_bar.open()
    view.find_bar.field.setText("water")
    view.find_bar.search()


def stepped(steps: int) -> Callable[[TranscriptView], None]:
    """Show the keyboard on a message, so many above the end, and what can be done with it."""

    def show(view: TranscriptView) -> None:
        view.set_messages((question(), replace(answer(MIXED), edited=True)))
        view.set_versions({2: (2, 5, 9)})
        view.set_offered(SOMETIMES)
        view.setFocus()
        for _ in range(steps):
            view.step_message(-1)

    return show


STATES: Mapping[str, Callable[[TranscriptView], None]] = {
    "user-message": stored(question()),
    "user-message-pasted": stored(question(_PASTED), answer("I see.")),
    "empty-chat": lambda view: view.show_empty("Ask something.\n\nCtrl+N begins another chat."),
    "thinking-folded": stored(question(), answer("The moon does it.", reasoning=THOUGHT)),
    "thinking-open": unfolded(answer("The moon does it.", reasoning=THOUGHT), _THINKING),
    "search-folded": stored(question(), answer("The moon [1] and the sun [4] do it [9].", searches=(FOUND, AGAIN))),
    "search-open": unfolded(answer("The moon does it [1].", searches=(FOUND, AGAIN)), *_SEARCHES[:2]),
    "search-failed": unfolded(answer("I could not search.", searches=(FAILED, NOTHING)), *_SEARCHES[:2]),
    "whole-turn-folded": stored(question("How are tides made? Add a table, some code and a formula."), _WHOLE),
    "whole-turn": unfolded(_WHOLE, _THINKING, _SEARCHES[0]),
    "error-no-answer": stored(question(), answer(status=Status.FAILED, error=_AWAY)),
    "error-context": stored(question(), answer(status=Status.FAILED, error=_CONTEXT)),
    "error-interrupted": stored(
        question(), answer("The moon pulls on the", status=Status.INTERRUPTED, finish_reason=FinishReason.CUT_OFF)
    ),
    "stopped": stored(
        question(), answer("The moon pulls", status=Status.STOPPED, finish_reason=FinishReason.STOPPED)
    ),
    "stopped-while-thinking": stored(
        question(), answer(status=Status.STOPPED, finish_reason=FinishReason.STOPPED, reasoning=THOUGHT)
    ),
    "token-limit": stored(question(), answer("The moon pulls on", finish_reason=FinishReason.LENGTH)),
    "show-all": stored(question("A long file:\n" + "x" * 10_100), answer("And a long answer:\n\n" + "y" * 10_100)),
    "streaming-waiting": running(),
    "streaming-reading-prompt": running(Event(Kind.PROGRESS, PromptProgress(total=1000, cache=0, processed=420))),
    "streaming-loading": running(Event(Kind.PHASE, Phase(PhaseName.LOADING, 12.0))),
    "streaming-taking-up": running(
        Event(Kind.CONTENT, "The moon pulls on the"), Event(Kind.PHASE, Phase(PhaseName.TAKING_UP, 3.0))
    ),
    "streaming-thinking-folded": running(Event(Kind.REASONING, THOUGHT[:150])),
    "streaming-thinking-open": running(
        Event(Kind.REASONING, THOUGHT[:100]), _THINKING, Event(Kind.REASONING, THOUGHT[100:250])
    ),
    "streaming-searching": running(Event(Kind.REASONING, THOUGHT), Event(Kind.SEARCH_START, FOUND.query)),
    "streaming-after-search": running(
        Event(Kind.SEARCH_DONE, record_to_json(FOUND)),
        _SEARCHES[0],
        Event(Kind.NOTICE, "The model asked for a tool that there is not."),
        Event(Kind.CONTENT, "As the first source says [1], the"),
    ),
    "reading-selected": selected,
    "reading-find": searched,
    "reading-on-question": stepped(2),
    "reading-on-answer": stepped(1),
}
