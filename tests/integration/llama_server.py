"""A real llama-server for tests: the parrot model in the built-in engine, started once a run, and its scripts."""

from __future__ import annotations

import json
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path

import pytest

from llamachat.core.cancel import CancelToken
from llamachat.core.completion import Endpoint
from llamachat.engines.embedded_llama import EmbeddedLlama
from tests.fakes.parrot import write_parrot

SLOTS = 2
CONTEXT = 16384  # tokens of each slot; the parrot's padding takes 2,048 of them


@dataclass(frozen=True, slots=True)
class ParrotServer:
    """A running server. `model_file` is what it serves, `model` what it calls that; `pid` is its process."""

    base_url: str
    model: str
    model_file: Path
    pid: int
    xml: bool

    @property
    def endpoint(self) -> Endpoint:
        """The server as the program knows it, with short time limits."""
        return Endpoint(self.base_url, request_timeout_s=30, load_timeout_s=30)

    def call(self, name: str, **arguments: str) -> str:
        """A well-formed tool call in the style of this server's template, as the model has to say it."""
        if self.xml:
            parameters = "".join(f"<parameter={key}>\n{value}\n</parameter>\n" for key, value in arguments.items())
            return f"<tool_call>\n<function={name}>\n{parameters}</function>\n</tool_call>"
        body = json.dumps({"name": name, "arguments": arguments}, ensure_ascii=False)
        return f"<tool_call>\n{body}\n</tool_call>"


def script(*pieces: str) -> str:
    """The user message that has the parrot say the first piece, and after each tool result the next."""
    return "\n---\n".join(pieces)


def thinking(text: str) -> str:
    """What the model has to say for `text` to arrive as reasoning."""
    return f"<think>\n{text}\n</think>\n\n"


@contextmanager
def running_parrot(
    model_file: Path, *, xml: bool = False, slots: int = SLOTS, n_ctx: int = CONTEXT
) -> Iterator[ParrotServer]:
    """A server of your own, for tests that kill it or fill it up. Writes `model_file` where it is missing."""
    if not model_file.exists():
        write_parrot(model_file, xml=xml)
    engine = EmbeddedLlama()
    try:
        # One thread: with two, and other tests on the machine, they wait for each other and it is ten times slower.
        base_url = engine.start(model_file, n_ctx=n_ctx, slots=slots, threads=1, cancel=CancelToken())
        assert engine.pid is not None
        yield ParrotServer(base_url, model_file.stem, model_file, engine.pid, xml)
    finally:
        engine.stop()


@pytest.fixture(scope="session")
def parrot_server(tmp_path_factory: pytest.TempPathFactory) -> Iterator[ParrotServer]:
    """A server with two slots whose template writes tool calls as JSON."""
    with running_parrot(tmp_path_factory.mktemp("models") / "parrot.gguf") as server:
        yield server


@pytest.fixture(scope="session")
def parrot_xml_server(tmp_path_factory: pytest.TempPathFactory) -> Iterator[ParrotServer]:
    """A server with two slots whose template writes tool calls as `<function=NAME>` tags."""
    with running_parrot(tmp_path_factory.mktemp("models") / "parrot-xml.gguf", xml=True) as server:
        yield server
