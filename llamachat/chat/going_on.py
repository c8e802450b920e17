"""The ways to have a model go on with a partial answer, and what servers say that cannot."""

from __future__ import annotations

from enum import Enum, auto

from llamachat.chat.history import answer_message
from llamachat.chat.prompt import GO_ON
from llamachat.core.errors import ServerCause
from llamachat.core.messages import WireMessage


class GoOn(Enum):
    """How a partial answer is continued."""

    PREFILL = auto()  # it is the last message, and the server goes on with it
    ASK = auto()  # the user's side asks to go on
    ANSWER = auto()  # its thinking is closed, and the server goes on behind it
    UNTHOUGHT = auto()  # the model is asked anew and told not to think
    THINK = auto()  # its thinking is the end of the last message, and the server goes on within it


WITH_TEXT = (GoOn.PREFILL, GoOn.ASK)  # there is an answer already, which may be whole

# The field of the last message that the server is told to go on with.
CONTINUED = {GoOn.ANSWER: "content", GoOn.THINK: "reasoning_content"}

# What servers say that can neither close a thought nor go on within one: those that refuse every prefill, and those
# that know another form of the field for it.
CANNOT_GO_ON = (ServerCause.PREFILL_REFUSED, ServerCause.BAD_REQUEST)


def partial_answer(way: GoOn, content: str, reasoning: str) -> list[WireMessage]:
    """The end of the request: the answer so far, and the wish that it go on where that must be said."""
    if way is GoOn.UNTHOUGHT:
        return []
    if way is not GoOn.THINK:
        # llama-server writes this line end before the mark that ends a thought, whatever stands there already.
        reasoning = reasoning.removesuffix("\n")
    partial = answer_message(content, reasoning)
    return [partial, {"role": "user", "content": GO_ON}] if way is GoOn.ASK else [partial]
