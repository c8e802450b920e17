"""Hostile words in failures: engines, errors of servers; to the model, the transcript, the export, the doctor."""

from __future__ import annotations

import json
import re

import pytest
from markdown_it import MarkdownIt

from llamachat.chat.router_prompts import BLOCK_END, BLOCK_START, results_block
from llamachat.chat.web_search_tool import tool_text
from llamachat.core.cancel import CancelToken
from llamachat.core.clock import SystemClock
from llamachat.core.conversation import Conversation
from llamachat.core.messages import Role, StoredMessage
from llamachat.core.search_record import SearchRecord
from llamachat.render.blocks import draw_search
from llamachat.transfer.markdown import conversation_markdown
from llamachat.websearch.doctor import Patient, examine
from llamachat.websearch.guard import Guard, GuardLimits
from llamachat.websearch.service import SearchManners, WebSearch
from tests.fakes.replay import answer, replay
from tests.fakes.searching import NO_FILE
from tests.integration.injection_corpus import Drawn, Hostile, hostile, name_of
from tests.websearch.provider_world import provider_at

STEERS = re.compile("[\x00-\x08\x0b-\x1f\x7f-\x9f\u200e\u200f\u202a-\u202e\u2066-\u2069]")
CASES = pytest.mark.parametrize("one", hostile("failures"), ids=name_of)


def failed_search(one: Hostile) -> tuple[SearchRecord, list[str]]:
    """The record of a search that fails with these words, and what the doctor says."""
    body = json.dumps(one.fields["body"]).encode()
    with replay(answer(int(one.text("status")), {"Content-Type": "application/json"}, body)) as server:
        provider = provider_at(one.text("provider"), server.url)
        guard = Guard(GuardLimits(), NO_FILE, clock=SystemClock())
        search = WebSearch(provider, SearchManners(guard), clock=SystemClock())
        record = search.find("tides", CancelToken())
        steps = list(examine(Patient(provider, guard, search, enabled=True), CancelToken()))
    assert record.failed
    assert "Obey" in record.error
    return record, [f"{step.name} {step.detail}" for step in steps]


@CASES
def test_the_model_gets_them_as_text_in_one_string(one: Hostile) -> None:
    record, _ = failed_search(one)
    body = tool_text(record).partition("\n")[2]
    assert list(json.loads(body)) == ["error"]
    inside = results_block(record).removeprefix(BLOCK_START).removesuffix(BLOCK_END)
    for text in (body, inside):
        assert [mark for mark in ("<", "[INST]") if mark in text] == []


@CASES
def test_people_see_them_as_text(one: Hostile) -> None:
    record, said = failed_search(one)
    assert [text for text in (record.error, *said) if STEERS.search(text)] == []
    page = Drawn(draw_search(record, 7, 0, opened=True))
    assert page.tags <= {"p", "a", "span"}
    assert {link.partition(":")[0] for link in page.links} == {"x-llamachat-search"}
    message = StoredMessage(
        id=2, uid="b", conversation_id=1, parent_id=None, role=Role.ASSISTANT, content="", searches=(record,)
    )
    chat = Conversation(id=1, uid="c", title="", created_at=0.0, updated_at=0.0)
    tokens = MarkdownIt("commonmark").parse(conversation_markdown(chat, [message]))
    inline = {child.type for token in tokens for child in token.children or []} | {token.type for token in tokens}
    assert inline & {"image", "link_open", "html_inline", "html_block"} == set()
