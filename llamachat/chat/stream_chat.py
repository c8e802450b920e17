"""The loop of a turn: asks the model, runs the tools it calls, asks again. A generator of events; nothing else."""

from __future__ import annotations

from collections.abc import Generator
from dataclasses import dataclass, field

from llamachat.chat.tools import Toolbox
from llamachat.core.cancel import CancelToken
from llamachat.core.completion import Sampling
from llamachat.core.conversation import SearchMode
from llamachat.core.errors import BugError
from llamachat.core.events import Event
from llamachat.core.messages import WireMessage
from llamachat.core.seams import Completer


@dataclass(frozen=True, slots=True)
class Turn:
    """What a turn starts from: `messages` end with the user's message (or with tool results, in Continue).

    keeps_cached_prompt: the server is a llama-server, which re-reads the whole chat once `tools` are left out.
    continue_text: the partial answer that the model is to go on with; its text is not yielded again.
    """

    messages: tuple[WireMessage, ...]
    model: str = ""
    sampling: Sampling = field(default_factory=Sampling)
    search_mode: SearchMode = SearchMode.AUTO
    max_searches: int = 2
    keeps_cached_prompt: bool = True
    continue_text: str = ""


def stream_chat(
    turn: Turn, *, completer: Completer, toolbox: Toolbox, cancel: CancelToken
) -> Generator[Event, None, None]:
    """Yield the events of one turn; the last one is always `finish`. Closing the generator hangs up."""
    raise BugError("not written yet")
