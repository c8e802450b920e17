"""How a turn ended: the words, and which acts are offered below the last answer and below no other."""

from __future__ import annotations

from dataclasses import replace

import pytest

from llamachat.core.errors import ServerCause
from llamachat.core.events import FinishReason
from llamachat.core.messages import Role, Status, StoredMessage
from llamachat.render.endings import draw_ending
from tests.render.test_blocks import hrefs_of, lines_of

ANSWER = StoredMessage(7, "u", 1, 6, Role.ASSISTANT, "text", model="m")
EMPTY = replace(ANSWER, content="")
THOUGHT = replace(EMPTY, reasoning="Hm")
GOES_ON = ("continue", "retry")
OUT_OF_THOUGHT = ("skip-thinking", "continue", "retry")
CASES: dict[str, tuple[StoredMessage, str, tuple[str, ...]]] = {
    "length": (
        replace(ANSWER, finish_reason=FinishReason.LENGTH),
        "The answer reached the token limit and ends here.",
        ("continue",),
    ),
    "thinking": (
        replace(THOUGHT, finish_reason=FinishReason.THINKING),
        "The model thought until the token limit was reached, and gave no answer.",
        OUT_OF_THOUGHT,
    ),
    "thinking behind a search": (
        replace(ANSWER, reasoning="Hm", finish_reason=FinishReason.THINKING, error="It thought."),
        "It thought.",
        OUT_OF_THOUGHT,
    ),
    "thinking, stored by an older version": (
        replace(THOUGHT, finish_reason=FinishReason.LENGTH, error="It thought."),
        "It thought.",
        OUT_OF_THOUGHT,
    ),
    "stopped": (replace(ANSWER, status=Status.STOPPED), "Stopped.", GOES_ON),
    "stopped early": (replace(EMPTY, status=Status.STOPPED), "Stopped.", ("retry",)),
    "stopped in thought": (replace(THOUGHT, status=Status.STOPPED), "Stopped.", OUT_OF_THOUGHT),
    "killed": (replace(ANSWER, status=Status.INTERRUPTED), "The answer was cut off here.", GOES_ON),
    "killed in thought": (replace(THOUGHT, status=Status.INTERRUPTED), "The answer was cut off here.", GOES_ON),
    "lost": (
        replace(ANSWER, status=Status.INTERRUPTED, finish_reason=FinishReason.CUT_OFF, error="It broke off."),
        "It broke off.",
        GOES_ON,
    ),
    "no server": (replace(EMPTY, status=Status.FAILED, error="No server."), "No server.", ("retry",)),
    "no words": (replace(EMPTY, status=Status.FAILED), "No answer came.", ("retry",)),
    "empty": (
        replace(EMPTY, status=Status.FAILED, finish_reason=FinishReason.EMPTY, error="Nothing came."),
        "Nothing came.",
        ("retry",),
    ),
    "empty behind a search": (
        replace(EMPTY, status=Status.INTERRUPTED, finish_reason="empty", error="Nothing.", wire=({"role": "tool"},)),
        "Nothing.",
        ("retry", "continue"),
    ),
    "context full": (
        replace(EMPTY, status=Status.FAILED, finish_reason=ServerCause.CONTEXT_FULL, error="Too long."),
        "Too long.",
        ("summary", "new-chat"),
    ),
    "context full of results": (
        replace(ANSWER, status=Status.INTERRUPTED, finish_reason="context_full_of_results", error="Too long."),
        "Too long.",
        ("drop-results", "summary", "new-chat"),
    ),
}


@pytest.mark.parametrize(("message", "sentence", "acts"), CASES.values(), ids=CASES)
def test_a_turn_that_did_not_end_well_says_so_and_offers_what_helps(
    message: StoredMessage, sentence: str, acts: tuple[str, ...]
) -> None:
    drawn = draw_ending(message, is_last=True)
    assert lines_of(drawn)[0] == sentence
    assert hrefs_of(drawn) == [f"x-llamachat-{act}:7" for act in acts]
    earlier = draw_ending(message, is_last=False)
    assert (lines_of(earlier), hrefs_of(earlier)) == ([sentence], [])


def test_a_whole_answer_says_nothing_about_its_end() -> None:
    assert draw_ending(ANSWER, is_last=True) == draw_ending(ANSWER, is_last=False) == ""


def test_the_next_step_stands_below_the_sentence_and_only_where_it_can_be_taken() -> None:
    failed = replace(EMPTY, status=Status.FAILED, error="No <server>.\nStart it.")
    assert lines_of(draw_ending(failed, is_last=True))[:2] == ["No <server>.", "Start it."]
    assert lines_of(draw_ending(failed, is_last=False)) == ["No <server>."]


def test_the_words_on_a_button_stay_together() -> None:
    (buttons,) = lines_of(draw_ending(replace(THOUGHT, status=Status.STOPPED), is_last=True))[1:]
    assert [words.strip("\u00a0") for words in buttons.split(" ")] == [
        "Continue\u00a0without\u00a0thinking",
        "Continue\u00a0thinking",
        "Answer\u00a0again",
    ]
