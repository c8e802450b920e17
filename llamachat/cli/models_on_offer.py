"""The models of the server, for the command line: which there are, and the one to ask where none is named."""

from __future__ import annotations

from contextlib import closing, suppress

from llamachat.app import App
from llamachat.core.cancel import CancelToken
from llamachat.core.errors import StorageError, UserFacingError
from llamachat.storage.conversations import LAST_MODEL, get_state


def models_on_offer(app: App, cancel: CancelToken) -> list[str]:
    """Their names; none where the server does not tell. Raises Cancelled."""
    with suppress(UserFacingError), closing(app.models.probe()) as probe:
        return [model.id for model in probe.models(cancel)]
    return []


def last_used_model(app: App, cancel: CancelToken) -> str:
    """The model that was chosen last in the window; "" where the server has it not, or no other. Raises Cancelled."""
    last = _chosen_in_window(app)
    names = models_on_offer(app, cancel) if last else []
    return last if last in names and len(names) > 1 else ""


def _chosen_in_window(app: App) -> str:
    """Also for a question that is not stored."""
    if app.paths.database.exists():
        with suppress(StorageError), app.database() as db:
            return get_state(db, LAST_MODEL) or ""
    return ""
