"""Who answers, out of the settings in force: the model server, its samplers, or the built-in engine in its place."""

from __future__ import annotations

import contextlib
import dataclasses
import os
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path

from llamachat.chat.aside import Aside
from llamachat.chat.summary import Draft, summary_drafts
from llamachat.config.schema import Config
from llamachat.core.cancel import CancelToken
from llamachat.core.completion import Endpoint, Sampling
from llamachat.core.errors import ServerError
from llamachat.core.messages import StoredMessage, StreamMark
from llamachat.core.seams import Clock, Completer, EgressLog
from llamachat.engines.embedded_llama import EmbeddedLlama
from llamachat.engines.fetch_package import fetch_demo_model, steadied
from llamachat.engines.kept_engine import KeptEngine
from llamachat.llm.address import normalize_base_url
from llamachat.llm.client import ChatClient
from llamachat.llm.known_servers import KnownServers
from llamachat.llm.places import Place, Places
from llamachat.llm.server import ServerProbe, ServerProps, SlotState
from llamachat.llm.streams import server_digest, stop_stream


@dataclass(frozen=True, slots=True)
class ModelServer:
    """A server as it was when it was asked, and one of its models ("" is its own choice).

    thinks_on: whether it can have the model go on within a thought that broke off; asks it, and may raise Cancelled.
    keeps_streams: it keeps answers for a while whose connection is lost.
    """

    endpoint: Endpoint
    props: ServerProps
    model: str
    _clock: Clock
    _thinks: Callable[[CancelToken], bool]
    thinks_on: Callable[[CancelToken], bool]
    keeps_streams: bool = False

    def client(self) -> ChatClient:
        """A connection of its own, which the caller closes."""
        loads, keeps = self.props.loads, self.keeps_streams
        return ChatClient(self.endpoint, clock=self._clock, loads=loads, keeps_streams=keeps)

    def still_has(self, mark: StreamMark, cancel: CancelToken) -> bool:
        """Whether it has the rest of an answer that broke off. Raises Cancelled."""
        if mark.server != server_digest(self.endpoint):
            return False
        with contextlib.suppress(ServerError), contextlib.closing(ServerProbe(self.endpoint)) as probe:
            return bool(probe.kept_streams((mark.id,), cancel))
        return False

    def let_go(self, marks: Sequence[StreamMark]) -> None:
        """Have it stop answers that nobody waits for any more."""
        for mark in marks:
            if mark.server == server_digest(self.endpoint):
                stop_stream(self.endpoint, mark.id, clock=self._clock)

    def aside(self, client: ChatClient) -> Aside:
        """Short questions to the model, beside any chat."""
        return Aside(client, self.model, self._thinks, binds=bool(self.props.build))


class ModelChoice:
    """Looks the settings up anew at each call, so that an edit counts from the next turn on. For any thread."""

    def __init__(self, config: Callable[[], Config], cache_dir: Path, *, clock: Clock, log: EgressLog) -> None:
        """cache_dir: where a fetched model is kept. log: told of the fetching."""
        self._config, self._cache_dir, self._clock, self._log = config, cache_dir, clock, log
        self._engine = KeptEngine()
        self._servers = KnownServers()
        self._places = Places()
        self._asks_demo_model = False

    def endpoint(self) -> Endpoint:
        """The server in use: the built-in engine while it runs, else the one of the settings. Raises ConfigError."""
        config = self._config()
        server = config.active_server()
        engine_url = self._engine.base_url
        base_url = engine_url or normalize_base_url(server.base_url)
        key = "" if engine_url or not server.api_key_env else os.environ.get(server.api_key_env, "")
        return Endpoint(base_url, key, request_timeout_s=config.request_timeout, load_timeout_s=config.load_timeout)

    def probe(self, base_url: str | None = None) -> ServerProbe:
        """A door to what the server is; the caller closes it. `base_url` tries another address with the same key.

        Raises ConfigError, and EngineError where the built-in engine has ended.
        """
        if base_url is not None:
            return ServerProbe(self._trial(base_url))
        self._engine.raise_if_ended()
        return ServerProbe(self.endpoint())

    def _trial(self, base_url: str) -> Endpoint:
        key = os.environ.get(self._config().active_server().api_key_env, "")
        return Endpoint(normalize_base_url(base_url), key)

    def server(self, model: str, cancel: CancelToken) -> ModelServer:
        """What is to be asked now; a built-in engine that has ended is started again.

        May ask the server. Raises Cancelled, ConfigError, ServerError, EngineError.
        """
        self._engine.revive(cancel)
        return self._server(model, cancel)

    def _server(self, model: str, cancel: CancelToken) -> ModelServer:
        endpoint = self.endpoint()
        props = self._servers.props(endpoint, model, cancel)
        if props.router and not model and (only := self._servers.only_model(endpoint, cancel)):
            return self._server(only, cancel)  # a router wants to hear a name, also where it has no choice
        return ModelServer(
            endpoint,
            props,
            model,
            self._clock,
            lambda cancel: self._servers.always_thinks(endpoint, props, model, cancel=cancel),
            lambda cancel: self._servers.thinks_on(endpoint, props, model, cancel=cancel),
            self._servers.keeps_streams(endpoint, props, cancel),
        )

    def kept(self, marks: Sequence[StreamMark], cancel: CancelToken) -> frozenset[str]:
        """Which of these answers that broke off the server still has, by their ids. Raises as `server` does."""
        endpoint = self.endpoint()
        ids = [mark.id for mark in marks if mark.server == server_digest(endpoint)]
        with contextlib.closing(ServerProbe(endpoint)) as probe:
            return (probe.kept_streams(ids, cancel) or frozenset()) if ids else frozenset()

    def place(self, server: ModelServer) -> Place:
        """Where a turn waits while others of this program take up all that the server writes at a time."""
        name = server.props.model or server.model
        return self._places.place(server.endpoint.base_url, name, slots=server.props.total_slots)

    @contextlib.contextmanager
    def aside(self, cancel: CancelToken) -> Iterator[Aside]:
        """Short questions to the model of the settings, beside any chat. Raises ConfigError."""
        config = self._config()
        server = self._server(config.active_prompt().model or config.active_server().model, cancel)
        with contextlib.closing(server.client()) as client:
            yield server.aside(client)

    @contextlib.contextmanager
    def aside_at_rest(self, model: str, cancel: CancelToken) -> Iterator[Aside | None]:
        """Short questions to a model while the server has nothing else to do; None where it works, or has to load it.

        A llama-server is asked in the slot that was used the longest ago: where it has several, never in that of the
        last answer. Raises Cancelled, ConfigError, ServerError.
        """
        server = self._server(model, cancel)
        slots = self._slots(server, cancel)
        if server.props.loads or any(slot.busy for slot in slots):
            yield None
            return
        oldest = min(slots, key=lambda slot: slot.task).id if len(slots) > 1 else None
        with contextlib.closing(server.client()) as client:
            yield dataclasses.replace(server.aside(client), slot=oldest)

    @staticmethod
    def _slots(server: ModelServer, cancel: CancelToken) -> tuple[SlotState, ...]:
        """None where it is no llama-server, or one that does not tell."""
        if not server.props.build:
            return ()
        with contextlib.closing(ServerProbe(server.endpoint)) as probe:
            try:
                return probe.slots(server.model, cancel)
            except ServerError:
                return ()

    def summary(self, messages: Sequence[StoredMessage], model: str, cancel: CancelToken) -> Iterator[Draft]:
        """What a model writes about a chat, when it is its turn; see `summary_drafts`. Raises ConfigError too."""
        server = self.server(model, cancel)
        place = self.place(server)
        with contextlib.closing(server.client()) as client:
            try:
                if not place.enter():
                    place.wait(cancel)
                known = server.props.n_ctx
                yield from summary_drafts(server.aside(client), messages, cancel, context_tokens=known)
            finally:
                place.leave()

    def sampling(self, prompt_name: str) -> Sampling:
        """How answers are made in chats with this prompt."""
        prompt = self._config().prompt_named(prompt_name)
        chosen = Sampling(**{field.name: getattr(prompt, field.name) for field in dataclasses.fields(Sampling)})
        return steadied(chosen) if self._asks_demo_model and self.engine_running else chosen

    # The built-in engine

    @property
    def engine_running(self) -> bool:
        """Whether the built-in engine answers in place of the server of the settings."""
        return self._engine.running

    @staticmethod
    def engine_installed() -> bool:
        """Whether the extra `local` is there."""
        return EmbeddedLlama.installed()

    def start_engine(self, model: Path | None, *, progress: Callable[[int, int], None], cancel: CancelToken) -> None:
        """Fetch the demo model if `model` is None, load it, and use it from the next turn on. Blocks for minutes.

        progress: bytes done and bytes in all. Raises EngineError or Cancelled.
        """
        path = model or fetch_demo_model(self._cache_dir, progress=progress, cancel=cancel, log=self._log)
        self._asks_demo_model = model is None
        self._engine.start(path, cancel)

    @property
    def loading(self) -> bool:
        """Whether the built-in engine has ended and is started again by the next turn."""
        return self._engine.away

    def watched(self, client: ChatClient) -> Completer:
        """The client, with the engine's own words where it has ended."""
        return self._engine.watched(client)

    def stop_engine(self) -> None:
        """End the process, if one runs."""
        self._engine.stop()
