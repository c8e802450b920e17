"""Titles of new conversations."""

from __future__ import annotations

import pytest

from llamachat.chat.aside import Aside
from llamachat.chat.titles import title_by_model, title_from, usable_title
from llamachat.core.cancel import CancelToken
from llamachat.core.errors import ServerCause
from tests.fakes.scripted_completer import ScriptedCompleter, refusal, says


@pytest.mark.parametrize(
    ("text", "title"),
    [
        ("When is high tide?", "When is high tide?"),
        ("\n\n  # When   is\thigh tide?\nSecond line", "When is high tide?"),
        ("```\nprint(1)\n```", "print(1)"),
        ("", ""),
        ("---\n***", ""),
        ("a\0b\u202ec \ud800", "ab c \ufffd"),
        ("漢" * 80, "漢" * 59 + "…"),
    ],
)
def test_a_title_is_the_first_words(text: str, title: str) -> None:
    assert title_from(text) == title


def test_a_long_line_is_cut_between_words() -> None:
    title = title_from("word, " * 30)
    assert len(title) <= 60
    assert title.endswith("word…")


@pytest.mark.parametrize(
    ("said", "title"),
    [
        ("Red wine on a shirt", "Red wine on a shirt"),
        ('  "Red wine on a shirt."\n\nI hope this helps!', "Red wine on a shirt"),
        ("Title: Red wine", "Red wine"),
        ("**Titel:** Rotwein", "Rotwein"),
        ("„Rotwein auf dem Hemd“", "Rotwein auf dem Hemd"),
        ("# Red\u202e wine\x1b[31m", "Red wine [31m"),
        ("<b>Red</b> wine", "<b>Red</b> wine"),
        ("...", ""),
        ("\u2764", ""),
        ("", ""),
        ("漢字の練習。", "漢字の練習。"),
        ("word " * 100, " ".join(["word"] * 12) + "…"),
    ],
)
def test_what_a_model_said_is_cleaned(said: str, title: str) -> None:
    assert usable_title(said) == title


def test_a_model_is_given_the_beginning_of_both_and_its_answer_is_bound_to_a_line() -> None:
    completer = ScriptedCompleter(says("Red wine", thinking="Let me see."))
    aside = Aside(completer, "m", slot=3)
    assert (
        title_by_model(aside, "Red wine on my shirt? " + "x" * 9000, "Salt.\n\nThen " + "y" * 9000, CancelToken())
        == "Red wine"
    )
    (request,) = completer.requests
    asked = str(request.messages[-1]["content"])
    assert asked.startswith("Message: Red wine on my shirt? xxx")
    assert "Answer: Salt. Then yyy" in asked
    assert len(asked) < 4100
    assert (request.model, request.slot, request.thinking, request.tools) == ("m", 3, False, ())
    assert request.sampling.max_tokens == 32
    assert request.grammar


def test_a_model_that_fails_or_only_thinks_gives_none() -> None:
    for script in ([refusal(ServerCause.UNREACHABLE)], says("", thinking="Hm.")):
        assert title_by_model(Aside(ScriptedCompleter(script)), "Why?", "Because.", CancelToken()) == ""
