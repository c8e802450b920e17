"""What servers say when they fail, and what people read of it."""

from __future__ import annotations

import json

import pytest
from hypothesis import given
from hypothesis import strategies as st

from llamachat.core.errors import ServerCause
from llamachat.llm.failures import answer_error
from tests.llm.cases import Run, check_error, runs


def error(message: str, **more: object) -> str:
    """A body as llama-server writes it."""
    return json.dumps({"error": {"message": message, **more}})


@pytest.mark.parametrize("run", runs("refusal"))
def test_case(run: Run) -> None:
    check_error(answer_error(int(str(run.given["status"])), str(run.given["body"])), run.expected)


@pytest.mark.parametrize(
    ("status", "body", "cause", "says"),
    [
        (401, error("Invalid API Key", type="authentication_error", code=401), "unauthorized", "Invalid API Key"),
        (403, "<html><h1>Forbidden</h1></html>", "unauthorized", "(HTTP 403)"),
        (400, error("model 'x' not found", type="invalid_request_error", code=400), "model_not_found", "'x'"),
        (400, error("model name is missing from the request"), "model_not_found", "missing"),
        (404, error("The model `x` does not exist", code="model_not_found"), "model_not_found", "`x`"),
        (404, '{"error":"model \\"x\\" not found, try pulling it first"}', "model_not_found", "pulling"),
        (500, error("model name=x failed to load", type="server_error"), "model_failed", "x failed"),
        (503, error("Loading model", type="unavailable_error", code=503), "loading", "Loading model"),
        (400, error("Failed to parse JSON: unexpected end", type="invalid_request_error"), "bad_request", "parse"),
        (400, error("x does not support tools"), "tools_refused", "does not support tools"),
        (500, error("tools param requires --jinja flag"), "tools_refused", "--jinja"),
        (
            400,
            json.dumps({"object": "error", "message": '"auto" tool choice requires --enable-auto-tool-choice'}),
            "tools_refused",
            "--enable-auto-tool-choice",
        ),
        (422, json.dumps({"detail": [{"msg": "field required"}]}), "bad_request", "field required"),
        (404, error("File Not Found", type="not_found_error", code=404), "not_a_server", "File Not Found"),
        (404, "<!DOCTYPE html><title>nginx</title>", "not_a_server", "(HTTP 404)"),
        (405, "", "not_a_server", "(HTTP 405)"),
        (
            501,
            error("This server does not support slots endpoint", type="not_supported_error"),
            "bad_request",
            "slots",
        ),
        (500, "unable to start process: exit status 1", "model_failed", "exit status 1"),
        (400, error("failed to load image"), "bad_request", "image"),
        (500, error("boom"), "server_fault", "boom"),
        (502, "<html>Bad Gateway</html>", "server_fault", "(HTTP 502)"),
        (429, error("slow down"), "server_fault", "slow down"),
        (500, "[" * 100_000, "server_fault", "["),
    ],
)
def test_causes(status: int, body: str, cause: str, says: str) -> None:
    failure = answer_error(status, body)
    assert (failure.cause, failure.status) == (cause, status)
    assert says in failure.sentence
    assert "<" not in failure.sentence
    assert failure.next_step.endswith((".", ")."))


@pytest.mark.parametrize(
    ("body", "prompt", "context"),
    [
        (error("too long", type="exceed_context_size_error", n_prompt_tokens=18020, n_ctx=4096), 18020, 4096),
        (error("request (18020 tokens) exceeds the available context size (4096 tokens), try"), 18020, 4096),
        (
            error(
                "This model's maximum context length is 4096 tokens. However, you requested 5000 tokens "
                "(4900 in the messages, 100 in the completion)."
            ),
            5000,
            4096,
        ),
        (error("prompt is too long", code="context_length_exceeded"), None, None),
        (error("the request exceeds the available context size"), None, None),
    ],
)
def test_context_numbers(body: str, prompt: int | None, context: int | None) -> None:
    failure = answer_error(400, body)
    assert failure.cause is ServerCause.CONTEXT_FULL
    assert (failure.prompt_tokens, failure.context_tokens) == (prompt, context)
    assert prompt is None or f"{prompt:,} tokens" in failure.sentence
    assert context is None or f"holds {context:,}" in failure.sentence


def test_a_redirect_says_where() -> None:
    failure = answer_error(302, "", location="https://login.example/")
    assert failure.cause is ServerCause.NOT_A_SERVER
    assert "https://login.example/" in failure.sentence


def test_a_key_that_is_missing_is_not_called_wrong() -> None:
    body = error("Invalid API Key")
    missing, wrong = answer_error(401, body), answer_error(401, body, secret="s3cret")
    assert "wants a key" in missing.sentence
    assert "name that in api_key_env" in missing.next_step
    assert "refused the key" in wrong.sentence
    assert "named by api_key_env" in wrong.next_step


def test_the_key_and_control_characters_stay_out_and_long_words_are_cut() -> None:
    failure = answer_error(401, error("key s3cret\x1b[31m\nis wrong " + "x" * 10_000), secret="s3cret")
    assert "s3cret" not in str(failure)
    assert failure.sentence.isprintable()
    assert len(failure.sentence) < 500


@given(st.integers(300, 599), st.text(), st.text())
def test_whatever_comes_is_one_sentence(status: int, body: str, location: str) -> None:
    failure = answer_error(status, body, location=location)
    assert failure.sentence.isprintable()
    assert failure.sentence.endswith((".", "!", "?"))
    assert failure.next_step
