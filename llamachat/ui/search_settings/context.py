"""How much the model in use can read at once. For a lane's thread."""

from __future__ import annotations

from contextlib import closing

from llamachat.app import App
from llamachat.core.cancel import CancelToken
from llamachat.core.errors import UserFacingError


def context_tokens(app: App, cancel: CancelToken) -> int | None:
    """The context of the model of the settings; None where nobody says. Raises Cancelled."""
    model = app.config.active_prompt().model or app.config.active_server().model
    try:
        with closing(app.models.probe()) as probe:
            return probe.props(model, cancel).n_ctx
    except UserFacingError:
        return None
