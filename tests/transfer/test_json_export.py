"""JSON of a whole conversation: complete, and as its page describes it."""

from __future__ import annotations

import json
from dataclasses import asdict, replace
from pathlib import Path

from llamachat.transfer.json_export import conversation_json
from tests.transfer.chats import ANSWER, CONVERSATION, QUESTION

PAGE = Path(__file__).resolve().parent.parent.parent / "docs" / "export.md"


def test_everything_is_in_it() -> None:
    branch = replace(ANSWER, id=13, uid="d" * 32, content="A fly.")
    shortened = replace(CONVERSATION, results_kept_from=ANSWER.id)
    whole = json.loads(conversation_json(shortened, [QUESTION, ANSWER, branch]))
    assert (whole["format"], whole["version"]) == ("llamachat-conversation", 1)
    expected = asdict(CONVERSATION) | {"head": ANSWER.uid, "tags": ["Garden", "work"]}
    expected["results_shortened_to"] = QUESTION.uid
    left_out = {"id", "head_id", "results_kept_from", "forked"}
    assert whole["conversation"] == {key: expected[key] for key in expected if key not in left_out}
    assert [message["parent"] for message in whole["messages"]] == [None, QUESTION.uid, QUESTION.uid]
    answer = json.loads(json.dumps(asdict(ANSWER))) | {"parent": QUESTION.uid}
    left_out = {"id", "conversation_id", "parent_id", "stream"}
    assert whole["messages"][1] == {key: answer[key] for key in answer if key not in left_out}


def test_text_is_readable_and_ends_its_line() -> None:
    text = conversation_json(CONVERSATION, [ANSWER])
    assert "蜜蜂" in text
    assert text.endswith("}\n")


def test_links_out_of_the_given_messages_are_null() -> None:
    whole = json.loads(conversation_json(CONVERSATION, [replace(ANSWER, id=99)]))
    assert whole["conversation"]["head"] is None
    assert whole["conversation"]["results_shortened_to"] is None
    assert whole["messages"][0]["parent"] is None


def test_the_page_names_every_key() -> None:
    page = PAGE.read_text(encoding="utf-8")
    whole = json.loads(conversation_json(CONVERSATION, [ANSWER]))
    message = whole["messages"][0]
    objects = [whole, whole["conversation"], message, message["usage"], message["searches"][0]]
    objects.append(message["searches"][0]["results"][0])
    for key in (key for item in objects for key in item):
        assert f"`{key}`" in page, key
