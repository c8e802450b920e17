"""What can be done with a message: which acts it has at a time, what they are called, their icons. No Qt."""

from __future__ import annotations

from collections.abc import Collection, Sequence
from enum import StrEnum

from llamachat.core.messages import Role, StoredMessage
from llamachat.core.text import tr


class Act(StrEnum):
    """The acts, in the order they are shown in; the value names the icon."""

    EARLIER = "left"
    LATER = "right"
    COPY = "copy"
    EDIT = "edit"
    REWRITE = "rewrite"
    CONTINUE = "continue"
    RETRY = "retry"
    MODELS = "models"
    FORK = "fork"
    DELETE = "trash"


# Have keys everywhere in the window.
WINDOW_ACTS = (
    *(Act.COPY, Act.EDIT, Act.REWRITE, Act.CONTINUE, Act.RETRY, Act.MODELS, Act.FORK),
    *(Act.EARLIER, Act.LATER),
)
IN_MENU_ONLY = (Act.CONTINUE,)  # where it helps, the bar at the end of the answer offers it
SOMETIMES = frozenset({Act.MODELS, Act.FORK})  # the owner of the view says whether they make sense


def acts_of(
    message: StoredMessage,
    versions: Sequence[int],
    *,
    busy: bool,
    is_last: bool = False,
    offered: Collection[Act] = (),
) -> tuple[Act, ...]:
    """What can be done now. versions: the ids of all versions of the message. busy: a turn runs in its chat.

    is_last: nothing follows the message. offered: which of those in SOMETIMES make sense.
    """
    acts = [Act.COPY] if message.content else []
    if not busy:
        acts += _of_a_question(is_last) if message.role is Role.USER else _of_an_answer(message, is_last)
        acts += [Act.FORK, Act.DELETE]
        acts += [act for act in (Act.EARLIER, Act.LATER) if version_beside(message, versions, act) is not None]
    return tuple(act for act in Act if act in acts and (act in offered or act not in SOMETIMES))


def _of_a_question(is_last: bool) -> list[Act]:
    return [Act.EDIT, *((Act.RETRY, Act.MODELS) if is_last else ())]


def _of_an_answer(message: StoredMessage, is_last: bool) -> list[Act]:
    goes_on = is_last and (message.content or message.reasoning)
    return [Act.REWRITE, Act.RETRY, Act.MODELS, *((Act.CONTINUE,) if goes_on else ())]


def version_beside(message: StoredMessage, versions: Sequence[int], act: Act) -> int | None:
    """The id of the version before (EARLIER) or after (LATER) this one; None where there is none."""
    if message.id not in versions:
        return None
    at = versions.index(message.id) + (1 if act is Act.LATER else -1)
    return versions[at] if 0 <= at < len(versions) else None


def version_label(message: StoredMessage, versions: Sequence[int]) -> str:
    """Such as `2/3`; "" where there is one version only."""
    return f"{versions.index(message.id) + 1}/{len(versions)}" if message.id in versions else ""


def act_name(act: Act) -> str:
    """What an act is called on a button and in a menu."""
    return {
        Act.EARLIER: tr("Show the version before"),
        Act.LATER: tr("Show the next version"),
        Act.COPY: tr("Copy the message"),
        Act.EDIT: tr("Edit and ask again"),
        Act.REWRITE: tr("Edit the answer"),
        Act.CONTINUE: tr("Continue the answer"),
        Act.RETRY: tr("Answer again"),
        Act.MODELS: tr("Answer again with another model"),
        Act.FORK: tr("Fork into a new chat"),
        Act.DELETE: tr("Delete from here on"),
    }[act]


def act_key(act: Act) -> str:
    """The keys that do it, as Qt writes them portably."""
    return {
        Act.EARLIER: "Alt+Left",
        Act.LATER: "Alt+Right",
        Act.COPY: "Ctrl+Shift+C",
        Act.EDIT: "Ctrl+Shift+E",
        Act.REWRITE: "Ctrl+Shift+A",
        Act.CONTINUE: "Ctrl+Shift+G",
        Act.RETRY: "Ctrl+R",
        Act.MODELS: "Ctrl+Shift+R",
        Act.FORK: "Ctrl+Shift+B",
        Act.DELETE: "Del",
    }[act]
