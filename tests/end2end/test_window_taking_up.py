"""Answers that the server keeps, in the real window: over cut connections, after a kill, and stopped with it."""

from __future__ import annotations

import signal
from collections.abc import Iterator
from contextlib import closing
from functools import partial
from pathlib import Path

import pytest
from pytestqt.qtbot import QtBot

from llamachat.core.messages import Status, StoredMessage
from llamachat.llm.server import ServerProbe
from llamachat.storage.conversations import list_conversations
from llamachat.storage.database import Database
from llamachat.storage.messages import load_branch
from tests.end2end.stage import Stage, stage
from tests.end2end.test_window_process import Window
from tests.fakes.cutting_proxy import CuttingProxy
from tests.integration.llama_router import Router
from tests.integration.test_kept_streams import wait_until_free

pytestmark = pytest.mark.slow

ENDLESS = "An answer without an end. " * 100
MORE = 'model = "parrot"\nmax_tokens = 6000\n'
SAID = ("The bee — 蜜蜂 — makes honey, 🐝 and wax. " * 30).strip()


@pytest.fixture
def profile(tmp_path: Path, qtbot: QtBot) -> Path:
    """A folder for settings and chats."""
    return tmp_path / "profile"


@pytest.fixture
def free_slots(llama_router: Router) -> Iterator[ServerProbe]:
    """Nothing runs on the server before and after."""
    with closing(ServerProbe(llama_router.endpoint)) as probe:
        yield probe
        wait_until_free(probe, llama_router)


def answer_in(profile: Path) -> StoredMessage:
    """The newest answer in the store."""
    with Database.open(profile / "data" / "llamachat.db") as db:
        return load_branch(db, list_conversations(db, limit=1)[0].id)[-1]


def is_longer(window: Stage, length: int) -> bool:
    """Whether so much of the answer to SAID can be read."""
    return len(window.window.page.view.toPlainText()) > len(SAID) + length


@pytest.mark.parametrize("shown", [False, True], ids=["beside", "shown"])
def test_an_answer_of_a_killed_window_goes_on_in_the_next_one(
    profile: Path, llama_router: Router, free_slots: ServerProbe, *, shown: bool
) -> None:
    with Window(profile, llama_router.base_url, ask=ENDLESS, more=MORE) as killed:
        assert [killed.line(), killed.line()] == ["shown", "streaming"]
        killed.process.send_signal(signal.SIGKILL)
        killed.process.wait()
    before = answer_in(profile)
    assert (before.status, before.stream is None) == (Status.STREAMING, False)
    with stage(profile, "") as window:
        window.until(lambda: window.window.turns.conversations() == {before.conversation_id})
        if shown:
            window.window.navigation.open(before.conversation_id, None)
            window.until(lambda: window.window.chat.conversation_id == before.conversation_id)
            window.until(
                lambda: len(window.window.page.view.toPlainText()) > len(ENDLESS) + len(before.content) + 200
            )
            assert not window.idle()
        window.until(lambda: not window.window.turns.conversations(), 60)
        assert not [text for text in window.told() if "broke off" in text]
        whole = answer_in(profile)
        if shown:
            assert whole.content[-100:].strip() in window.window.page.view.toPlainText()
    assert (whole.id, whole.finish_reason, whole.stream) == (before.id, "length", None)
    assert whole.usage.completion_tokens == 6000
    assert len(whole.content) > len(before.content)
    assert whole.content.startswith(before.content)
    assert whole.wire == ({"role": "assistant", "content": whole.content},)
    with stage(profile.parent / "uncut", f'base_url = "{llama_router.base_url}"\n{MORE}') as other:
        other.ask(ENDLESS)
    assert answer_in(profile.parent / "uncut").content == whole.content


def test_cuts_are_not_seen(profile: Path, llama_router: Router, free_slots: ServerProbe) -> None:
    with (
        CuttingProxy(llama_router.base_url) as proxy,
        stage(profile, f'base_url = "{proxy.base_url}"\n{MORE}') as window,
    ):
        window.window.page.composer.set_text(SAID)
        window.window.page.composer.send.click()
        for length in (200, 600, 1000):
            window.until(partial(is_longer, window, length))
            proxy.cut_all()
        window.until(window.idle)
        assert not [text for text in window.told() if "lost" in text or "broke" in text]
    answer = answer_in(profile)
    assert (answer.content, answer.status, answer.error) == (SAID, Status.COMPLETE, "")


def test_a_connection_that_stays_away_is_told_and_taken_up_when_it_is_back(
    profile: Path, llama_router: Router, free_slots: ServerProbe
) -> None:
    with (
        CuttingProxy(llama_router.base_url) as proxy,
        stage(profile, f'base_url = "{proxy.base_url}"\n{MORE}') as window,
    ):
        window.window.page.composer.set_text(SAID)
        window.window.page.composer.send.click()
        window.until(partial(is_longer, window, 300))
        proxy.down = True
        proxy.cut_all()
        window.until(lambda: "taking the answer up again" in window.window.status.text())
        proxy.down = False
        window.until(window.idle)
    answer = answer_in(profile)
    assert (answer.content, answer.status) == (SAID, Status.COMPLETE)


@pytest.mark.parametrize("number", [signal.SIGTERM, signal.SIGINT])
def test_a_window_that_is_closed_has_the_server_stop(
    profile: Path, llama_router: Router, free_slots: ServerProbe, number: signal.Signals
) -> None:
    with Window(profile, llama_router.base_url, ask=ENDLESS, more='model = "parrot"\n') as window:
        assert [window.line(), window.line()] == ["shown", "streaming"]
        window.process.send_signal(number)
        assert window.line() == "closed"
        assert window.end() == (0, [])
    wait_until_free(free_slots, llama_router)
    answer = answer_in(profile)
    assert (answer.status, answer.stream) == (Status.INTERRUPTED, None)
