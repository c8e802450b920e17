"""Searches that ask first, in the whole window: the query as it was changed goes out, and a refused one does not."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest
from pytestqt.qtbot import QtBot

from llamachat.core.messages import StoredMessage
from llamachat.storage.database import Database
from llamachat.storage.messages import load_branch
from tests.end2end.stage import Stage, stage
from tests.fakes.scripted_llama import ScriptedLlama, says, searches
from tests.integration.searxng_server import Searxng

pytestmark = pytest.mark.slow


@contextmanager
def asking(folder: Path, searxng: Searxng) -> Iterator[tuple[Stage, ScriptedLlama]]:
    """A window whose model wants to search, and whose card asks about it."""
    with ScriptedLlama(searches("my secret Copper Heron"), says("About 900 grams.")) as llama:
        settings = f'base_url = "{llama.base_url}"\nsearch_enabled = true\nsearch_url = "{searxng.url}"\n'
        with stage(folder, f'{settings}search_confirm = "always"\n') as shown:
            shown.ask("How heavy is it?", wait=False)
            shown.until(shown.window.page.consent.isVisible)
            yield shown, llama


def answer(shown: Stage) -> StoredMessage:
    """The answer as it is stored."""
    with Database.open(shown.app.paths.database) as db:
        return load_branch(db, 1)[-1]


def test_the_query_goes_out_as_it_was_changed(qtbot: QtBot, tmp_path: Path, searxng: Searxng) -> None:
    with asking(tmp_path / "p", searxng) as (shown, _):
        shown.until(lambda: shown.window.status.text() == "Waiting for your word on the search")
        assert shown.window.page.consent.query.text() == "my secret Copper Heron"
        shown.window.page.consent.query.setText("Copper Heron weight")
        shown.window.page.consent.send.click()
        shown.until(shown.idle)
        record = answer(shown).searches[0]
        assert (record.query, record.asked) == ("my secret Copper Heron", "Copper Heron weight")
        assert record.results


def test_a_refused_search_sends_nothing_and_the_model_is_told(qtbot: QtBot, tmp_path: Path, searxng: Searxng) -> None:
    with asking(tmp_path / "p", searxng) as (shown, llama):
        shown.window.page.consent.refuse.click()
        shown.until(shown.idle)
        record = answer(shown).searches[0]
        assert (record.cause, record.results) == ("declined", ())
        assert "You did not let this search go out." in str(llama.asked[-1]["messages"])
        assert answer(shown).content == "About 900 grams."


def test_stop_works_while_it_asks(qtbot: QtBot, tmp_path: Path, searxng: Searxng) -> None:
    with asking(tmp_path / "p", searxng) as (shown, _):
        shown.window.chat.turns.stop()
        shown.until(shown.idle)
        shown.until(shown.window.page.consent.isHidden)
        assert answer(shown).searches[0].cause == "cancelled"


def test_in_another_chat_the_card_says_which_one_asks(qtbot: QtBot, tmp_path: Path, searxng: Searxng) -> None:
    with asking(tmp_path / "p", searxng) as (shown, _):
        card = shown.window.page.consent
        assert card.label.text().startswith("A web search waits for your word.")
        shown.window.navigation.new_chat()
        assert card.label.text().startswith("A web search of the chat “How heavy is it?” waits for your word.")
        shown.window.chat.open(1)
        shown.until(lambda: shown.window.chat.conversation_id == 1)
        assert card.label.text().startswith("A web search waits for your word.")
        card.refuse.click()
        shown.until(shown.idle)
