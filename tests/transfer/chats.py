"""One conversation with everything in it that an export has to carry."""

from __future__ import annotations

from llamachat.core.conversation import Conversation, SearchMode
from llamachat.core.messages import Role, Status, StoredMessage, Usage
from llamachat.core.search_record import SearchRecord, SearchResult

CONVERSATION = Conversation(
    id=7,
    uid="c" * 32,
    title="Bees & *wasps*\n# not a heading",
    created_at=1_800_000_000.0,
    updated_at=1_800_000_100.0,
    model="m",
    prompt="Be short.",
    search_mode=SearchMode.OFF,
    head_id=12,
    draft="half",
    tags=("Garden", "work"),
)

QUESTION = StoredMessage(
    id=11,
    uid="a" * 32,
    conversation_id=7,
    parent_id=None,
    role=Role.USER,
    content="What is a *bee*?\n",
    created_at=1_800_000_001.5,
)

ANSWER = StoredMessage(
    id=12,
    uid="b" * 32,
    conversation_id=7,
    parent_id=11,
    role=Role.ASSISTANT,
    content="An **insect** [1].",
    reasoning="Hm.\n\nAn insect, 蜜蜂.",
    prompt="Be short.",
    searches=(
        SearchRecord(
            query="bee *insect*",
            results=(
                SearchResult("Bee](https://evil.example) <b>", "https://bees.example/a_(b)?c=1", "A bee"),
                SearchResult("", "javascript:alert(1)", ""),
            ),
            engines=(("wiki", "timeout"),),
            first_number=1,
            provider="SearXNG",
            cached_age_s=2.5,
        ),
        SearchRecord(query="wasp", error="It is *not* reachable.", cause="unreachable", first_number=3),
        SearchRecord(query="nothing", first_number=3),
    ),
    wire=({"role": "assistant", "content": "An **insect** [1].", "tool_calls": []},),
    model="qwen_3",
    status=Status.STOPPED,
    finish_reason="stop",
    usage=Usage(prompt_tokens=3, prompt_ms=1.5),
    created_at=1_800_000_002.0,
)
