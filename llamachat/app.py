"""The only place that turns settings into objects, with `model_choice` and `search_choice` for their parts."""

from __future__ import annotations

import contextlib
import dataclasses
import threading
from dataclasses import dataclass

from llamachat.config.edit import set_key, unset_key
from llamachat.config.keys import changed_keys, needs_restart
from llamachat.config.load import Loaded, load_config, write_first_config
from llamachat.config.option import options
from llamachat.config.paths import Paths
from llamachat.config.problem import Problem
from llamachat.config.schema import Config
from llamachat.config.search_settings import SearchSettings
from llamachat.core.cancel import CancelToken
from llamachat.core.clock import SystemClock
from llamachat.core.conversation import Conversation
from llamachat.core.egress import EgressOf, NoEgressLog
from llamachat.core.errors import ConfigError
from llamachat.core.events import PhaseName
from llamachat.core.seams import Clock, EgressLog
from llamachat.core.text import tr
from llamachat.engines.local_searxng import LocalSearxng
from llamachat.faults import config_faults
from llamachat.llm.server import ServerProps
from llamachat.model_choice import ModelChoice, ModelServer
from llamachat.recorder import RecordedTurn, start_turn
from llamachat.search_choice import SearchChoice, SearchPermission
from llamachat.storage.conversations import get_conversation
from llamachat.storage.database import Database
from llamachat.storage.journal import Journal
from llamachat.storage.opening import IN_MEMORY
from llamachat.storage.unsaved import UnsavedMessages
from llamachat.turn_parts import RouterParts, TurnParts
from llamachat.turn_rows import TurnRequest
from llamachat.websearch.guard import Guard
from llamachat.websearch.provider import OwnSearxng
from llamachat.websearch.service import WebSearch


@dataclass(frozen=True, slots=True)
class Reconfigured:
    """What an edit of config.toml changed: keys that are in force now, and keys that wait for a restart."""

    changed: tuple[str, ...]
    waiting: tuple[str, ...]


class App:
    """The program without its window. Methods may be called from any thread; a Database belongs to its own."""

    def __init__(self, paths: Paths, loaded: Loaded, *, clock: Clock) -> None:
        self.paths = paths
        self._clock = clock
        self._lock = threading.Lock()
        self._loaded = loaded
        self._faults = config_faults(loaded.config)
        self.unsaved = UnsavedMessages()
        self.journal = Journal(self.database, wanted=lambda: self.config.journal)
        self.searxng = LocalSearxng(paths.data_dir / "searxng")
        self.search = SearchChoice(
            lambda: self.config,
            paths.runtime_dir / "search.json",
            clock=clock,
            log=self.journal,
            own_searxng=OwnSearxng(self.searxng.start, self.searxng.package.installed),
            key_lock=paths.cache_dir / "keys.lock",  # one for a person, whatever the data folder, as the keyring is
        )
        self.models = ModelChoice(lambda: self.config, paths.cache_dir, clock=clock, log=self.journal)
        self._told_of_lost_cache = False

    @property
    def config(self) -> Config:
        """The settings in force."""
        return self._loaded.config

    @property
    def problems(self) -> tuple[Problem, ...]:
        """What is wrong with config.toml, and with what it names."""
        return self._loaded.problems + self._faults

    @property
    def savable(self) -> bool:
        """Whether the program may change config.toml; not while it holds a mistake."""
        return self._loaded.savable

    # Settings

    def reload(self) -> Reconfigured:
        """Read config.toml again; what is right in it is in force from the next turn on."""
        with self._lock:
            before = self._loaded.config
            self._loaded = load_config(self.paths.config_file, last_good=before)
            self._faults = config_faults(self._loaded.config)
            changed = changed_keys(before, self._loaded.config)
        self.search.given_up.clear()
        if self.searxng.running and not self.search.needs_own_searxng():
            threading.Thread(target=self.searxng.stop, name="searxng stop").start()  # it takes a moment
        waiting = tuple(key for key in changed if needs_restart(key))
        return Reconfigured(tuple(key for key in changed if key not in waiting), waiting)

    def set_setting(self, key: str, value: str | float) -> Reconfigured:
        """Change one key in config.toml and take it over; raises ConfigError."""
        self._require_savable()
        set_key(self.paths.config_file, key, value)
        return self.reload()

    def reset_search(self) -> Reconfigured:
        """Switch web search off and give its settings their first values; keys stay. Raises ConfigError."""
        self._require_savable()
        for key in options(SearchSettings):
            unset_key(self.paths.config_file, key)
        return self.reload()

    def _require_savable(self) -> None:
        if not self.savable:
            first = next(problem for problem in self._loaded.problems if problem.severity == "error")
            raise ConfigError(
                tr("config.toml holds a mistake, so the program does not change it."),
                tr("Mend it in a text editor first. {problem}").format(problem=first),
            )

    # The store

    def database(self, *, memory: bool = False, check: bool = False) -> Database:
        """A new connection for the thread that asks and closes it. Raises StorageError.

        memory: keeps nothing. check: look through the file first and mend what is damaged, for the start.
        """
        if memory:
            return Database.in_memory(clock=self._clock)
        return Database.open(self.paths.database, clock=self._clock, check=check, unsaved=self.unsaved)

    # A turn

    def start_turn(
        self, db: Database, request: TurnRequest, cancel: CancelToken, *, guard: Guard | None = None
    ) -> RecordedTurn:
        """Store the question and return the turn, which asks the server only when it runs. For a worker's thread.

        guard: for its searches, in the place of the program's own. Where the database is in memory, the journal is
        told nothing, and the server keeps no answer whose connection is lost.
        """
        model = request.model or self.model_of(db, request)
        asked, model = dataclasses.replace(request, model=model), request.answer_model or model
        phase = PhaseName.LOADING if self.models.loading else PhaseName.WAITING

        def prepare() -> TurnParts:
            server = self.models.server(model, cancel)
            log: EgressLog = EgressOf(turn.answer.id, self.journal.record)
            if db.path == IN_MEMORY:
                server, log = dataclasses.replace(server, keeps_streams=False), NoEgressLog()
            return self._parts(server, turn.conversation, log=log, guard=guard)

        turn = start_turn(db, asked, prepare=prepare, phase=phase, cancel=cancel)
        return turn

    def _parts(self, server: ModelServer, chat: Conversation, *, log: EgressLog, guard: Guard | None) -> TurnParts:
        props = server.props
        may_search = self.search_permission().ready
        search = self.search.web_search(context_tokens=props.n_ctx, log=log, guard=guard, chat_id=chat.id)
        connections = contextlib.ExitStack()
        client = connections.enter_context(contextlib.closing(server.client()))
        aside = connections.enter_context(contextlib.closing(server.client()))
        place = self.models.place(server)
        connections.callback(place.leave)
        router = RouterParts(
            aside=server.aside(aside),
            takes_all=self._router_decides(props),
            optimizes=self.config.search_optimize,
            speculates=self.config.search_speculate and (props.total_slots or 1) > 1,
            paused=self.search.paused() if may_search else "",
            may_tell=self._tell_of_lost_cache,
        )
        return TurnParts(
            completer=self.models.watched(client),
            search=search if may_search else None,
            router=router,
            sampling=self.models.sampling(chat.prompt_name),
            max_searches=self.config.max_searches,
            search_keep_turns=self.config.search_keep_turns,
            context_tokens=props.n_ctx,
            keeps_cached_prompt=bool(props.build),
            keeps_reasoning=bool(props.supports_preserve_reasoning),
            thinks_on=server.thinks_on,
            still_has=server.still_has,
            let_go=server.let_go,
            asked_model=server.model,
            model=props.model or server.model,
            told_model=lambda: client.model,
            place=place,
            on_end=connections.close,
        )

    def _tell_of_lost_cache(self) -> bool:
        """Once as long as the program runs."""
        told, self._told_of_lost_cache = self._told_of_lost_cache, True
        return not told

    def _router_decides(self, props: ServerProps) -> bool:
        route = self.config.search_route
        return route == "router" or (route == "auto" and props.supports_tools is False)

    def model_of(self, db: Database, request: TurnRequest) -> str:
        """The model of a conversation, or where none was chosen that of the settings; "" leaves it to the server."""
        known = get_conversation(db, request.conversation_id) if request.conversation_id is not None else None
        prompt_model = "" if known else self.config.prompt_named(request.prompt_name).model
        return (known.model if known else "") or prompt_model or self.config.active_server().model

    # Web search

    def search_permission(self) -> SearchPermission:
        """Whether models may search now, in words. Never blocks."""
        return self.search.permission()

    def web_search(self) -> WebSearch:
        """The search with the settings in force; where one is missing every search is a record that says so."""
        return self.search.web_search()

    def search_url(self) -> str:
        """The address of SearXNG. It may hold a password."""
        return self.search.searxng_url()

    def close(self) -> None:
        """End the child processes, and write what is left of the journal."""
        self.models.stop_engine()
        self.searxng.stop()
        self.journal.flush()


def build_app(paths: Paths, *, clock: Clock | None = None) -> App:
    """Read the settings (writing the commented file at the first start) and make the program out of them."""
    with contextlib.suppress(ConfigError):  # where it cannot be written the defaults hold, and saving will say why
        write_first_config(paths.config_file)
    return App(paths, load_config(paths.config_file), clock=clock or SystemClock())
