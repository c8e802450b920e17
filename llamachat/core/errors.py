"""What can go wrong, as one tree.

LlamaChatError
├── UserFacingError        a sentence for a person and the next step
│   ├── ServerError        the model server: `cause` says which way
│   ├── SearchError        the web search: `cause` says which way
│   ├── PageError          a web page that cannot be read
│   ├── ConfigError        config.toml
│   ├── KeyStoreError      the system's keyring
│   ├── StorageError       the database
│   ├── TransferError      a file of chats to be imported
│   └── EngineError        a child process: the built-in engine, a package download
├── Cancelled              Stop was pressed; nobody is told
└── BugError               a state that the code rules out
"""

from __future__ import annotations

from enum import StrEnum


class LlamaChatError(Exception):
    """The root: everything the program raises itself."""


class UserFacingError(LlamaChatError):
    """An error told to a person: one sentence, and what to do next (may be empty)."""

    def __init__(self, sentence: str, next_step: str = "") -> None:
        super().__init__(sentence)
        self.sentence = sentence
        self.next_step = next_step

    def __str__(self) -> str:
        return f"{self.sentence} {self.next_step}".strip()


class ServerCause(StrEnum):
    """Why the model server gave no (whole) answer."""

    UNREACHABLE = "unreachable"
    TIMEOUT = "timeout"
    UNAUTHORIZED = "unauthorized"
    MODEL_NOT_FOUND = "model_not_found"
    MODEL_FAILED = "model_failed"
    LOADING = "loading"
    CONTEXT_FULL = "context_full"
    CONTEXT_FULL_OF_RESULTS = "context_full_of_results"  # and results of older turns take room in it
    TOOLS_REFUSED = "tools_refused"
    PREFILL_REFUSED = "prefill_refused"
    BAD_REQUEST = "bad_request"
    SERVER_FAULT = "server_fault"
    CUT_OFF = "cut_off"
    NOT_A_SERVER = "not_a_server"


class ServerError(UserFacingError):
    """The model server failed; `status` is the HTTP status if one came.

    For CONTEXT_FULL `prompt_tokens` and `context_tokens` hold the server's numbers where it told them.
    """

    def __init__(
        self,
        sentence: str,
        next_step: str = "",
        *,
        cause: ServerCause,
        status: int | None = None,
        prompt_tokens: int | None = None,
        context_tokens: int | None = None,
    ) -> None:
        super().__init__(sentence, next_step)
        self.cause = cause
        self.status = status
        self.prompt_tokens = prompt_tokens
        self.context_tokens = context_tokens


class SearchCause(StrEnum):
    """Why a search gave no results. An empty answer of working engines is none of these."""

    NOT_CONFIGURED = "not_configured"
    NO_KEY = "no_key"
    KEY_REJECTED = "key_rejected"
    NO_CREDIT = "no_credit"
    BAD_ADDRESS = "bad_address"
    UNREACHABLE = "unreachable"
    TIMEOUT = "timeout"
    TLS = "tls"
    UNAUTHORIZED = "unauthorized"
    FORBIDDEN = "forbidden"
    SWITCHED_OFF = "switched_off"
    TOO_OLD = "too_old"
    JSON_OFF = "json_off"
    LIMITED = "limited"
    REDIRECTED = "redirected"
    NOT_FOUND = "not_found"
    NOT_SEARXNG = "not_searxng"
    UNREADABLE = "unreadable"
    BOT_PAGE = "bot_page"
    SERVER_FAULT = "server_fault"
    ENGINES_REFUSED = "engines_refused"
    BAD_QUERY = "bad_query"
    BAD_CALL = "bad_call"
    PACED = "paced"
    PAUSED = "paused"
    DECLINED = "declined"
    CANCELLED = "cancelled"


class SearchError(UserFacingError):
    """A search failed. `engines` are SearXNG's (name, reason) pairs where it named any.

    retry_after_s: seconds until another try may help, where that is known.
    """

    def __init__(
        self,
        sentence: str,
        next_step: str = "",
        *,
        cause: SearchCause,
        engines: tuple[tuple[str, str], ...] = (),
        retry_after_s: float | None = None,
    ) -> None:
        super().__init__(sentence, next_step)
        self.cause = cause
        self.engines = engines
        self.retry_after_s = retry_after_s


class PageError(UserFacingError):
    """A web page cannot be read. The sentence is the reason alone, in words that fit behind a colon."""


class ConfigError(UserFacingError):
    """config.toml cannot be read, or a change cannot be written."""


class KeyStoreError(UserFacingError):
    """A key cannot be kept or forgotten."""


class StorageError(UserFacingError):
    """The database cannot be opened, read or written."""


class TransferError(UserFacingError):
    """A file of chats cannot be imported. Within `transfer` the sentence is the reason alone, as behind a colon."""


class EngineError(UserFacingError):
    """A child process or a download of the program's own failed."""


class Cancelled(LlamaChatError):
    """The user pressed Stop. Caught where the turn ends; never shown as a failure."""


class BugError(LlamaChatError):
    """The code is wrong: a state that cannot be."""
