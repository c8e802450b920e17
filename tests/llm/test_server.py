"""What a server says of itself, and the check that tells which step fails."""

from __future__ import annotations

import json
import socket
from collections.abc import Iterator
from contextlib import contextmanager
from typing import cast

import pytest

from llamachat.core.cancel import CancelToken
from llamachat.core.check_step import CheckStep
from llamachat.core.completion import CompletionRequest, Endpoint
from llamachat.core.errors import Cancelled, ServerCause, ServerError
from llamachat.llm.server import ModelInfo, ServerProbe, ServerProps, SlotState
from tests.fakes.sse_server import SseServer, http
from tests.llm.cases import Run, runs

REQUEST = CompletionRequest(({"role": "user", "content": "Hello"},))
MODEL = {"data": [{"id": "parrot", "object": "model"}]}
PROPS = {
    "default_generation_settings": {"n_ctx": 8192},
    "total_slots": 4,
    "model_alias": "parrot",
    "chat_template_caps": {"supports_tools": True, "supports_preserve_reasoning": False},
    "build_info": "b11434-abc",
}
NOT_FOUND = http('{"error": {"code": 404, "message": "File Not Found", "type": "not_found_error"}}', status=404)
LOADING = http('{"error": {"code": 503, "message": "Loading model", "type": "unavailable_error"}}', status=503)
REFUSED = http('{"error": {"message": "Invalid API Key", "type": "authentication_error"}}', status=401)


def answer(body: object) -> list[bytes]:
    """A reply of JSON."""
    return [http(json.dumps(body))]


@contextmanager
def probing(*replies: list[bytes], key: str = "") -> Iterator[tuple[ServerProbe, SseServer]]:
    """A probe, and the server that it asks."""
    with SseServer(*replies) as server:
        probe = ServerProbe(Endpoint(server.base_url, key))
        try:
            yield probe, server
        finally:
            probe.close()


@pytest.mark.parametrize("run", runs("models"))
def test_models_of_a_case(run: Run) -> None:
    with probing(answer(run.input)) as (probe, server):
        assert [[model.id, model.state] for model in probe.models()] == run.expect
        assert server.requests[0].path == "/v1/models"


def test_models_of_all_kinds() -> None:
    states = ["loaded", "unloaded", "loading", "sleeping", "downloading"]
    data = [{"id": state, "status": {"value": state}} for state in states]
    odd: list[object] = [
        {"id": "a\ud83d", "status": "loaded"},
        {"id": 7},
        "x",
        None,
        {"id": "b", "status": {"value": 1}},
    ]
    with probing(answer({"data": [*data, *odd]})) as (probe, _):
        assert probe.models() == (
            *(ModelInfo(state, state) for state in states),
            ModelInfo("a\ufffd"),
            ModelInfo("b"),
        )


@pytest.mark.parametrize("reply", [http("<html></html>", kind="text/html"), http("[]"), http("{}"), NOT_FOUND])
def test_models_of_something_else(reply: bytes) -> None:
    with probing([reply]) as (probe, _), pytest.raises(ServerError) as caught:
        probe.models()
    assert caught.value.cause is ServerCause.NOT_A_SERVER


def test_a_book_is_no_name_of_a_model() -> None:
    listed = {"data": [{"id": "m" * 1_000_000}, {"id": "/models/" + "m" * 900}]}
    with probing(answer(listed)) as (probe, _):
        assert [model.id for model in probe.models()] == ["/models/" + "m" * 900]


def test_models_while_loading() -> None:
    with probing([LOADING], answer(MODEL)) as (probe, _):
        with pytest.raises(ServerError) as caught:
            probe.models()
        assert caught.value.cause is ServerCause.LOADING
        assert probe.models() == (ModelInfo("parrot"),)


def test_asking_can_be_stopped() -> None:
    cancel = CancelToken()
    cancel.cancel()
    with probing(answer(MODEL)) as (probe, server):
        with pytest.raises(Cancelled):
            probe.models(cancel)
        assert server.requests == []


def test_props() -> None:
    with probing(answer(PROPS)) as (probe, server):
        known = ServerProps(8192, 4, True, False, "b11434-abc", router=False, model="parrot")
        assert probe.props() == known
        assert probe.props("a b/c") == known
        assert [request.path for request in server.requests] == ["/props", "/props?model=a%20b%2Fc&autoload=false"]


@pytest.mark.parametrize(
    ("told", "props"),
    [
        (
            {"role": "router", "default_generation_settings": {"n_ctx": 0}, "model_alias": "llama-server"},
            ServerProps(router=True),
        ),
        ({"model_path": "/m/x.gguf", "total_slots": "4", "chat_template_caps": []}, ServerProps(model="/m/x.gguf")),
        ({"model_alias": "m" * 5000}, ServerProps(model="m" * 1000)),
        ({"error": None}, ServerProps()),
    ],
)
def test_props_of_other_shapes(told: dict[str, object], props: ServerProps) -> None:
    with probing(answer(told)) as (probe, _):
        assert probe.props() == props


@pytest.mark.parametrize(
    ("state", "loads"), [("unloaded", True), ("loading", True), ("loaded", False), ("sleeping", False), (None, False)]
)
def test_props_of_a_model_that_is_not_loaded(state: str | None, *, loads: bool) -> None:
    not_loaded = http('{"error": {"code": 400, "message": "model is not loaded"}}', status=400)
    listed = [{"id": "x", "status": {"value": state}}] if state else []
    with probing([not_loaded], answer({"data": listed})) as (probe, _):
        assert probe.props("x") == ServerProps(loads=loads)


def test_props_where_there_are_none() -> None:
    not_loaded = http('{"error": {"code": 400, "message": "model is not loaded"}}', status=400)
    with probing([NOT_FOUND], [not_loaded], [REFUSED]) as (probe, _):
        assert probe.props() == ServerProps()
        assert probe.props("x") == ServerProps()
        with pytest.raises(ServerError):
            probe.props()


def test_slots() -> None:
    slots = [{"id": 0, "is_processing": False, "id_task": 0}, {"id": 1, "is_processing": True}]
    with probing(answer(slots)) as (probe, _):
        assert probe.slots() == (SlotState(0, busy=False, task=0), SlotState(1, busy=True, task=-1))


def test_count_tokens() -> None:
    with probing(answer({"input_tokens": 17}), [NOT_FOUND], answer({"error": ""}), [REFUSED]) as (probe, server):
        assert probe.count_tokens(REQUEST) == 17
        assert probe.count_tokens(REQUEST) is None
        assert probe.count_tokens(REQUEST) is None
        with pytest.raises(ServerError):
            probe.count_tokens(REQUEST)
        assert server.requests[0].path == "/v1/chat/completions/input_tokens"
        assert json.loads(server.requests[0].body) == {"messages": [{"role": "user", "content": "Hello"}]}


def test_apply_template() -> None:
    with probing(answer({"prompt": "<s>Hello"}), answer([])) as (probe, _):
        assert probe.apply_template(REQUEST) == "<s>Hello"
        with pytest.raises(ServerError):
            probe.apply_template(REQUEST)


def passed(steps: list[CheckStep]) -> list[bool]:
    """How the steps went, each told in sentences."""
    assert all(step.name for step in steps)
    assert all(step.detail for step in steps if not step.ok)
    return [step.ok for step in steps]


def test_check_of_a_good_server() -> None:
    with probing(answer(MODEL), answer(PROPS)) as (probe, _):
        steps = list(probe.check())
    assert passed(steps) == [True] * 4
    assert "parrot" in steps[-1].detail
    assert "8192" in steps[-1].detail


def test_a_key_that_was_accepted_is_told_of_where_there_is_one() -> None:
    for key, told in (("", False), ("k", True)):
        with probing(answer(MODEL), answer(PROPS), key=key) as (probe, _):
            assert any("key" in step.name for step in probe.check()) is told


@pytest.mark.parametrize(
    ("replies", "went", "says"),
    [
        ([[http("<html></html>", kind="text/html")]], [True, True, False], "no model server"),
        ([[NOT_FOUND]], [True, True, False], "File Not Found"),
        ([[REFUSED]], [True, True, True, False], "Invalid API Key"),
        ([answer(MODEL), [REFUSED]], [True, True, True, False], "Invalid API Key"),
        ([[LOADING]], [True, True, True, False], "Loading model"),
        ([answer({"data": []}), [NOT_FOUND]], [True, True, True, False], "no model"),
        ([answer(MODEL), [NOT_FOUND]], [True] * 4, "parrot."),
        ([answer({"data": [{"id": "a"}, {"id": "b"}]}), [NOT_FOUND]], [True] * 4, "2 models"),
    ],
)
def test_check_says_which_step_fails(replies: list[list[bytes]], went: list[bool], says: str) -> None:
    with probing(*replies) as (probe, _):
        steps = list(probe.check())
    assert passed(steps) == went
    assert says in steps[-1].detail


def test_check_of_a_model_that_is_not_there() -> None:
    both = answer({"data": [{"id": "a"}, {"id": "b"}]})
    with probing(both, [NOT_FOUND], both, [NOT_FOUND], answer(MODEL), answer(PROPS)) as (probe, _):
        assert not list(probe.check("c"))[-1].ok
        assert list(probe.check("b"))[-1].ok
        assert list(probe.check("c"))[-1].ok  # a server of one model takes any name


def test_check_without_a_server() -> None:
    with socket.create_server(("127.0.0.1", 0)) as listener:
        port = listener.getsockname()[1]
    steps = list(ServerProbe(Endpoint(f"127.0.0.1:{port}/v1")).check())
    assert passed(steps) == [True, False]
    assert f"http://127.0.0.1:{port}" in steps[0].detail
    assert "llama-server -m model.gguf" in steps[1].detail


def test_check_of_an_address_that_cannot_be_read() -> None:
    steps = list(ServerProbe(Endpoint("ftp://box")).check())
    assert passed(steps) == [False]
    assert "ftp://box" in steps[0].detail


def test_whatever_comes_gives_an_error_or_a_value() -> None:
    bodies = ["{" * 100_000, "null", '"x"', "1e999", "\xff", '{"data": [{"id": {}}]}', '{"prompt": 7}']
    for body in bodies:
        with probing([http(body)]) as (probe, _):
            for ask in (probe.models, probe.props, probe.slots):
                try:
                    cast("object", ask())
                except ServerError as error:
                    assert error.next_step  # noqa: PT017 - an answer is as good
