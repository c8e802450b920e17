"""Whole turns through the real window: a real llama-server, a real SearXNG, the real store."""

from __future__ import annotations

import os
import signal
import threading
from collections.abc import Callable, Iterator
from contextlib import ExitStack
from pathlib import Path

import pytest
from pytestqt.qtbot import QtBot

from llamachat.core.messages import Status, StoredMessage
from llamachat.llm.server import ServerProbe
from llamachat.storage.conversations import list_conversations
from llamachat.storage.messages import load_branch
from tests.end2end.stage import Stage, stage
from tests.integration.llama_server import ParrotServer, running_parrot, script, thinking
from tests.integration.searxng_server import Searxng

LIGHTHOUSE = "Tidewater Lighthouse steps"
BRIDGE = "Brasswick Bridge toll"
ENDLESS = "An answer without an end. " * 100

Open = Callable[..., Stage]


@pytest.fixture
def open_window(qtbot: QtBot, tmp_path: Path) -> Iterator[Open]:
    """Opens windows on a server and a search, and closes them; none may leave a thread."""
    with ExitStack() as windows:

        def make(server: ParrotServer, search_url: str = "", more: str = "") -> Stage:
            search = f'search_enabled = true\nsearch_url = "{search_url}"\n' if search_url else ""
            return windows.enter_context(
                stage(tmp_path / "profile", f'base_url = "{server.base_url}"\n{search}{more}')
            )

        yield make
    assert not {thread.name for thread in threading.enumerate()} & {"store", "network", "engine"}


def answer_of(shown: Stage) -> StoredMessage:
    """The newest answer in the store."""
    with shown.app.database() as db:
        return load_branch(db, list_conversations(db, limit=1)[0].id)[-1]


def transcript(shown: Stage) -> str:
    """What the reader can read."""
    return shown.window.page.view.toPlainText()


@pytest.mark.parametrize("name", ["parrot_server", "parrot_xml_server"])
def test_a_question_is_thought_about_searched_for_answered_and_found_again(
    open_window: Open, request: pytest.FixtureRequest, name: str, searxng: Searxng
) -> None:
    server: ParrotServer = request.getfixturevalue(name)
    shown = open_window(server, searxng.url)
    call = server.call("web_search", query=LIGHTHOUSE)
    shown.ask(script(thinking("I should look.") + call, "It has **213** steps [1]."))
    answer = answer_of(shown)
    assert (answer.content, answer.status) == ("It has **213** steps [1].", Status.COMPLETE)
    assert [record.query for record in answer.searches] == [LIGHTHOUSE]
    text = transcript(shown)
    assert f"searched: {LIGHTHOUSE} ({len(answer.searches[0].results)} results)" in text
    assert "It has 213 steps [1]." in text
    assert "Sources (SearXNG):" in text
    assert shown.window.status.text().startswith("Connected to")

    side = shown.window.sidebar
    shown.window.chat.new_chat()
    assert "213" not in transcript(shown)
    side.field.setText("213 steps")
    shown.until(lambda: side.hits.rows.rows)
    side.field.returnPressed.emit()
    shown.until(lambda: "It has 213 steps" in transcript(shown))


@pytest.mark.claim("LC-005")
def test_two_rounds_and_the_cap(open_window: Open, parrot_server: ParrotServer, searxng: Searxng) -> None:
    shown = open_window(parrot_server, searxng.url)
    one, two = (parrot_server.call("web_search", query=query) for query in (LIGHTHOUSE, BRIDGE))
    shown.ask(script("One moment. " + one, two, "Both are known [1][6]."))
    answer = answer_of(shown)
    assert [record.query for record in answer.searches] == [LIGHTHOUSE, BRIDGE]
    assert answer.content.split() == ["One", "moment.", "Both", "are", "known", "[1][6]."]


def test_a_leaked_call_is_read_and_not_shown(
    open_window: Open, parrot_server: ParrotServer, searxng: Searxng
) -> None:
    shown = open_window(parrot_server, searxng.url)
    leaked = "<think>\nI should look.\n" + parrot_server.call("web_search", query=LIGHTHOUSE)
    shown.ask(script(leaked, "213 [1]."))
    answer = answer_of(shown)
    assert [record.query for record in answer.searches] == [LIGHTHOUSE]
    assert (answer.content, answer.reasoning.strip()) == ("213 [1].", "I should look.")


@pytest.mark.claim("LC-060")
def test_a_call_that_is_cut_off_ends_in_words_and_a_button(
    open_window: Open, parrot_server: ParrotServer, searxng: Searxng
) -> None:
    call = parrot_server.call("web_search", query="a query that is long enough to be cut")
    shown = open_window(parrot_server, searxng.url, more=f"max_tokens = {len(call) - 40}\n")
    shown.ask(script(call))
    answer = answer_of(shown)
    assert answer.searches == ()
    assert answer.status is not Status.COMPLETE
    assert "Retry" in transcript(shown) or "Continue" in transcript(shown)


@pytest.mark.claim("LC-034")
def test_a_search_engine_that_is_away_is_told_above_the_answer(
    open_window: Open, parrot_server: ParrotServer
) -> None:
    shown = open_window(parrot_server, "http://127.0.0.1:9")
    shown.ask(script(parrot_server.call("web_search", query=LIGHTHOUSE), "From memory: 213."))
    text = transcript(shown)
    assert f"search failed: {LIGHTHOUSE} — " in text
    assert "From memory: 213." in text


def test_stop_keeps_what_came_and_frees_the_server(open_window: Open, parrot_server: ParrotServer) -> None:
    shown = open_window(parrot_server)
    shown.ask(ENDLESS, wait=False)
    shown.until(lambda: transcript(shown).count("without an end") > ENDLESS.count("without an end") + 3)
    assert shown.window.page.composer.send.accessibleName() == "Stop"
    shown.window.page.composer.send.click()
    shown.until(shown.idle)
    answer = answer_of(shown)
    assert answer.status is Status.STOPPED
    assert "answer without an end. An" in answer.content
    assert shown.window.page.composer.send.accessibleName() == "Send"
    assert_free(shown, parrot_server)


def test_closing_while_an_answer_streams_stops_it_and_saves(open_window: Open, parrot_server: ParrotServer) -> None:
    shown = open_window(parrot_server)
    shown.ask(ENDLESS, wait=False)
    shown.until(lambda: transcript(shown).count("without an end") > ENDLESS.count("without an end") + 3)
    shown.window.close()
    assert shown.window.ended_cleanly
    answer = answer_of(shown)
    assert answer.status is Status.INTERRUPTED
    assert "answer without an end. An" in answer.content
    assert_free(shown, parrot_server)


def test_a_server_that_is_killed_leaves_a_partial_answer_and_a_way_on(open_window: Open, tmp_path: Path) -> None:
    with running_parrot(tmp_path / "parrot.gguf") as server:
        shown = open_window(server)
        shown.ask(ENDLESS, wait=False)
        shown.until(lambda: transcript(shown).count("without an end") > ENDLESS.count("without an end") + 3)
        os.kill(server.pid, signal.SIGKILL)
        shown.until(shown.idle)
    answer = answer_of(shown)
    assert answer.status is Status.INTERRUPTED
    assert "answer without an end. An" in answer.content
    assert "Continue" in transcript(shown)
    assert "Retry" in transcript(shown)


def test_retry_after_the_server_is_back(open_window: Open, parrot_server: ParrotServer) -> None:
    shown = open_window(parrot_server)
    address = shown.config.read_text()
    shown.config.write_text(address.replace(parrot_server.base_url, "http://127.0.0.1:9"))
    shown.until(lambda: shown.window.page.starting)  # no chat and no server: the page for connecting
    shown.window.actions_by_id["new"].trigger()
    shown.ask("Say this.")
    failed = answer_of(shown)
    assert failed.status is Status.FAILED
    assert "No model server answers" in transcript(shown)
    shown.config.write_text(address)
    shown.until(lambda: shown.app.config.base_url == parrot_server.base_url)
    shown.window.page.view.retry_requested.emit(failed.id)
    shown.until(lambda: not shown.idle())
    shown.until(shown.idle)
    assert answer_of(shown).content == "Say this."
    assert "No model server answers" not in transcript(shown)


def assert_free(shown: Stage, server: ParrotServer) -> None:
    """No slot of the server works any more."""
    probe = ServerProbe(server.endpoint)
    shown.until(lambda: not any(slot.busy for slot in probe.slots()), 10)
    probe.close()
