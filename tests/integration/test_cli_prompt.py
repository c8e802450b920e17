"""`llamachat ask --prompt` on a real llama-server: the model is told the prompt of that name."""

from __future__ import annotations

from pathlib import Path

import pytest

from llamachat.core.conversation import SystemPrompt
from llamachat.storage.conversations import list_conversations
from llamachat.storage.database import Database
from tests.integration.cli_process import Cli
from tests.integration.llama_server import ParrotServer, script

CONFIG = """base_url = "{}"
default_prompt = "Be a DEFAULT."
[prompts.reviewer]
text = "Be a REVIEWER."
[prompts.poet]
text = "Be a POET."
"""
# The model says which of the words stands in its system prompt.
WHO = script("nobody", "@system:DEFAULT\ndefault", "@system:REVIEWER\nreviewer", "@system:POET\npoet")
CHANGED = "The prompt of the chat is another one now: the model reads the whole chat again.\n"


@pytest.fixture
def cli(tmp_path: Path, parrot_server: ParrotServer) -> Cli:
    """A command line with named prompts."""
    cli = Cli(tmp_path)
    cli.config.write_text(CONFIG.format(parrot_server.base_url), encoding="utf-8")
    return cli


def stored(cli: Cli) -> list[SystemPrompt]:
    with Database.open(cli.data / "llamachat.db") as db:
        return [chat.system_prompt for chat in list_conversations(db)]


@pytest.mark.slow
def test_a_new_chat_takes_the_named_prompt_and_keeps_it(cli: Cli) -> None:
    assert cli.run("ask", WHO).stdout == "default\n"
    done = cli.run("ask", "--prompt", "reviewer", WHO)
    assert (done.stdout, done.stderr) == ("reviewer\n", "")
    done = cli.run("ask", "--conversation", "2", WHO)
    assert (done.stdout, done.stderr) == ("reviewer\n", "")
    assert stored(cli) == [SystemPrompt("reviewer", "Be a REVIEWER."), SystemPrompt("", "Be a DEFAULT.")]


@pytest.mark.slow
def test_a_stored_chat_is_given_another_prompt_and_it_is_said_what_that_costs(cli: Cli) -> None:
    cli.run("ask", WHO)
    done = cli.run("ask", "--conversation", "1", "--prompt", "poet", WHO)
    assert (done.stdout, done.stderr) == ("poet\n", CHANGED)
    done = cli.run("ask", "--conversation", "1", "--prompt", "poet", WHO)
    assert (done.stdout, done.stderr) == ("poet\n", "")
    assert stored(cli) == [SystemPrompt("poet", "Be a POET.")]


@pytest.mark.slow
def test_an_unknown_prompt_is_one_sentence(cli: Cli) -> None:
    done = cli.run("ask", "--prompt", "nobody", "Hello")
    assert done.returncode == 1
    assert done.stderr == "llamachat: config.toml has no prompt “nobody”. There are: reviewer, poet.\n"
