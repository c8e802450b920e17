"""A program that is killed while an answer comes: the next one takes it up, and it is what it would have been."""

from __future__ import annotations

import json
import os
import random
import signal
import subprocess
import sys
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest

from llamachat.app import App, build_app
from llamachat.config.paths import Paths, resolve_paths
from llamachat.core.cancel import CancelToken
from llamachat.core.events import Event, Finish, FinishReason, Kind
from llamachat.core.messages import Status, StoredMessage
from llamachat.storage.broken_off import list_broken_off, mark_broken_off
from llamachat.storage.messages import get_message
from llamachat.turn_rows import TurnRequest
from tests.integration.llama_router import Router
from tests.integration.llama_server import script, thinking
from tests.integration.searxng_server import Searxng

pytestmark = pytest.mark.slow

THOUGHT = "So it is, `<tool`, and then 蜜蜂. " * 12
ANSWER = ("The bee [1] makes <b>honey</b>, 🐝 and wax.\n```\n<tool_call> is text here\n```\n" * 12).strip()


@contextmanager
def asking(paths: Paths, question: str) -> Iterator[Callable[[str, int], bool]]:
    """A program that asks; what is given kills it after so many events of a kind. False: it had ended before."""
    command = [sys.executable, "-m", "tests.end2end.turn_child", str(paths.config_file), str(paths.data_dir)]
    with subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True) as process:
        assert process.stdin is not None
        assert process.stdout is not None
        lines = iter(process.stdout.readline, "\n")
        process.stdin.write(json.dumps(question) + "\n")
        process.stdin.flush()
        pid = int(next(lines))

        def kill(kind: str, count: int) -> bool:
            seen = 0
            for line in lines:
                seen += json.loads(line)["kind"] == kind
                if seen == count:
                    os.kill(pid, signal.SIGKILL)
                    assert list(lines) is not None
                    return True
            return False

        yield kill
        process.stdin.close()
        assert process.wait(20) == 0


def left_behind(app: App) -> StoredMessage:
    """The answer that broke off."""
    with app.database() as db:
        mark_broken_off(db)
        (broken,) = list_broken_off(db)
        found = get_message(db, broken.message_id)
    assert found is not None
    return found


def go_on(app: App, answer: StoredMessage) -> tuple[list[Event], StoredMessage]:
    """Continue the answer to its end."""
    with app.database() as db:
        request = TurnRequest("continue", answer.conversation_id, message_id=answer.id)
        turn = app.start_turn(db, request, CancelToken())
        events = list(turn.events())
        stored = get_message(db, answer.id)
    assert stored is not None
    assert stored == turn.stored_answer()
    return events, stored


def shown(answer: StoredMessage, events: list[Event], kind: Kind) -> str:
    """A text as a reader has it who saw the row and then the events."""
    before = answer.content if kind is Kind.CONTENT else answer.reasoning
    return before + "".join(str(event.data) for event in events if event.kind is kind)


def profile(folder: Path, config: str) -> tuple[App, Paths]:
    """The program with settings of its own."""
    folder.mkdir()
    (folder / "config.toml").write_text(config, encoding="utf-8")
    paths = resolve_paths(folder / "config.toml", folder / "data")
    return build_app(paths), paths


@pytest.mark.timeout(300)
def test_whenever_it_is_killed_the_answer_becomes_what_it_would_have_been(
    tmp_path: Path, llama_router: Router, searxng: Searxng
) -> None:
    config = f'base_url = "{llama_router.base_url}"\nmodel = "parrot"\nsearch_enabled = true\n'
    config += f'search_url = "{searxng.url}"\nsearch_cache_s = 0\nsearch_burst = 1000\n'
    call = '<tool_call>\n{"name": "web_search", "arguments": {"query": "Brasswick Bridge toll"}}\n</tool_call>'
    question = script(thinking(THOUGHT) + "Let me look." + call, thinking(THOUGHT) + ANSWER)
    chance, taken_up = random.Random(5), 0
    for number in range(8):
        app, paths = profile(tmp_path / str(number), config)
        kind = ("reasoning", "content")[number % 2]
        count = chance.randint(1, (2 * len(THOUGHT), len(ANSWER))[number % 2] - 30)
        with asking(paths, question) as kill:
            if not kill(kind, count):  # it was over
                continue
        answer = left_behind(app)
        if answer.stream is None:  # killed between the two requests
            continue
        taken_up += 1
        events, whole = go_on(app, answer)
        assert events[-1].data == Finish(FinishReason.STOP)
        assert (whole.status, whole.stream) == (Status.COMPLETE, None)
        assert whole.content == shown(answer, events, Kind.CONTENT) == f"Let me look.\n\n{ANSWER}"
        assert whole.reasoning == shown(answer, events, Kind.REASONING)
        assert whole.reasoning == f"{THOUGHT}\n\n\n{THOUGHT}\n"
        assert [message["role"] for message in whole.wire] == ["assistant", "tool", "assistant"]
        assert whole.wire[-1] == {"role": "assistant", "content": ANSWER, "reasoning_content": f"{THOUGHT}\n"}
        assert [record.query for record in whole.searches] == ["Brasswick Bridge toll"]
        assert whole.usage.predicted_n == whole.usage.completion_tokens
        app.close()
    assert taken_up >= 5
