"""After a killed program: answers that the server still has go on by themselves, shown or not."""

from __future__ import annotations

from collections.abc import Callable, Sequence

from llamachat.app import App
from llamachat.core.messages import StoredMessage
from llamachat.storage.broken_off import list_broken_off
from llamachat.storage.database import Database
from llamachat.storage.messages import get_message
from llamachat.ui.lanes import Lanes
from llamachat.ui.turn_control import TurnControl


class TakingUp:
    """Looks once, at the start."""

    def __init__(self, app: App, turns: TurnControl, lanes: Lanes) -> None:
        self._app, self._turns, self._lanes = app, turns, lanes

    def look(self, *, then: Callable[[], None]) -> None:
        """Find answers that broke off, and ask the server for them; `then` the rest can be offered."""
        self._lanes.store.read(_broken_off, lambda answers: self._ask(answers, then), lambda _: then())

    def _ask(self, answers: Sequence[StoredMessage], then: Callable[[], None]) -> None:
        marks = [answer.stream for answer in answers if answer.stream]

        def go_on(ids: frozenset[str]) -> None:
            for answer in answers:
                if answer.stream and answer.stream.id in ids:
                    self._turns.take_up(answer)
            then()

        if marks:
            self._lanes.network.read(lambda cancel: self._app.models.kept(marks, cancel), go_on, lambda _: then())
        else:
            then()


def _broken_off(db: Database) -> list[StoredMessage]:
    found = (get_message(db, broken.message_id) for broken in list_broken_off(db))
    return [answer for answer in found if answer and answer.stream]
