"""Short questions to the model beside a conversation: one answer as text, bound by a grammar where that works."""

from __future__ import annotations

from collections.abc import Callable, Generator
from contextlib import closing
from dataclasses import dataclass, replace

from llamachat.chat.answer import AnswerReader
from llamachat.chat.held_answer import hung_up
from llamachat.chat.router_prompts import aside_messages
from llamachat.chat.said import Said
from llamachat.core.cancel import CancelToken
from llamachat.core.completion import CompletionRequest, Sampling
from llamachat.core.errors import ServerError
from llamachat.core.events import Event
from llamachat.core.messages import JsonObject
from llamachat.core.seams import Completer

THINKING_TOKENS = 1024  # more room for a model that thinks whatever it is told
_MOST_CHARS = 100_000  # some servers know no limit of tokens, and nobody sees this answer who would stop it


@dataclass(frozen=True, slots=True)
class Aside:
    """Asks one model. binds: the server knows grammars and schemas.

    always_thinks: tells of a server that does whether the model cannot be kept from thinking, so that nothing may
    bind its first token. It may ask the server, and is called when there is something to ask.
    slot: see `CompletionRequest`.
    """

    completer: Completer
    model: str = ""
    always_thinks: Callable[[CancelToken], bool] = lambda _: False
    binds: bool = True
    slot: int | None = None

    def bound(self, cancel: CancelToken) -> bool:
        """Whether answers have the form that was asked for. Raises Cancelled."""
        return self.binds and not self.always_thinks(cancel)

    def ask(
        self,
        system: str,
        question: str,
        *,
        max_tokens: int,
        cancel: CancelToken,
        grammar: str = "",
        schema: JsonObject | None = None,
    ) -> str:
        """The answer without its thinking, or a beginning of it; "" where the server failed. Raises Cancelled."""
        bound = self.bound(cancel)
        request = replace(
            self._request(system, question, max_tokens=max_tokens, bound=bound),
            grammar=grammar if bound else "",
            schema=schema if bound else None,
        )
        said, left = Said(), _MOST_CHARS
        try:
            with (
                hung_up(self.completer.stream(request, cancel)) as deltas,
                closing(AnswerReader(said, ()).events(deltas)) as events,
            ):
                for event in events:
                    left -= len(event.data) if isinstance(event.data, str) else 0
                    if left < 0:
                        break
        except ServerError:
            return ""
        return said.content.strip()

    def told(
        self, system: str, question: str, *, max_tokens: int, cancel: CancelToken
    ) -> Generator[Event, None, None]:
        """Yield the events of an answer as it comes. Raises ServerError, Cancelled."""
        request = self._request(system, question, max_tokens=max_tokens, bound=self.bound(cancel))
        with closing(AnswerReader(Said(), ()).events(self.completer.stream(request, cancel))) as events:
            yield from events

    def _request(self, system: str, question: str, *, max_tokens: int, bound: bool) -> CompletionRequest:
        room = THINKING_TOKENS if self.binds and not bound else 0
        return CompletionRequest(
            messages=aside_messages(system, question),
            model=self.model,
            sampling=Sampling(temperature=0.0, max_tokens=max_tokens + room),
            thinking=False,
            slot=self.slot,
        )
