"""Chats on a real server with two slots: two answers at once, the third waits; titles leave a chat its slot."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import ExitStack, closing
from pathlib import Path

import pytest
from pytestqt.qtbot import QtBot

from llamachat.core.cancel import CancelToken
from llamachat.core.completion import Endpoint
from llamachat.core.messages import StoredMessage
from llamachat.engines.embedded_llama import EmbeddedLlama
from llamachat.engines.fetch_package import fetch_demo_model
from llamachat.llm.server import ServerProbe, SlotState
from llamachat.storage.conversations import list_conversations
from llamachat.storage.messages import load_branch
from llamachat.ui.status import Doing
from tests.end2end.queue_theatre import all_ended, send, waiting
from tests.end2end.stage import Stage, stage
from tests.fakes.searxng import cache_folder
from tests.integration.llama_server import ParrotServer

Open = Callable[[str], Stage]
LONG = 1900  # bytes: two seconds of the model
ENDLESS = 3000


@pytest.fixture
def open_window(qtbot: QtBot, tmp_path: Path, parrot_server: ParrotServer) -> Iterator[Open]:
    with ExitStack() as windows:
        yield lambda more: windows.enter_context(
            stage(tmp_path / "profile", f'base_url = "{parrot_server.base_url}"\n{more}')
        )


def slots(server: ParrotServer) -> tuple[SlotState, ...]:
    with closing(ServerProbe(server.endpoint)) as probe:
        return probe.slots()


def said(name: str, length: int) -> str:
    """A text of so many bytes."""
    return " ".join(f"{name} {number}" for number in range(length))[:length]


def begin(shown: Stage, text: str) -> int:
    """Ask in a new chat."""
    shown.window.chat.new_chat()
    shown.ask(text, wait=False)
    shown.until(lambda: shown.window.chat.conversation_id)
    number = shown.window.chat.conversation_id
    assert number is not None
    return number


def doing(shown: Stage, number: int) -> Doing | None:
    turn = shown.window.turns.of(number)
    return turn.status.doing if turn else None


def rows(shown: Stage, number: int) -> list[StoredMessage]:
    with shown.app.database() as db:
        return load_branch(db, number)


def contents(shown: Stage, number: int) -> list[str]:
    return [row.content for row in rows(shown, number)]


@pytest.mark.slow
def test_two_chats_are_answered_at_once_and_the_third_waits(open_window: Open, parrot_server: ParrotServer) -> None:
    shown = open_window("")
    texts = [said(name, LONG) for name in ("one", "two")]
    first, second = (begin(shown, text) for text in texts)
    shown.until(lambda: {doing(shown, first), doing(shown, second)} == {Doing.ANSWERING})
    third = begin(shown, "Three.")
    shown.until(lambda: doing(shown, third) is Doing.BEHIND)
    assert shown.window.status.text().startswith("Waiting for another answer to end")
    assert shown.window.turns.behind() == {third}
    assert [slot.busy for slot in slots(parrot_server)] == [True, True]

    shown.window.chat.open(first)  # going to another chat and back, with a message that waits there
    shown.until(lambda: shown.window.chat.conversation_id == first)
    send(shown, "And one more.")
    shown.window.chat.open(third)
    shown.until(lambda: all_ended(shown) and len(rows(shown, first)) == 4)
    shown.until(lambda: all_ended(shown))
    assert contents(shown, first) == [texts[0], texts[0], "And one more.", "And one more."]
    assert contents(shown, second) == [texts[1], texts[1]]
    assert contents(shown, third) == ["Three.", "Three."]
    assert waiting(shown) == []


@pytest.mark.slow
def test_a_turn_that_waits_is_stopped_at_once(open_window: Open) -> None:
    shown = open_window("")
    for name in ("one", "two"):
        begin(shown, said(name, ENDLESS))
    third = begin(shown, "Three.")
    shown.until(lambda: doing(shown, third) is Doing.BEHIND)
    shown.window.chat.turns.stop()
    shown.until(lambda: doing(shown, third) is None)
    assert len(shown.window.turns.conversations()) == 2
    assert contents(shown, third) == ["Three.", ""]
    for number in shown.window.turns.conversations():
        if turn := shown.window.turns.of(number):
            turn.stop()
    shown.until(lambda: all_ended(shown))


def second_turn_read(shown: Stage) -> tuple[int, int]:
    """How many tokens of the second turn came free, and how many were read."""
    with shown.app.database() as db:
        (chat,) = list_conversations(db)
    usage = rows(shown, chat.id)[-1].usage
    assert usage.cache_n is not None
    assert usage.prompt_n is not None
    return usage.cache_n, usage.prompt_n


@pytest.fixture(scope="module")
def small_model() -> Iterator[Endpoint]:
    """A llama-server with a small real model, whose prompts grow by appending."""
    cancel, engine = CancelToken(), EmbeddedLlama()
    model = fetch_demo_model(cache_folder(), progress=lambda done, total: None, cancel=cancel)
    yield Endpoint(engine.start(model, cancel=cancel, n_ctx=2048, slots=2))
    engine.stop()


@pytest.mark.slow
def test_a_title_is_asked_for_in_another_slot_and_costs_the_next_turn_nothing(
    qtbot: QtBot, tmp_path: Path, small_model: Endpoint
) -> None:
    config = f'base_url = "{small_model.base_url}"\nmax_tokens = 16\ntemperature = 0.0\ntitles = "model"\n'
    with stage(tmp_path / "model", config) as shown, closing(ServerProbe(small_model)) as probe:
        question = "The tide in Husum comes twice a day. How long is it between two of them? Say it in a few words."
        shown.ask(question)
        first = rows(shown, 1)[-1]
        used = max(probe.slots(), key=lambda slot: slot.task)
        shown.until(lambda: not question.startswith(shown.window.page.header.title.text().rstrip("…")))
        assert used in probe.slots()  # it has done nothing since
        shown.ask("Is that so?")
    cached, read = second_turn_read(shown)
    assert first.usage.prompt_tokens
    assert cached >= first.usage.prompt_tokens
    assert read < first.usage.prompt_tokens
