"""How turns end that do not end well: the bar of each below its answer, and the line that is left of it later."""

from __future__ import annotations

from collections.abc import Callable, Mapping

from llamachat.core.errors import ServerCause
from llamachat.core.events import FinishReason
from llamachat.core.messages import Status, StoredMessage
from llamachat.ui.transcript.view import TranscriptView
from tests.gallery.turns import FOUND, THOUGHT, answer, question, stored

HALF = "The moon pulls on the water that faces it, and on the far"
TOO_LONG = (
    "The chat is too long for the model: 18,020 tokens, and the context holds 4,096.\n"
    "Begin a new chat, or give the server a larger context (llama-server -c N)."
)
LOST = (
    "The answer broke off: the model server closed the connection before its end.\nTry again, or have the answer "
    "continued."
)
AWAY = "No model server answers at http://127.0.0.1:8080.\nStart llama-server, or change base_url in config.toml."
THOUGHT_OUT = (
    "The model thought until the token limit was reached, and gave no answer.\n"
    "Continue without thinking has it answer from what it has thought so far."
)
CUT = "The answer ends here because the token limit was reached.\nContinue has the model go on."


def _ended(
    *, reason: str, status: Status = Status.FAILED, error: str = "", text: str = "", thought: str = ""
) -> StoredMessage:
    return answer(text, status=status, finish_reason=reason, error=error, reasoning=thought)


ENDINGS: Mapping[str, StoredMessage] = {
    "length": _ended(reason=FinishReason.LENGTH, status=Status.COMPLETE, error=CUT, text=HALF),
    "thinking": _ended(reason=FinishReason.THINKING, status=Status.COMPLETE, error=THOUGHT_OUT, thought=THOUGHT),
    "stopped": _ended(reason=FinishReason.STOPPED, status=Status.STOPPED, text=HALF),
    "stopped-early": _ended(reason=FinishReason.STOPPED, status=Status.STOPPED),
    "stopped-thinking": _ended(reason=FinishReason.STOPPED, status=Status.STOPPED, thought=THOUGHT),
    "lost": _ended(reason=FinishReason.CUT_OFF, status=Status.INTERRUPTED, error=LOST, text=HALF),
    "killed": _ended(reason="", status=Status.INTERRUPTED, text=HALF),
    "away": _ended(reason=ServerCause.UNREACHABLE, error=AWAY),
    "empty": _ended(reason=FinishReason.EMPTY, error="The model gave no answer.\nRetry asks it once more."),
    "context": _ended(reason=ServerCause.CONTEXT_FULL, error=TOO_LONG),
    "context-results": _ended(reason=ServerCause.CONTEXT_FULL_OF_RESULTS, error=TOO_LONG),
}


def _long_ago(view: TranscriptView) -> None:
    ended = [ENDINGS[name] for name in ("length", "lost")]
    again = question("And at night?")
    view.set_messages([question(), ended[0], again, ended[1], again, answer("Likewise.", searches=(FOUND,))])


ENDING_STATES: Mapping[str, Callable[[TranscriptView], None]] = {
    **{name: stored(question("How are tides made?"), ended) for name, ended in ENDINGS.items()},
    "long-ago": _long_ago,
}
