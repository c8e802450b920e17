"""What a real model reads again after a chat was forked, and after an answer was edited."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest

from llamachat.core.cancel import CancelToken
from llamachat.core.clock import SystemClock
from llamachat.core.completion import CompletionRequest, Delta, Endpoint, Sampling
from llamachat.edited_answer import edit_answer
from llamachat.engines.embedded_llama import EmbeddedLlama
from llamachat.engines.fetch_package import fetch_demo_model
from llamachat.llm.client import ChatClient
from llamachat.llm.server import ServerProbe
from llamachat.recorder import start_turn
from llamachat.storage.database import Database
from llamachat.storage.forks import fork_chat
from llamachat.storage.messages import load_branch
from llamachat.turn_parts import TurnParts
from llamachat.turn_rows import TurnRequest
from tests.fakes.scripted_search import ScriptedSearch
from tests.fakes.searxng import cache_folder

SPARE_TOKENS = 32  # the server reads the end of a cached prompt again
LONG = "Here is a list of words: " + " ".join(f"word{number}" for number in range(150)) + ". Name a colour."


class Asked:
    """A Completer that asks a real server and keeps what it was asked."""

    def __init__(self, client: ChatClient) -> None:
        self._client = client
        self.requests: list[CompletionRequest] = []

    def stream(self, request: CompletionRequest, cancel: CancelToken) -> Iterator[Delta]:
        """One answer."""
        self.requests.append(request)
        return self._client.stream(request, cancel)


@pytest.fixture(scope="module")
def endpoint() -> Iterator[Endpoint]:
    """A llama-server with a small real model and two slots."""
    cancel = CancelToken()
    model = fetch_demo_model(cache_folder(), progress=lambda done, total: None, cancel=cancel)
    engine = EmbeddedLlama()
    yield Endpoint(engine.start(model, cancel=cancel, n_ctx=4096, slots=2))
    engine.stop()


class Chat:
    """Turns on that server, and what each cost."""

    def __init__(self, db: Database, endpoint: Endpoint) -> None:
        self._db = db
        self._client, self._probe = ChatClient(endpoint, clock=SystemClock()), ServerProbe(endpoint)
        self.completer = Asked(self._client)

    def ask(self, text: str, conversation_id: int | None = None) -> int:
        """Ask; gives how many tokens of the prompt were read."""
        parts = TurnParts(self.completer, search=ScriptedSearch(), sampling=Sampling(temperature=0.0, max_tokens=20))
        request = TurnRequest("send", conversation_id, text, prompt="Answer in one sentence.")
        turn = start_turn(self._db, request, prepare=lambda: parts, cancel=CancelToken())
        list(turn.events())
        read = turn.stored_answer().usage.prompt_n
        assert read is not None
        return read

    def length(self) -> int:
        """How many tokens the last prompt has."""
        return self._probe.count_tokens(self.completer.requests[-1]) or 0

    def prompt(self) -> str:
        """The last prompt as the template makes it."""
        return self._probe.apply_template(self.completer.requests[-1])

    def close(self) -> None:
        """Hang up."""
        self._client.close()
        self._probe.close()


@pytest.fixture
def db(tmp_path: Path) -> Iterator[Database]:
    """An empty database."""
    with Database.open(tmp_path / "a.db") as database:
        yield database


@pytest.fixture
def chat(db: Database, endpoint: Endpoint) -> Iterator[Chat]:
    """A chat that has not begun."""
    made = Chat(db, endpoint)
    yield made
    made.close()


@pytest.mark.slow
@pytest.mark.timeout(300)
def test_a_fork_reads_only_what_is_new(db: Database, chat: Chat) -> None:
    chat.ask(LONG)
    first = chat.length()
    chat.ask("Name an animal.", 1)
    fork = fork_chat(db, load_branch(db, 1)[1].id)
    read = chat.ask("Name a fruit.", fork.id)
    assert first > 200
    assert read <= chat.length() - first + SPARE_TOKENS


@pytest.mark.slow
@pytest.mark.timeout(300)
def test_an_edited_answer_is_read_and_nothing_before_it(db: Database, chat: Chat) -> None:
    chat.ask(LONG)
    first, before = chat.length(), chat.prompt()
    edit_answer(db, load_branch(db, 1)[1].id, "Violet is a colour.")
    read = chat.ask("Name another one.", 1)
    assert chat.prompt().startswith(before)
    assert "Violet is a colour." in chat.prompt()[len(before) :]
    assert read <= chat.length() - first + SPARE_TOKENS
