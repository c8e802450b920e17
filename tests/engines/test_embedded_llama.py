"""The built-in engine: it serves a model, and says in a sentence why it does not."""

from __future__ import annotations

import os
import signal
import threading
from collections.abc import Iterator
from pathlib import Path

import httpx
import pytest

from llamachat.core.cancel import CancelToken
from llamachat.core.errors import Cancelled, EngineError
from llamachat.engines.embedded_llama import EmbeddedLlama, explain_failure
from llamachat.engines.process import ChildProcess
from tests.integration.llama_server import ParrotServer


@pytest.fixture
def engine() -> Iterator[EmbeddedLlama]:
    """An engine that is stopped in the end."""
    engine = EmbeddedLlama()
    yield engine
    engine.stop()


def start(engine: EmbeddedLlama, model: Path, *, n_ctx: int = 2560, cancel: CancelToken | None = None) -> str:
    return engine.start(model, n_ctx=n_ctx, threads=1, name="test", cancel=cancel or CancelToken())


def test_it_is_installed_here() -> None:
    assert EmbeddedLlama.installed()


def test_it_serves_the_model_on_loopback_and_ends(engine: EmbeddedLlama, parrot_server: ParrotServer) -> None:
    base_url = start(engine, parrot_server.model_file)
    assert base_url.startswith("http://127.0.0.1:")
    with httpx.Client(base_url=base_url, trust_env=False) as client:
        assert [model["id"] for model in client.get("/v1/models").json()["data"]] == ["test"]
        assert client.get("/props").json()["default_generation_settings"]["n_ctx"] == 2560
        engine.stop()
        with pytest.raises(httpx.ConnectError):
            client.get("/health", headers={"Connection": "close"})


def test_a_web_page_is_not_let_in(parrot_server: ParrotServer) -> None:
    headers = {"Origin": "https://page.example"}
    reply = httpx.get(parrot_server.base_url + "/v1/models", headers=headers, trust_env=False)
    assert reply.headers.get("access-control-allow-origin") not in {"*", "https://page.example"}


@pytest.mark.slow
def test_starting_again_ends_the_first(engine: EmbeddedLlama, parrot_server: ParrotServer) -> None:
    start(engine, parrot_server.model_file)
    first = engine.pid
    start(engine, parrot_server.model_file)
    assert first is not None
    with pytest.raises(ProcessLookupError):
        os.kill(first, 0)


def test_running_tells_when_the_engine_was_killed(engine: EmbeddedLlama, parrot_server: ParrotServer) -> None:
    running = [engine.running]
    start(engine, parrot_server.model_file)
    running.append(engine.running)
    assert engine.pid is not None
    os.kill(engine.pid, signal.SIGKILL)
    os.waitid(os.P_PID, engine.pid, os.WEXITED | os.WNOWAIT)
    running.append(engine.running)
    assert running == [False, True, False]


def test_a_cancelled_start_leaves_nothing(engine: EmbeddedLlama, parrot_server: ParrotServer) -> None:
    cancel = CancelToken()
    timer = threading.Timer(0.02, cancel.cancel)
    timer.start()
    with pytest.raises(Cancelled):
        start(engine, parrot_server.model_file, cancel=cancel)
    timer.join()
    assert not engine.running


def test_a_missing_file_is_named(engine: EmbeddedLlama, tmp_path: Path) -> None:
    with pytest.raises(EngineError, match=r"no\.gguf cannot be read: No such file or directory\."):
        start(engine, tmp_path / "no.gguf")


@pytest.mark.timeout(15)
def test_a_pipe_in_the_place_of_a_model_is_not_waited_for(engine: EmbeddedLlama, tmp_path: Path) -> None:
    os.mkfifo(tmp_path / "pipe.gguf")
    with pytest.raises(EngineError, match=r"pipe\.gguf cannot be read: it is no file\."):
        start(engine, tmp_path / "pipe.gguf")


def test_a_file_of_another_kind_is_named(engine: EmbeddedLlama, tmp_path: Path) -> None:
    (tmp_path / "model.bin").write_bytes(b"PK\x03\x04")
    with pytest.raises(EngineError, match=r"model\.bin is not a GGUF file"):
        start(engine, tmp_path / "model.bin")


def test_a_model_larger_than_the_memory_is_refused(engine: EmbeddedLlama, tmp_path: Path) -> None:
    huge = tmp_path / "huge.gguf"
    with huge.open("wb") as file:
        file.write(b"GGUF")
        file.truncate(10**13)
    with pytest.raises(EngineError, match=r"needs 10000\.0 GB of memory and this machine has"):
        start(engine, huge)


def test_a_broken_model_is_told_with_the_words_of_the_engine(
    engine: EmbeddedLlama, parrot_server: ParrotServer, tmp_path: Path
) -> None:
    broken = tmp_path / "broken.gguf"
    broken.write_bytes(parrot_server.model_file.read_bytes()[:100_000])
    with pytest.raises(EngineError) as caught:
        start(engine, broken)
    assert "could not load broken.gguf (exit code 1)" in caught.value.sentence
    assert "failed to load model" in caught.value.sentence
    assert caught.value.next_step


def test_an_engine_that_the_system_killed_is_told_as_lack_of_memory() -> None:
    child = ChildProcess("tests.fakes.child", ["ready"])
    child.wait_ready(timeout_s=30, cancel=CancelToken())
    os.kill(child.pid, signal.SIGKILL)
    child.wait(10)
    assert "memory ran out" in explain_failure(child, Path("large.gguf"), timeout_s=1).sentence


def test_a_package_that_does_not_load_is_told_apart_from_a_bad_model() -> None:
    child = ChildProcess("tests.fakes.child", ["unloadable"])
    assert child.wait_ready(timeout_s=30, cancel=CancelToken()) is None
    error = explain_failure(child, Path("any.gguf"), timeout_s=1)
    assert error.sentence.startswith("The package of the built-in engine cannot be loaded: libgomp.so.1: ")
    assert error.next_step == "Install it with: sudo apt-get install libgomp1"


def test_an_engine_that_takes_too_long_is_told_with_the_time() -> None:
    child = ChildProcess("tests.fakes.child", ["wait"])
    sentence = explain_failure(child, Path("large.gguf"), timeout_s=600).sentence
    assert sentence == "The built-in engine had not loaded large.gguf after 600 seconds."
