"""Turns that did not end well, in the real window: each button does what it says."""

from __future__ import annotations

import threading
from collections.abc import Iterator
from contextlib import ExitStack
from pathlib import Path

import httpx
import pytest
from pytestqt.qtbot import QtBot

from llamachat.chat.web_search_tool import tool_text
from llamachat.core.messages import Role, Status, WireMessage
from llamachat.core.search_record import SearchRecord, SearchResult
from llamachat.storage.messages import load_branch, update_message
from tests.end2end.ended_turns import TOO_LONG, buttons, last_of, press, scripted, window_on
from tests.fakes.cutting_proxy import CuttingProxy
from tests.fakes.scripted_llama import says, thinks
from tests.integration.llama_server import ParrotServer
from tests.integration.test_turn_endings import ANSWER, BEGUN, CLOSED
from tests.integration.test_turn_recorded import BEFORE_PARTIAL
from tests.storage.stories import add_chat


@pytest.fixture
def windows(qtbot: QtBot) -> Iterator[ExitStack]:
    """Closes what is opened in it."""
    with ExitStack() as opened:
        yield opened


def test_thinking_that_used_up_the_limit_is_left_and_the_answer_goes_on_to_its_end(
    windows: ExitStack, parrot_server: ParrotServer, tmp_path: Path
) -> None:
    limit = len(BEGUN)
    shown = windows.enter_context(window_on(parrot_server.base_url, tmp_path, f"max_tokens = {limit}\n"))
    shown.ask(BEGUN + "x" * len(CLOSED) + ANSWER)
    assert buttons(shown) == ["Continue without thinking", "Continue thinking", "Answer again"]
    press(shown, "Continue without thinking")
    shown.until(shown.idle)
    assert (last_of(shown).content, last_of(shown).reasoning) == (ANSWER[:limit], "A long th")
    assert buttons(shown) == ["Continue"]
    shown.window.actions_by_id["help"].trigger()  # what is offered first, by its key
    shown.until(shown.idle)
    assert (last_of(shown).content, last_of(shown).status) == (ANSWER, Status.COMPLETE)
    assert buttons(shown) == []


@pytest.mark.slow
def test_an_answer_that_the_server_has_lost_with_its_connection_goes_on_without_a_seam(
    windows: ExitStack, parrot_server: ParrotServer, tmp_path: Path
) -> None:
    answer = "".join(f"Line {number} of it. " for number in range(100))
    proxy = windows.enter_context(CuttingProxy(parrot_server.base_url))
    shown = windows.enter_context(window_on(proxy.base_url, tmp_path))
    shown.ask(BEFORE_PARTIAL + answer, wait=False)
    shown.until(lambda: last_of(shown).stream)
    proxy.down = True
    proxy.cut_all()
    mark = last_of(shown).stream
    assert mark is not None
    httpx.delete(f"{parrot_server.base_url}/v1/stream", params={"conv_id": mark.id}, trust_env=False)
    proxy.down = False
    shown.until(shown.idle)
    begun = last_of(shown).content
    assert len(begun) < len(answer)
    assert buttons(shown) == (["Continue", "Retry"] if begun else ["Retry"])
    press(shown, buttons(shown)[0])
    shown.until(shown.idle)
    assert last_of(shown).content == answer
    assert buttons(shown) == []


def test_retry_goes_on_after_a_server_that_broke_off(windows: ExitStack, tmp_path: Path) -> None:
    _, shown = scripted(windows, tmp_path, [*says("Half an"), (500, "")], says(" answer."))
    shown.ask("One?")
    assert buttons(shown) == ["Continue", "Retry"]
    press(shown, "Continue")
    shown.until(shown.idle)
    assert (last_of(shown).content, last_of(shown).role) == ("Half an answer.", Role.ASSISTANT)
    assert buttons(shown) == []


def test_a_stop_in_thought_offers_to_go_on_with_it_and_without(windows: ExitStack, tmp_path: Path) -> None:
    held = threading.Event()
    llama, shown = scripted(windows, tmp_path, [*thinks("Hm. Well."), held], says("Noon."))
    shown.ask("When?", wait=False)
    shown.until(lambda: "thinking" in shown.window.page.view.toPlainText())
    shown.window.chat.turns.stop()
    shown.until(shown.idle)
    held.set()
    assert buttons(shown) == ["Continue without thinking", "Continue thinking", "Answer again"]
    press(shown, "Continue without thinking")
    shown.until(shown.idle)
    assert llama.asked[-1]["continue_final_message"] == "content"
    assert last_of(shown).content == "Noon."


def test_old_search_results_are_dropped_from_the_prompt_and_stay_on_the_screen(
    windows: ExitStack, tmp_path: Path
) -> None:
    llama, shown = scripted(windows, tmp_path, [TOO_LONG], says("At noon."), says("Yes."))
    found = SearchRecord("tides", (SearchResult("Tide table", "https://tides.example/", "High water at noon."),))
    call: WireMessage = {
        "role": "assistant",
        "content": "",
        "tool_calls": [{"id": "c", "type": "function", "function": {"name": "web_search", "arguments": "{}"}}],
    }
    said: WireMessage = {"role": "assistant", "content": "Twice a day [1]."}
    result: WireMessage = {"role": "tool", "tool_call_id": "c", "content": tool_text(found)}
    with shown.app.database() as db:
        chat, (_, answer) = add_chat(db, "Tides?", "Twice a day [1].", title="Tides")
        update_message(db, answer.id, searches=(found,), wire=(call, result, said))
    shown.window.chat.open(chat.id)
    shown.until(lambda: shown.window.chat.conversation_id == chat.id)
    shown.ask("And when?")
    assert buttons(shown) == ["Drop old search results", "New chat with a summary", "New empty chat"]
    press(shown, "Drop old search results")
    shown.until(shown.idle)
    assert last_of(shown).content == "At noon."
    shown.ask("Really?")
    full, *dropped = (str(body["messages"]) for body in llama.asked)
    assert "High water" in full
    assert all("https://tides.example/" in prompt and "High water" not in prompt for prompt in dropped)
    assert dropped[1].startswith(dropped[0].removesuffix("]"))
    with shown.app.database() as db:
        assert load_branch(db, chat.id)[1].searches == (found,)
