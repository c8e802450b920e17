"""The paced server: the program's own client reads from it what it means to say."""

from __future__ import annotations

from contextlib import closing
from pathlib import Path

from llamachat.core.cancel import CancelToken
from llamachat.core.clock import SystemClock
from llamachat.core.completion import CompletionRequest, ContentDelta, Endpoint, FinishDelta, UsageDelta
from llamachat.llm.client import ChatClient
from llamachat.llm.server import ServerProbe
from tests.bench.markdown_texts import answer_tokens
from tests.bench.stream_server import MODEL, SEED, running_server


def test_a_client_gets_every_token_and_the_end() -> None:
    with running_server(rate=0, tokens=500) as url:
        client = ChatClient(Endpoint(url), clock=SystemClock())
        with closing(client):
            deltas = list(client.stream(CompletionRequest(({"role": "user", "content": "?"},)), CancelToken()))
    assert [delta.text for delta in deltas if isinstance(delta, ContentDelta)] == answer_tokens(500, SEED)
    assert [delta.reason for delta in deltas if isinstance(delta, FinishDelta)] == ["stop"]
    assert any(isinstance(delta, UsageDelta) and delta.usage.completion_tokens == 500 for delta in deltas)


def test_it_says_a_text_of_ones_own(tmp_path: Path) -> None:
    text = tmp_path / "text.md"
    text.write_text("Hello, world.", encoding="utf-8")
    with running_server(rate=0, tokens=500, text=text) as url, closing(ServerProbe(Endpoint(url))) as probe:
        assert [model.id for model in probe.models()] == [MODEL]
        assert probe.props().supports_tools is False
        client = ChatClient(Endpoint(url), clock=SystemClock())
        with closing(client):
            deltas = list(client.stream(CompletionRequest(({"role": "user", "content": "?"},)), CancelToken()))
    assert "".join(delta.text for delta in deltas if isinstance(delta, ContentDelta)) == "Hello, world."
