"""The summary of a conversation: what is told to the model, what is left out, and how it comes."""

from __future__ import annotations

from collections.abc import Sequence

import pytest

from llamachat.chat.aside import Aside
from llamachat.chat.summary import MAX_TOKENS, Draft, summary_drafts
from llamachat.core.cancel import CancelToken
from llamachat.core.completion import ContentDelta, FinishDelta, PromptProgress, ReasoningDelta, UsageDelta
from llamachat.core.errors import Cancelled, ServerCause, ServerError, UserFacingError
from llamachat.core.messages import Role, StoredMessage, Usage
from tests.fakes.scripted_completer import Choice, ScriptedCompleter, Step, says


def chat(*texts: str) -> list[StoredMessage]:
    """Messages of the two in turn."""
    roles = (Role.USER, Role.ASSISTANT)
    return [StoredMessage(n, f"u{n}", 1, n - 1 or None, roles[(n - 1) % 2], text) for n, text in enumerate(texts, 1)]


CHAT = chat("When is high tide?", "At noon.", "", "And <|im_start|> low tide?")


def drafts(*scripts: Choice, messages: Sequence[StoredMessage] = CHAT, n_ctx: int | None = None) -> list[Draft]:
    return list(summary_drafts(Aside(ScriptedCompleter(*scripts)), messages, CancelToken(), context_tokens=n_ctx))


def asked(completer: ScriptedCompleter) -> list[str]:
    """What was quoted in each request."""
    return [str(request.messages[-1]["content"]) for request in completer.requests]


def too_long(prompt: int, context: int) -> list[Step]:
    return [ServerError("Too long.", cause=ServerCause.CONTEXT_FULL, prompt_tokens=prompt, context_tokens=context)]


def test_the_model_reads_who_said_what_and_is_not_to_think() -> None:
    completer = ScriptedCompleter(says("It is about tides."))
    list(summary_drafts(Aside(completer, "qwen"), CHAT, CancelToken()))
    (request,) = completer.requests
    (quoted,) = asked(completer)
    assert quoted == (
        "<conversation>\n\nUser: When is high tide?\n\nAssistant: At noon.\n\n"
        "Assistant: And &lt;|im_start|> low tide?\n\n</conversation>"
    )
    assert (request.model, request.thinking, request.sampling.max_tokens) == ("qwen", False, MAX_TOKENS)
    assert request.tools == ()


def test_it_comes_bit_by_bit_and_without_thinking() -> None:
    script: list[Step] = [
        PromptProgress(100, 0, 40),
        ReasoningDelta("Hm."),
        ContentDelta("\nIt is "),
        ContentDelta("about tides."),
        FinishDelta("stop"),
    ]
    assert drafts(script) == [Draft(), Draft(read=0.4), Draft("It is ", 1.0), Draft("It is about tides.", 1.0)]


def test_what_does_not_fit_is_left_out_oldest_first() -> None:
    messages = chat("old " * 500, "older answer " * 100, "What is new?", "Nothing much.")
    completer = ScriptedCompleter(too_long(9000, 2048), says("In short."))
    (*_, last) = summary_drafts(Aside(completer), messages, CancelToken())
    whole, cut = asked(completer)
    assert whole.startswith("<conversation>\n\nUser: old old")
    assert cut.startswith("<conversation>\n\n[The beginning of the conversation is left out.]\n\nUser: What is new?")
    assert len(cut) < len(whole) * 2048 / 9000
    assert (last.text, last.shortened) == ("In short.", True)


def test_of_one_message_that_is_too_long_its_end_is_read() -> None:
    completer = ScriptedCompleter(too_long(4000, 2000), says("Fine."))
    list(summary_drafts(Aside(completer), chat("a" * 3000 + "end"), CancelToken()))
    assert asked(completer)[1].endswith("aaaend\n\n</conversation>")
    assert 1000 < len(asked(completer)[1]) < 1500


def test_a_context_that_fills_up_while_it_is_written_has_it_begin_anew() -> None:
    full: list[Step] = [
        ContentDelta("It is"),
        UsageDelta(Usage(prompt_tokens=2000, completion_tokens=48)),
        FinishDelta("length"),
    ]
    messages = chat("old " * 500, "new " * 200)
    seen = drafts(full, says("Short."), messages=messages, n_ctx=2048)
    assert next(draft.text for draft in seen if draft.text) == "It is"
    assert seen[-1] == Draft("Short.", 1.0, shortened=True)


def test_where_no_numbers_are_told_half_of_it_is_left_out() -> None:
    completer = ScriptedCompleter([ServerError("Full.", cause=ServerCause.CONTEXT_FULL)], says("Well."))
    list(summary_drafts(Aside(completer), chat("x" * 1000), CancelToken()))
    assert len(asked(completer)[1]) < 600


@pytest.mark.parametrize("script", [says(""), too_long(9000, 100)])
def test_a_model_that_can_write_none_is_told_of(script: list[Step]) -> None:
    with pytest.raises(UserFacingError) as caught:
        drafts(script)
    assert "yourself" in caught.value.next_step


def test_another_error_of_the_server_is_its_own() -> None:
    with pytest.raises(ServerError):
        drafts([ServerError("Away.", cause=ServerCause.UNREACHABLE)])


def test_stop_ends_it() -> None:
    cancel = CancelToken()
    with pytest.raises(Cancelled):
        list(summary_drafts(Aside(ScriptedCompleter([cancel])), CHAT, cancel))
