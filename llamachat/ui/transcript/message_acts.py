"""What can be done with a message: which acts it has at a time, what they are called, their icons. No Qt."""

from __future__ import annotations

from collections.abc import Sequence
from enum import StrEnum

from llamachat.core.messages import Role, StoredMessage
from llamachat.core.text import tr


class Act(StrEnum):
    """The acts, in the order they are shown in; the value names the icon."""

    EARLIER = "left"
    LATER = "right"
    COPY = "copy"
    EDIT = "edit"
    RETRY = "retry"
    DELETE = "trash"


WINDOW_ACTS = (Act.COPY, Act.EDIT, Act.RETRY, Act.EARLIER, Act.LATER)  # have keys everywhere in the window


def acts_of(message: StoredMessage, versions: Sequence[int], *, busy: bool) -> tuple[Act, ...]:
    """What can be done now. versions: the ids of all versions of the message. busy: a turn runs in its chat."""
    acts = [Act.COPY] if message.content else []
    if not busy:
        acts += [Act.EDIT if message.role is Role.USER else Act.RETRY, Act.DELETE]
        acts += [act for act in (Act.EARLIER, Act.LATER) if version_beside(message, versions, act) is not None]
    return tuple(act for act in Act if act in acts)


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
        Act.RETRY: tr("Answer again"),
        Act.DELETE: tr("Delete from here on"),
    }[act]


def act_key(act: Act) -> str:
    """The keys that do it, as Qt writes them portably."""
    return {
        Act.EARLIER: "Alt+Left",
        Act.LATER: "Alt+Right",
        Act.COPY: "Ctrl+Shift+C",
        Act.EDIT: "Ctrl+Shift+E",
        Act.RETRY: "Ctrl+R",
        Act.DELETE: "Del",
    }[act]
