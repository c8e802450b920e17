"""Bodies of calls that came as text: what the tests of the whole filter in `test_leaked` do not reach."""

from __future__ import annotations

import pytest

from llamachat.llm.call_bodies import Body, JsonBody, LeakedCall, TaggedBody, Verdict

NAMES = ("web_search",)


def verdict_of(body: Body, text: str) -> Verdict:
    """The verdict after the last character."""
    verdict = Verdict.OPEN
    for character in text:
        assert verdict is Verdict.OPEN
        verdict = body.feed(character)
    return verdict


def test_blanks_around_a_key_are_none_of_it() -> None:
    body = TaggedBody("web_search", NAMES, pairs=True)
    text = "\n<arg_key>\n query\n</arg_key>\n<arg_value>a <b> c</arg_value>\n</tool_call>"
    assert verdict_of(body, text) is Verdict.CALL
    assert body.calls == [LeakedCall("web_search", {"query": "a <b> c"})]


@pytest.mark.parametrize("begin", ["<arg_key>", "<arg_key>a</arg_key>", "<arg_key>a</arg_key><arg_value>"])
def test_a_body_of_blanks_is_read_in_one_pass(begin: str) -> None:
    body = TaggedBody("web_search", NAMES, pairs=True)
    assert verdict_of(body, begin + " " * 60_000 + "</tool_call>") is Verdict.UNREADABLE


@pytest.mark.parametrize(("opened", "closed"), [('{"tool_calls": [', "]}"), ('{"function": ', "}")])
@pytest.mark.parametrize("depth", [1, 300, 330, 480, 900, 990, 5000])
def test_wrappers_in_wrappers(opened: str, closed: str, depth: int) -> None:
    call = '{"name": "web_search", "arguments": {"query": "tide"}}'
    verdict = verdict_of(JsonBody(NAMES, patient=True), opened * depth + call + closed * depth)
    assert verdict is Verdict.CALL if depth == 1 else verdict in (Verdict.CALL, Verdict.UNREADABLE)
