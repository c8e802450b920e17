"""Short questions beside a conversation. What the router asks: test_router."""

from __future__ import annotations

from llamachat.chat.aside import Aside
from llamachat.core.cancel import CancelToken
from tests.fakes.scripted_completer import ScriptedCompleter, says


def test_a_server_that_binds_nothing_is_not_asked_how_its_model_thinks() -> None:
    asked: list[CancelToken] = []

    def always_thinks(cancel: CancelToken) -> bool:
        asked.append(cancel)
        return False

    completer = ScriptedCompleter(says("yes"))
    aside = Aside(completer, binds=False, always_thinks=always_thinks)
    assert aside.ask("Say yes.", "?", max_tokens=8, cancel=CancelToken(), grammar="root ::= x") == "yes"
    assert asked == []
    assert (completer.requests[0].grammar, completer.requests[0].sampling.max_tokens) == ("", 8)
