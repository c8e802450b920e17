"""What is known of the servers that were asked: their properties, and what a model's template does about thinking."""

from __future__ import annotations

import re
from contextlib import closing, suppress
from dataclasses import replace

from llamachat.core.cancel import CancelToken
from llamachat.core.completion import CompletionRequest, Endpoint
from llamachat.core.errors import ServerCause, ServerError
from llamachat.core.messages import WireMessage
from llamachat.llm.server import ServerProbe, ServerProps

# The end of a prompt that makes the model think: an opened tag, or the roles of a template that thinks in a channel.
_THINKS = re.compile(
    r"(?:<think(?:ing)?>|\[THINK\]|<\|channel\|>analysis(?:<\|message\|>)?|<\|start\|>assistant)\s*$"
)


class KnownServers:
    """Asks and remembers. Any thread may call it."""

    def __init__(self) -> None:
        self._props: dict[tuple[Endpoint, str], ServerProps] = {}
        self._thinks: dict[tuple[Endpoint, str], bool] = {}
        self._thinks_on: dict[tuple[Endpoint, str], bool] = {}
        self._keeps_streams: dict[tuple[Endpoint, str], bool] = {}

    def props(self, endpoint: Endpoint, model: str, cancel: CancelToken) -> ServerProps:
        """What the server can do now: it may have been started anew with another model since the last turn.

        Where it does not say, what it said last. Raises Cancelled, and ServerError where there is no server.
        """
        asked = endpoint, model
        try:
            with closing(ServerProbe(endpoint)) as probe:
                props = self._props[asked] = probe.props(model, cancel)
        except ServerError as error:
            if error.cause is ServerCause.UNREACHABLE:
                raise
            props = replace(self._props.get(asked, ServerProps()), model="")
        return props

    def only_model(self, endpoint: Endpoint, cancel: CancelToken) -> str:
        """The model of a server that has one and no other; "" where there are several, or none. Raises Cancelled."""
        with suppress(ServerError), closing(ServerProbe(endpoint)) as probe:
            models = probe.models(cancel)
            return models[0].id if len(models) == 1 else ""
        return ""

    def keeps_streams(self, endpoint: Endpoint, props: ServerProps, cancel: CancelToken) -> bool:
        """Whether it keeps answers whose connection is lost. Only a llama-server is asked; once, of each build.

        Raises Cancelled.
        """
        asked = endpoint, props.build
        if asked not in self._keeps_streams and (props.build or props.loads):
            with suppress(ServerError), closing(ServerProbe(endpoint)) as probe:
                self._keeps_streams[asked] = probe.kept_streams((), cancel) is not None
        return self._keeps_streams.get(asked, False)

    def always_thinks(self, endpoint: Endpoint, props: ServerProps, model: str, *, cancel: CancelToken) -> bool:
        """Whether the model's template makes it think even where it is told not to; no where the server is silent.

        Asked once for each model; `props` tell which one the server runs. Raises Cancelled.
        """
        asked = endpoint, model or props.model
        if asked not in self._thinks:
            question = CompletionRequest((_QUESTION,), model=model, thinking=False)
            prompt = _prompt(endpoint, question, cancel)
            if prompt is None:
                return False
            self._thinks[asked] = bool(_THINKS.search(prompt))
        return self._thinks[asked]

    def thinks_on(self, endpoint: Endpoint, props: ServerProps, model: str, *, cancel: CancelToken) -> bool:
        """Whether the server can have the model go on within a thought that broke off; no where it is silent.

        It can where the prompt it makes of such a message ends with the thought: a template that knows no thinking
        leaves it out. Asked once for each model. Raises Cancelled.
        """
        asked = endpoint, model or props.model
        if asked not in self._thinks_on:
            question = CompletionRequest((_QUESTION, _THOUGHT), model=model, continues="reasoning_content")
            prompt = _prompt(endpoint, question, cancel) if props.build else None
            if prompt is None:
                return False
            self._thinks_on[asked] = prompt.endswith(str(_THOUGHT["reasoning_content"]))
        return self._thinks_on[asked]


_QUESTION: WireMessage = {"role": "user", "content": "?"}
_THOUGHT: WireMessage = {"role": "assistant", "content": "", "reasoning_content": "Let me see, half a tho"}


def _prompt(endpoint: Endpoint, question: CompletionRequest, cancel: CancelToken) -> str | None:
    """What the server makes of a question; None where it does not tell."""
    try:
        with closing(ServerProbe(endpoint)) as probe:
            return probe.apply_template(question, cancel)
    except ServerError:
        return None
