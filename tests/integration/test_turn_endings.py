"""Turns that did not end well, on a real llama-server: thinking that used up the limit, a context that is full."""

from __future__ import annotations

from collections.abc import Generator, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import replace
from functools import partial
from pathlib import Path

import pytest

from llamachat.core.cancel import CancelToken
from llamachat.core.clock import SystemClock
from llamachat.core.completion import CompletionRequest, Sampling
from llamachat.core.errors import ServerCause
from llamachat.core.events import Event, FinishReason, Kind, Phase
from llamachat.core.messages import Status, StoredMessage
from llamachat.core.search_record import SearchRecord, SearchResult
from llamachat.llm.client import ChatClient
from llamachat.recorder import start_turn
from llamachat.storage.database import Database
from llamachat.storage.messages import load_branch
from llamachat.turn_parts import TurnParts
from llamachat.turn_rows import TurnRequest
from tests.fakes.scripted_completer import ScriptedCompleter, says
from tests.integration.llama_server import ParrotServer, running_parrot, script
from tests.integration.test_turn_prefix import prompts, server_with
from tests.recorder_parts import finish_of, shown

BEGUN = "<think>\nA long th"  # what the parrot says until the limit
CLOSED = "\n</think>\n\n"  # what the server puts there for a thought that is closed
ANSWER = "High tide is at noon."


@pytest.fixture
def db(tmp_path: Path) -> Iterator[Database]:
    """An empty database."""
    with Database.open(tmp_path / "history.db") as database:
        yield database


def run(db: Database, parts: TurnParts, request: TurnRequest) -> list[Event]:
    """One turn to its end."""
    return list(start_turn(db, request, prepare=lambda: parts, cancel=CancelToken()).events())


def last(db: Database) -> StoredMessage:
    return load_branch(db, 1)[-1]


@contextmanager
def talking_to(server: ParrotServer) -> Iterator[TurnParts]:
    client = ChatClient(server.endpoint, clock=SystemClock())
    yield TurnParts(client, keeps_reasoning=True)
    client.close()


def test_an_answer_comes_from_what_was_thought_when_the_limit_came(db: Database, parrot_server: ParrotServer) -> None:
    line = BEGUN + "x" * len(CLOSED) + ANSWER  # the parrot counts from where its answer began
    with talking_to(parrot_server) as parts:
        limited = replace(parts, sampling=Sampling(max_tokens=len(BEGUN)))
        assert finish_of(run(db, limited, TurnRequest("send", text=line))).reason is FinishReason.THINKING
        assert (last(db).content, last(db).reasoning, last(db).status) == ("", "A long th", Status.COMPLETE)
        events = run(db, parts, TurnRequest("continue", conversation_id=1, skip_thinking=True))
    assert finish_of(events).reason is FinishReason.STOP
    assert (shown(events, Kind.CONTENT), shown(events, Kind.REASONING)) == (ANSWER, "")
    assert (last(db).content, last(db).reasoning) == (ANSWER, "A long th")


def _three_requests(db: Database) -> list[CompletionRequest]:
    """Thinking until the limit, the answer without more of it, and the next question."""
    completer = ScriptedCompleter(says("", thinking="A long th", finish="length"), says(ANSWER))
    parts = TurnParts(completer, keeps_reasoning=True)
    run(db, parts, TurnRequest("send", text="When is high tide?"))
    run(db, parts, TurnRequest("continue", conversation_id=1, skip_thinking=True))
    run(db, parts, TurnRequest("send", conversation_id=1, text="Really?"))
    return completer.requests


def _assert_nothing_is_read_twice(asked: str, answered: str, later: str) -> None:
    assert answered == asked + BEGUN + CLOSED
    assert later.startswith(answered + ANSWER)


def test_the_prompt_goes_on_behind_the_thought_byte_for_byte(db: Database, parrot_server: ParrotServer) -> None:
    _assert_nothing_is_read_twice(*prompts(parrot_server, _three_requests(db)))


def test_so_it_does_with_the_template_of_a_model_that_thinks(db: Database, tmp_path: Path) -> None:
    with server_with("qwen3", tmp_path) as server:
        asked, answered, _ = prompts(server, _three_requests(db))
    assert answered == asked + BEGUN + CLOSED


class Wordy:
    """A search that finds much."""

    provider = "SearXNG"

    def search(
        self, queries: Sequence[str], cancel: CancelToken, *, fresh: bool = False
    ) -> Generator[Phase, None, list[SearchRecord]]:
        """Find one long page for each."""
        yield from ()
        page = SearchResult("Tides", "https://tides.example/", "High and low. " * 200)
        return [SearchRecord(query=query, results=(page,), provider=self.provider) for query in queries]


def test_a_full_context_says_both_numbers_and_old_results_can_be_dropped(db: Database, tmp_path: Path) -> None:
    with running_parrot(tmp_path / "parrot.gguf", slots=1, n_ctx=7680) as server, talking_to(server) as parts:
        run_here = partial(run, db, replace(parts, search=Wordy()))
        call = server.call("web_search", query="tides")
        assert finish_of(run_here(TurnRequest("send", text=script(call, "At noon [1].")))).reason == "stop"
        finish = finish_of(run_here(TurnRequest("send", conversation_id=1, text="z" * 2000)))
        assert finish.cause == ServerCause.CONTEXT_FULL_OF_RESULTS
        assert "the context holds 7,680" in finish.error
        failed = last(db)
        tried = run_here(TurnRequest("continue", conversation_id=1, message_id=failed.id, drop_results=True))
        assert (finish_of(tried).reason, last(db).content) == (FinishReason.STOP, "z" * 2000)
        assert (last(db).id, last(db).error) == (failed.id, "")
        assert finish_of(run_here(TurnRequest("send", conversation_id=1, text="Thanks."))).reason == "stop"


def test_a_context_that_fills_up_while_the_model_writes_is_told_from_a_token_limit(
    db: Database, tmp_path: Path
) -> None:
    with running_parrot(tmp_path / "parrot.gguf", slots=1, n_ctx=4096) as server, talking_to(server) as parts:
        known = replace(parts, context_tokens=4096)
        finish = finish_of(run(db, known, TurnRequest("send", text="z" * 1900)))
    assert finish.cause == ServerCause.CONTEXT_FULL
    assert "it holds 4,096 tokens" in finish.error
    assert (last(db).status, last(db).content[:3]) == (Status.INTERRUPTED, "zzz")
