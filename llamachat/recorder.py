"""One turn: store the question, drive `stream_chat`, write what passes into the store."""

from __future__ import annotations

from collections.abc import Generator
from dataclasses import dataclass, field
from typing import Literal, TypeAlias

from llamachat.core.cancel import CancelToken
from llamachat.core.clock import SystemClock
from llamachat.core.completion import Sampling
from llamachat.core.conversation import Conversation, SearchMode
from llamachat.core.errors import BugError
from llamachat.core.events import Event
from llamachat.core.messages import StoredMessage
from llamachat.core.seams import Clock, Completer, SearchService
from llamachat.storage.database import Database

Action: TypeAlias = Literal["send", "retry", "continue"]


@dataclass(frozen=True, slots=True)
class TurnRequest:
    """What the user asked for.

    send: `text` at the end of the conversation (None: a new one, with the system prompt text `prompt`).
    retry: another answer beside `message_id`. continue: go on with the answer `message_id`.
    message_id: an assistant row; None takes the last one of the branch shown.
    save: False leaves the store as it is; the conversation is only read.
    """

    action: Action
    conversation_id: int | None = None
    text: str = ""
    model: str = ""
    search_mode: SearchMode = SearchMode.AUTO
    prompt: str = ""
    save: bool = True
    message_id: int | None = None


@dataclass(frozen=True, slots=True)
class TurnParts:
    """What the program gives a turn, out of its settings.

    search: None when searching is not permitted or not configured; then no tool is offered.
    keeps_cached_prompt: the server is a llama-server. keeps_reasoning: its `supports_preserve_reasoning`.
    """

    completer: Completer
    search: SearchService | None = None
    sampling: Sampling = field(default_factory=Sampling)
    max_searches: int = 2
    keeps_cached_prompt: bool = True
    keeps_reasoning: bool = False
    clock: Clock = field(default_factory=SystemClock)


class RecordedTurn:
    """A turn whose rows are stored (`user` and the streaming `answer`) and that has yet to run.

    `user` is None for retry and continue. With `save=False` the ids are 0.
    """

    conversation: Conversation
    user: StoredMessage | None
    answer: StoredMessage

    @property
    def conversation_id(self) -> int:
        """The conversation's row; 0 when nothing is saved and it is new."""
        return self.conversation.id

    @property
    def user_message_id(self) -> int | None:
        """The row of the question that was stored, if one was."""
        return self.user.id if self.user else None

    @property
    def assistant_message_id(self) -> int:
        """The row of the answer."""
        return self.answer.id

    def events(self) -> Generator[Event, None, None]:
        """Run the turn once, in this thread (the one of the database); `finish` is the last event.

        Closing it stops the turn: the row keeps what came, with the status `stopped`.
        """
        raise BugError("not written yet")

    def stored_answer(self) -> StoredMessage:
        """The row of the answer as it stands; when not saved, as it would stand."""
        raise BugError("not written yet")


def start_turn(db: Database, request: TurnRequest, *, parts: TurnParts, cancel: CancelToken) -> RecordedTurn:
    """Store the question and an empty answer in one transaction, and return the turn to run."""
    raise BugError("not written yet")
