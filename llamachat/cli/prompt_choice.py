"""`--prompt NAME`: one of the prompts of config.toml, for a new chat or a stored one."""

from __future__ import annotations

from llamachat.cli.output import remark
from llamachat.config.schema import Config
from llamachat.core.conversation import SystemPrompt
from llamachat.core.errors import UserFacingError
from llamachat.core.text import tr
from llamachat.storage.conversations import get_conversation, set_model, set_prompt
from llamachat.storage.database import Database


def chosen_prompt(config: Config, name: str | None) -> SystemPrompt:
    """The prompt of that name, "" for default_prompt; without a name that of new chats. Raises UserFacingError."""
    if name and name not in config.prompts:
        names = ", ".join(config.prompts)
        there = tr("There are: {names}.").format(names=names) if names else tr("Add a table [prompts.NAME] to it.")
        raise UserFacingError(tr("config.toml has no prompt “{name}”.").format(name=name), there)
    chosen = config.prompt if name is None else name
    return SystemPrompt(chosen, config.prompt_named(chosen).text)


def change_prompt(db: Database, conversation_id: int, prompt: SystemPrompt, *, model: str) -> None:
    """Give a stored chat another prompt and, unless it is "", the model that this one is for. Says what it costs."""
    before = get_conversation(db, conversation_id)
    if before is None or before.system_prompt == prompt:
        return
    set_prompt(db, conversation_id, prompt)
    if model:
        set_model(db, conversation_id, model)
    if before.prompt.strip() != prompt.text.strip() and before.head_id is not None:
        remark(tr("The prompt of the chat is another one now: the model reads the whole chat again."))
