"""The texts a model reads."""

from __future__ import annotations

from llamachat.chat.prompt import system_messages


def test_the_system_message_is_the_users_prompt_and_nothing_else() -> None:
    assert system_messages("  Be brief.\n") == ({"role": "system", "content": "Be brief."},)
    assert system_messages("a\0\ud83d") == ({"role": "system", "content": "a\ufffd"},)


def test_a_blank_prompt_is_no_message() -> None:
    assert system_messages(" \n") == ()
