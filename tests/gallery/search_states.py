"""What a search looks like in the window: asked about, under way, failed in three ways, and with pages read."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterator
from contextlib import AbstractContextManager
from dataclasses import replace

from PySide6.QtCore import QUrl

from llamachat.core.messages import Role
from llamachat.core.search_record import SearchRecord, SearchResult
from llamachat.storage.conversations import create_conversation
from llamachat.storage.messages import add_message
from tests.end2end.stage import NOWHERE, Stage
from tests.fakes.replay import Behaviour, answer, replay, stall
from tests.fakes.scripted_llama import ScriptedLlama, says, searches, thinks

OpenWindow = Callable[[str, str], AbstractContextManager[Stage]]  # the model server, more settings

QUESTION = "When is high tide in Tidewater?"
FOUND = SearchRecord(
    "high tide Tidewater",
    results=(
        SearchResult(
            "Tide table",
            "https://tides.example/tidewater",
            "High water is at 06:12 and 18:40.",
            read_via="direct",
            read_chars=4831,
            snippet="High water today at 06:12.",
        ),
        SearchResult("The harbour", "https://harbour.example/", "Open all day.", read_error="it answers 403"),
        SearchResult("Lighthouse", "https://lighthouse.example/", "A tower of 213 steps."),
    ),
    provider="SearXNG",
    seconds=1.9,
)
REFUSING = json.dumps({"results": [], "unresponsive_engines": [["brave", "CAPTCHA"], ["other", "timeout"]]}).encode()
FAILURES: dict[str, Behaviour | None] = {
    "away": None,
    "json-off": answer(403, {"Content-Type": "text/html"}, b"<!doctype html><title>403 Forbidden</title>"),
    "engines-refuse": answer(200, {"Content-Type": "application/json"}, REFUSING),
}


def search_states(open_window: OpenWindow) -> Iterator[tuple[str, Stage]]:
    """The window in each state, by name."""
    yield from _asked(open_window)
    yield from _under_way(open_window)
    for name, behaviour in FAILURES.items():
        yield from _failed(open_window, name, behaviour)
    yield from _read(open_window)


def _model() -> ScriptedLlama:
    return ScriptedLlama([*thinks("I should look."), *searches("high tide Tidewater")], says("At 06:12 and 18:40."))


def _asked(open_window: OpenWindow) -> Iterator[tuple[str, Stage]]:
    with _model() as llama, open_window(llama.base_url, 'search_confirm = "always"\n') as shown:
        shown.ask(QUESTION, wait=False)
        shown.until(shown.window.page.consent.isVisible)
        yield "search-consent", shown
        shown.window.page.consent.refuse.click()
        shown.until(shown.idle)


def _under_way(open_window: OpenWindow) -> Iterator[tuple[str, Stage]]:
    with (
        _model() as llama,
        replay(stall()) as slow,
        open_window(llama.base_url, f'search_url = "{slow.url}"\n') as shown,
    ):
        shown.ask(QUESTION, wait=False)
        shown.until(slow.asked.is_set)
        shown.rest(1.0)
        yield "search-under-way", shown
        shown.window.chat.turns.stop()
        shown.until(shown.idle)


def _failed(open_window: OpenWindow, name: str, behaviour: Behaviour | None) -> Iterator[tuple[str, Stage]]:
    with _model() as llama, replay(behaviour or stall()) as server:
        url = server.url if behaviour else NOWHERE
        with open_window(llama.base_url, f'search_url = "{url}"\n') as shown:
            shown.ask(QUESTION)
            shown.rest(3.0)  # the status line says for a while that it failed
            yield f"search-failed-{name}", shown


def _read(open_window: OpenWindow) -> Iterator[tuple[str, Stage]]:
    with _model() as llama, open_window(llama.base_url, "") as shown:
        with shown.app.database() as db:
            chat = create_conversation(db, title=QUESTION)
            asked = add_message(db, conversation_id=chat.id, parent_id=None, role=Role.USER, content=QUESTION)
            added = add_message(
                db,
                conversation_id=chat.id,
                parent_id=asked.id,
                role=Role.ASSISTANT,
                content="High water is at 06:12 and 18:40 [1].",
                model="Qwen3-8B-Q4_K_M",
                searches=(FOUND, replace(FOUND, first_number=4, cached_age_s=720.0)),
            )
        shown.window.chat.open(chat.id)
        shown.until(lambda: "18:40" in shown.window.page.view.toPlainText())
        for number in (0, 1):
            shown.window.page.view.anchorClicked.emit(QUrl(f"x-llamachat-search:{added.id}/{number}"))
        yield "search-pages", shown
