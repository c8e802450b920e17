"""What a model server is: its models, properties and slots, the length of a prompt, and whether all of it works."""

from __future__ import annotations

import json
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from urllib.parse import quote

from llamachat.core.cancel import CancelToken
from llamachat.core.check_step import CheckStep
from llamachat.core.completion import CompletionRequest, Endpoint
from llamachat.core.errors import ConfigError, ServerCause, ServerError
from llamachat.core.messages import JsonObject, JsonValue
from llamachat.core.text import clean, tr
from llamachat.llm.address import normalize_base_url
from llamachat.llm.exchange import Exchange
from llamachat.llm.failures import answer_error
from llamachat.llm.request import body_bytes, prompt_body

_TIMEOUT_S = 15.0
_LONGEST_NAME = 1000  # characters
_AWAY = ("unloaded", "loading", "downloading", "failed")
_STATES = ("loaded", "unloaded", "loading", "sleeping", "downloading")


@dataclass(frozen=True, slots=True)
class ModelInfo:
    """A model that the server offers. All of them can be chosen: one that is unloaded loads when it is used.

    state: loaded, unloaded, loading, sleeping, downloading, failed (the last attempt to load it; a warning, no lock)
    or unknown.
    """

    id: str
    state: str = "unknown"


@dataclass(frozen=True, slots=True)
class ServerProps:
    """What the server says of itself; None or "" where it does not. `n_ctx` is the context of one slot, in tokens.

    router: the server starts models on demand, and these are the router's own properties.
    loads: the model is known and not loaded; a chat with it loads it first.
    """

    n_ctx: int | None = None
    total_slots: int | None = None
    supports_tools: bool | None = None
    supports_preserve_reasoning: bool | None = None
    build: str = ""
    router: bool = False
    model: str = ""
    loads: bool = False


@dataclass(frozen=True, slots=True)
class SlotState:
    """A slot of the server, and whether it works on a request. task: the number of its last one, -1 before any."""

    id: int
    busy: bool
    task: int = -1


class ServerProbe:
    """Asks a server about itself; one thread at a time. Everything but `check` raises ServerError."""

    def __init__(self, endpoint: Endpoint) -> None:
        self._endpoint = endpoint
        self._within_s = min(_TIMEOUT_S, endpoint.request_timeout_s)
        self._exchange = Exchange(endpoint, self._within_s)

    def models(self, cancel: CancelToken | None = None) -> tuple[ModelInfo, ...]:
        """Give the models on offer. While a server loads its only model the error has the cause LOADING."""
        listed = self._get("/v1/models", cancel)
        data = listed.get("data")
        if not isinstance(data, list):
            raise _not_a_server()
        return tuple(_model(item) for item in data if isinstance(item, dict) and _is_name(item.get("id")))

    def props(self, model: str = "", cancel: CancelToken | None = None) -> ServerProps:
        """Give the properties, of `model` where a router is asked (which does not load it).

        All unknown for a server that has no such route, or a model that is not loaded.
        """
        try:
            told = self._get(f"/props{_query(model)}", cancel)
        except ServerError as error:
            if error.cause is ServerCause.MODEL_NOT_FOUND:
                return ServerProps(loads=self._loads(model, cancel))
            if error.cause in (ServerCause.NOT_A_SERVER, ServerCause.BAD_REQUEST):
                return ServerProps()
            raise
        return _props(told)

    def _loads(self, model: str, cancel: CancelToken | None) -> bool:
        try:
            states = {known.id: known.state for known in self.models(cancel)}
        except ServerError:
            return False
        return states.get(model) in _AWAY

    def slots(self, model: str = "", cancel: CancelToken | None = None) -> tuple[SlotState, ...]:
        """Give the slots; llama-server may be started with this switched off."""
        listed = self._ask("GET", f"/slots{_query(model)}", cancel=cancel)
        slots = [slot for slot in listed if isinstance(slot, dict)] if isinstance(listed, list) else []
        return tuple(_slot(slot) for slot in slots)

    def kept_streams(self, ids: Sequence[str], cancel: CancelToken | None = None) -> frozenset[str] | None:
        """Give which of these answers the server still has, running or whole; None where it keeps none at all."""
        content = body_bytes({"conversation_ids": list(ids)})
        try:
            told = self._ask("POST", "/v1/streams/lookup", cancel=cancel, content=content)
        except ServerError as error:
            if error.cause in (ServerCause.UNREACHABLE, ServerCause.TIMEOUT, ServerCause.LOADING):
                raise
            return None
        if not isinstance(told, list):
            return None
        named = {str(stream.get("conversation_id")) for stream in told if isinstance(stream, dict)}
        return frozenset(ids) & named

    def count_tokens(self, request: CompletionRequest, cancel: CancelToken | None = None) -> int | None:
        """Give the exact length of the prompt, tools and template included; None where the server cannot tell."""
        content = body_bytes(prompt_body(request))
        try:
            told = self._ask("POST", "/v1/chat/completions/input_tokens", cancel=cancel, content=content)
        except ServerError as error:
            if error.cause is ServerCause.NOT_A_SERVER or error.status == 501:
                return None
            raise
        return _whole(told.get("input_tokens")) if isinstance(told, dict) else None

    def apply_template(self, request: CompletionRequest, cancel: CancelToken | None = None) -> str:
        """Give the prompt that the server makes of the request."""
        told = self._ask("POST", "/apply-template", cancel=cancel, content=body_bytes(prompt_body(request)))
        prompt = told.get("prompt") if isinstance(told, dict) else None
        if not isinstance(prompt, str):
            raise _not_a_server()
        return prompt

    def check(self, model: str = "", cancel: CancelToken | None = None) -> Iterator[CheckStep]:
        """Yield one step after the other up to the first that fails: address, server, key, model.

        `model` is the chosen one, "" where the server's own is taken. Raises nothing but Cancelled.
        """
        address = tr("The address can be read")
        try:
            base_url = normalize_base_url(self._endpoint.base_url)
        except ConfigError as error:
            yield CheckStep(address, ok=False, detail=str(error))
            return
        yield CheckStep(address, ok=True, detail=base_url)
        probe = ServerProbe(replace(self._endpoint, base_url=base_url))
        try:
            yield from _check_server(probe, model, cancel, keyed=bool(self._endpoint.api_key))
        finally:
            probe.close()

    def close(self) -> None:
        """Let go of what is held."""
        self._exchange.close()

    def _get(self, path: str, cancel: CancelToken | None = None) -> JsonObject:
        told = self._ask("GET", path, cancel=cancel)
        if not isinstance(told, dict):
            raise _not_a_server()
        return told

    def _ask(
        self, method: str, path: str, *, cancel: CancelToken | None = None, content: bytes | None = None
    ) -> JsonValue:
        token = cancel or CancelToken()
        with self._exchange.open(method, path, cancel=token, content=content, within_s=self._within_s) as answer:
            body = answer.body()
        token.raise_if_cancelled()
        if answer.status != 200:
            raise answer_error(answer.status, body, location=answer.location, secret=self._endpoint.api_key)
        try:
            told: JsonValue = json.loads(body)
        except (ValueError, RecursionError) as error:
            raise _not_a_server() from error
        return told


def _check_server(probe: ServerProbe, model: str, cancel: CancelToken | None, *, keyed: bool) -> Iterator[CheckStep]:
    """keyed: there is a key that can be accepted; without one only a refusal is told."""
    reached, api = tr("A server answers"), tr("It is a model server")
    key, ready = tr("It accepts the key"), tr("A model is there")
    models: tuple[ModelInfo, ...] = ()
    failure: ServerError | None = None
    try:
        models = probe.models(cancel)
        props = probe.props(cancel=cancel)  # the list of models may be open where the rest wants a key
    except ServerError as error:
        failure = error
        props = ServerProps()
    cause = failure.cause if failure else None
    steps = [
        (reached, cause not in (ServerCause.UNREACHABLE, ServerCause.TIMEOUT, ServerCause.CUT_OFF)),
        (api, cause in (None, ServerCause.UNAUTHORIZED, ServerCause.LOADING)),
        (key, cause is not ServerCause.UNAUTHORIZED),
        (ready, cause is None),
    ]
    for name, passed in steps:
        if not passed:
            yield CheckStep(name, ok=False, detail=str(failure))
            return
        if name is not ready and (keyed or name is not key):
            yield CheckStep(name, ok=True)
    yield _check_model(ready, model, models, props)


def _check_model(name: str, chosen: str, models: tuple[ModelInfo, ...], props: ServerProps) -> CheckStep:
    offered = [model.id for model in models]
    if not offered:
        return CheckStep(name, ok=False, detail=tr("The server offers no model."))
    if chosen and chosen not in offered and len(offered) > 1:  # a server of one model takes any name
        missing = tr("The server does not have the model {model}.").format(model=chosen)
        return CheckStep(name, ok=False, detail=missing)
    if not chosen and len(offered) > 1:
        return CheckStep(name, ok=True, detail=tr("{count} models; choose one.").format(count=len(offered)))
    model = chosen if chosen in offered else offered[0]
    context = tr("{model}, with a context of {n_ctx} tokens.").format(model=model, n_ctx=props.n_ctx)
    return CheckStep(name, ok=True, detail=context if props.n_ctx else f"{model}.")


def _is_name(value: object) -> bool:
    """Whether it can stand in a list; paths and addresses do, a book does not."""
    return isinstance(value, str) and len(value) <= _LONGEST_NAME


def _model(item: JsonObject) -> ModelInfo:
    status = item.get("status")
    value = status.get("value") if isinstance(status, dict) else None
    state = value if isinstance(value, str) and value in _STATES else "unknown"
    if state == "unloaded" and isinstance(status, dict) and status.get("failed"):
        state = "failed"
    return ModelInfo(clean(str(item["id"])), state)


def _props(told: JsonObject) -> ServerProps:
    caps, settings = told.get("chat_template_caps"), told.get("default_generation_settings")
    caps = caps if isinstance(caps, dict) else {}
    n_ctx = _whole(settings.get("n_ctx")) if isinstance(settings, dict) else None
    router = told.get("role") == "router"
    path = "" if router else told.get("model_alias") or told.get("model_path")  # a router's alias is its own
    return ServerProps(
        n_ctx=n_ctx or None,
        total_slots=_whole(told.get("total_slots")),
        supports_tools=_flag(caps.get("supports_tools")),
        supports_preserve_reasoning=_flag(caps.get("supports_preserve_reasoning")),
        build=clean(str(told.get("build_info") or ""))[:_LONGEST_NAME],
        router=router,
        model=clean(str(path or ""))[:_LONGEST_NAME],
    )


def _slot(told: JsonObject) -> SlotState:
    task = _whole(told.get("id_task"))
    return SlotState(_whole(told.get("id")) or 0, told.get("is_processing") is True, -1 if task is None else task)


def _query(model: str) -> str:
    """What names a model to a router without making it load."""
    return f"?model={quote(model, safe='')}&autoload=false" if model else ""


def _whole(value: object) -> int | None:
    return value if isinstance(value, int) and not isinstance(value, bool) else None


def _flag(value: object) -> bool | None:
    return value if isinstance(value, bool) else None


def _not_a_server() -> ServerError:
    return ServerError(
        tr("What answers at this address is no model server."),
        tr("Check base_url: it is the address of the server without /v1."),
        cause=ServerCause.NOT_A_SERVER,
    )
