"""The declaration of every setting: the one place where a key, its type, default, bounds and prose stand.

Each class is a section of config.toml; `Config` is all of them. ServerSettings and PromptSettings are also the
tables `[servers.NAME]` and `[prompts.NAME]`.
"""

from __future__ import annotations

import dataclasses
from collections.abc import Mapping
from dataclasses import dataclass
from typing import ClassVar, Literal

from llamachat.config.option import options, setting, table_of
from llamachat.config.search_settings import SearchSettings
from llamachat.config.shapes import environment_name, font_name, server_address


@dataclass(frozen=True, kw_only=True)
class ServerSettings:
    """A server with the OpenAI API and how to speak to it."""

    heading: ClassVar[str] = "Model server"

    base_url: str = setting(
        "http://127.0.0.1:8080",
        shape=server_address,
        secret=True,
        prose="""The address of the model server, usually llama-server of llama.cpp. It may end in /v1 or not, and
        http:// may be left out.""",
    )
    api_key_env: str = setting(
        "",
        shape=environment_name,
        prose="""The name of the environment variable that holds the server's API key. The key itself never stands
        in this file. Empty: no key is sent.""",
    )
    model: str = setting(
        "",
        prose="""The model to ask for, by the name under which the server lists it. Empty: the server decides; a
        server with one model needs nothing here.""",
    )


@dataclass(frozen=True, kw_only=True)
class ConnectionSettings(ServerSettings):
    """The server in use and how long it is waited for."""

    server: str = setting(
        "",
        prose="""The name of one of the [servers.NAME] tables below, to be used in place of base_url, api_key_env and
        model above. Empty: those three are used.""",
    )
    request_timeout: float = setting(
        300.0,
        low=0.1,
        high=86400,
        prose="""The longest silence of the server, in seconds, before a request is given up. It counts from one
        byte to the next, so a long answer may take as long as it likes.""",
    )
    load_timeout: float = setting(
        600.0,
        low=0.1,
        high=86400,
        prose="How long, in seconds, a server that is still loading its model is waited for.",
    )


@dataclass(frozen=True, kw_only=True)
class PromptChoice:
    """The system prompt of new chats."""

    heading: ClassVar[str] = "System prompt"

    default_prompt: str = setting(
        "",
        multiline=True,
        prose="""The system prompt of new chats: what the model is told before the first question. Empty: none is
        sent. A chat keeps the text it began with, also when this one is changed here.""",
    )
    prompt: str = setting(
        "",
        prose="""The name of one of the [prompts.NAME] tables below, whose text and other settings new chats take in
        place of default_prompt. Empty: default_prompt is used. Another one can be chosen for each chat.""",
    )


@dataclass(frozen=True, kw_only=True)
class ChatSettings:
    """What becomes of chats in the list."""

    heading: ClassVar[str] = "Chats"

    titles: Literal["words", "model"] = setting(
        "words",
        prose="""Where the title of a new chat comes from. words: the first words of its first message. model: those
        too, until the first answer in the window has ended; then the model is asked for a better one, which replaces
        it unless you have renamed the chat. It is asked only while no answer is written or waits, and is given at
        most two thousand characters of the message and of the answer to read. A llama-server with several slots is
        asked in one that the chat does not use. With a single slot (or a server that tells nothing of slots) it is
        asked after half a minute of quiet, and the next answer may take longer to begin, because the model has to
        read the chat again.""",
    )
    keep_deleted_days: int = setting(
        0,
        low=0,
        high=36_500,
        prose="""For how many days chats, messages and tags that were deleted can be brought back. Then the window
        deletes them for good, at a quiet moment, from the daily copies too; that takes a minute where the history
        is very large. 0 keeps them until you delete them for good yourself: nothing is lost that you did not ask
        for.""",
    )


@dataclass(frozen=True, kw_only=True)
class SamplingSettings:
    """How the words of an answer are picked. What is unset is not sent: the server decides."""

    heading: ClassVar[str] = "How answers are made"

    temperature: float | None = setting(
        None, low=0, high=5, example=0.7, prose="How freely words are picked: 0 takes the likeliest each time."
    )
    top_k: int | None = setting(
        None, low=0, high=1_000_000, example=40, prose="Only this many of the likeliest words are looked at; 0: all."
    )
    top_p: float | None = setting(
        None,
        low=0,
        high=1,
        example=0.95,
        prose="Only the likeliest words that together reach this probability are looked at; 1: all.",
    )
    min_p: float | None = setting(
        None,
        low=0,
        high=1,
        example=0.05,
        prose="Words less likely than this share of the likeliest one are left out; 0: none is.",
    )
    repeat_penalty: float | None = setting(
        None, low=0.1, high=10, example=1.1, prose="Above 1, words that stand in the text already become less likely."
    )
    presence_penalty: float | None = setting(
        None,
        low=-2,
        high=2,
        example=0.5,
        prose="Above 0, a word becomes less likely once it has occurred, however often.",
    )
    frequency_penalty: float | None = setting(
        None, low=-2, high=2, example=0.5, prose="Above 0, a word becomes less likely each time it occurs."
    )
    seed: int | None = setting(
        None,
        low=-1,
        high=4294967295,
        example=42,
        prose="The start of the random numbers. The same seed gives the same answer where nothing else differs.",
    )
    max_tokens: int | None = setting(
        None, low=1, high=10_000_000, example=4096, prose="An answer, thinking included, ends at this many tokens."
    )


@dataclass(frozen=True, kw_only=True)
class WindowSettings:
    """How the window looks."""

    heading: ClassVar[str] = "Window"

    theme: Literal["system", "light", "dark"] = setting(
        "system",
        prose="The colours of the window. system follows the desktop, also when it changes.",
    )
    reading_width: int = setting(
        780,
        low=300,
        high=10_000,
        prose="""How wide the column of text in a chat is at most, in pixels. It grows and shrinks with the size of
        the text (Ctrl++ and Ctrl+-).""",
    )
    font_family: str = setting(
        "",
        shape=font_name,
        example="Noto Sans",
        prose="The font of the text in chats. Empty: the one of the desktop.",
    )
    font_size: float | None = setting(
        None,
        low=4,
        high=72,
        example=11.0,
        prose="The size of the text in chats, in points.",
        unset="the one of the desktop counts",
    )
    code_font_family: str = setting(
        "",
        shape=font_name,
        example="JetBrains Mono",
        prose="The font of code in chats. Empty: a usual one with letters of equal width.",
    )
    wrap_code: bool = setting(
        default=True,
        prose="""Whether long lines of code go on below. Otherwise they stay whole, and the page can be moved to
        the side.""",
    )


@dataclass(frozen=True, kw_only=True)
class PromptText:
    """What a named prompt says, and to whom."""

    heading: ClassVar[str] = "System prompt"

    text: str = setting("", multiline=True, example="You review code.", prose="The system prompt itself.")
    model: str = setting("", prose="The model that this prompt is for. Empty: the one of the server in use.")


@dataclass(frozen=True, kw_only=True)
class PromptSettings(SamplingSettings, PromptText):
    """A named system prompt. What it leaves unset is taken from the top of the file."""


# Python collects the fields of the last base first: the file begins with the connection.
@dataclass(frozen=True, kw_only=True)
class Config(WindowSettings, SearchSettings, ChatSettings, SamplingSettings, PromptChoice, ConnectionSettings):
    """Every setting. Made by `load_config`, which sees to it that `server` and `prompt` name tables that exist."""

    prompts: Mapping[str, PromptSettings] = table_of(
        PromptSettings,
        example_name="reviewer",
        prose="""Named system prompts, each in a table of its own, chosen by prompt above or for a chat in the window.
        What such a table leaves out is taken from the top of the file. The other settings of a table count for the
        chats that have its prompt, from the next answer on; its text only for chats that choose it anew.""",
    )
    servers: Mapping[str, ServerSettings] = table_of(
        ServerSettings,
        example_name="workstation",
        prose="""Named servers, each in a table of its own, chosen by server above. What such a table leaves out has
        its default: the settings at the top of the file belong to another server.""",
    )

    def active_server(self) -> ServerSettings:
        """The server that is asked: the named one, or the keys at the top of the file."""
        if self.server:
            return self.servers[self.server]
        return ServerSettings(base_url=self.base_url, api_key_env=self.api_key_env, model=self.model)

    def active_prompt(self) -> PromptSettings:
        """The prompt of new chats, as `prompt_named` gives it."""
        return self.prompt_named(self.prompt)

    def prompt_named(self, name: str) -> PromptSettings:
        """A prompt with its sampling; what it leaves unset is filled in from the top of the file.

        "" is default_prompt, and so is a name that the file does not have any more. `model` is "" where the prompt
        does not ask for one: then the server's counts.
        """
        named = self.prompts.get(name) or PromptSettings(text=self.default_prompt)
        unset = [name for name in options(SamplingSettings) if getattr(named, name) is None]
        return dataclasses.replace(named, **{name: getattr(self, name) for name in unset})
