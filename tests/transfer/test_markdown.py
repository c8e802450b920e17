"""Markdown of a whole conversation, and of the odd ones."""

from __future__ import annotations

from dataclasses import replace

import pytest
from markdown_it import MarkdownIt

from llamachat.core.messages import Status
from llamachat.core.search_record import SearchRecord, SearchResult
from llamachat.transfer.markdown import Extras, conversation_markdown
from tests.transfer.chats import ANSWER, CONVERSATION, QUESTION

WHOLE = r"""# Bees & \*wasps\* \# not a heading

2027-01-15

## You

What is a *bee*?

## qwen\_3

An **insect** [1].

*The answer was stopped here.*

Searched: bee \*insect\* (2 results, SearXNG)

1. [Bee\](https://evil.example) \<b\>](<https://bees.example/a_(b)?c=1>)
2. javascript:alert(1) — javascript:alert(1)

Search failed: wasp — It is \*not\* reachable.

Searched: nothing (0 results)
"""


@pytest.mark.claim("ST-009")
def test_a_conversation_reads_well() -> None:
    assert conversation_markdown(CONVERSATION, [QUESTION, ANSWER]) == WHOLE


def test_an_answer_that_a_person_has_changed_says_so() -> None:
    text = conversation_markdown(CONVERSATION, [QUESTION, replace(ANSWER, edited=True)])
    assert text == WHOLE.replace("## qwen\\_3\n", "## qwen\\_3 (edited)\n", 1)


def test_reasoning_comes_as_a_quotation_when_asked_for() -> None:
    text = conversation_markdown(CONVERSATION, [QUESTION, ANSWER], extras=Extras(reasoning=True))
    thinking = "> *Thinking*\n>\n> Hm.\n>\n> An insect, 蜜蜂.\n\n"
    assert text == WHOLE.replace("An **insect**", thinking + "An **insect**", 1)
    assert conversation_markdown(CONVERSATION, [QUESTION], extras=Extras(reasoning=True)).count("Thinking") == 0


def test_a_system_prompt_comes_once_above_the_first_answer_made_with_it() -> None:
    answers = [ANSWER, replace(ANSWER, id=13), replace(ANSWER, id=14, prompt="")]
    text = conversation_markdown(CONVERSATION, [QUESTION, *answers], extras=Extras(prompts=True, sources=False))
    assert text.count("> *System prompt*\n>\n> Be short.\n\n## qwen\\_3\n") == text.count("System prompt") == 1


def test_sources_are_left_out_when_not_wanted() -> None:
    text = conversation_markdown(CONVERSATION, [QUESTION, ANSWER], extras=Extras(sources=False))
    assert text == WHOLE[: WHOLE.index("\nSearched: bee")]


def test_without_title_model_and_messages() -> None:
    assert conversation_markdown(replace(CONVERSATION, title=" \n"), []) == "# Untitled chat\n\n2027-01-15\n"
    text = conversation_markdown(CONVERSATION, [replace(ANSWER, model="", searches=())])
    assert "## Assistant\n" in text


@pytest.mark.parametrize(
    ("status", "error", "said"),
    [
        (Status.INTERRUPTED, "", "*The answer was cut off here.*"),
        (Status.STREAMING, "", "*The answer was still being written.*"),
        (Status.FAILED, "", "*No answer came.*"),
        (Status.FAILED, "The server is away.", "*The server is away.*"),
    ],
)
def test_how_an_answer_ended_is_said(status: Status, error: str, said: str) -> None:
    message = replace(ANSWER, content="", searches=(), status=status, error=error)
    assert conversation_markdown(CONVERSATION, [message]).endswith(f"## qwen\\_3\n\n{said}\n")


def test_a_complete_answer_says_nothing_about_its_end() -> None:
    message = replace(ANSWER, searches=(), status=Status.COMPLETE)
    assert conversation_markdown(CONVERSATION, [message]).endswith("An **insect** [1].\n")


@pytest.mark.claim("ST-016")
def test_what_was_sent_is_said_where_it_differs_from_the_query() -> None:
    search = SearchRecord(query="!g *tide*", asked="g *tide*")
    found = conversation_markdown(CONVERSATION, [replace(ANSWER, searches=(search,))])
    assert found.endswith("Searched: \\!g \\*tide\\*, sent as “g \\*tide\\*” (0 results)\n")
    failed = conversation_markdown(CONVERSATION, [replace(ANSWER, searches=(replace(search, error="Away."),))])
    assert "sent as “g \\*tide\\*” — Away." in failed


def test_what_became_of_a_page_is_said_and_its_text_is_not() -> None:
    read = SearchResult("A", "https://a.example/", "TEXT", read_via="direct", read_chars=4, snippet="said")
    failed = SearchResult("B", "https://b.example/", "said", read_error="the page is not there any more (404)")
    message = replace(ANSWER, searches=(SearchRecord(query="q", results=(read, failed)),))
    found = conversation_markdown(CONVERSATION, [message])
    assert "1. [A](<https://a.example/>) — page read: 4 characters\n" in found
    assert "2. [B](<https://b.example/>) — page not read: the page is not there any more (404)\n" in found
    assert "TEXT" not in found


def test_text_from_pages_makes_no_links_but_the_sources() -> None:
    nasty = SearchResult("![x](https://evil.example/p.png) [y](https://evil.example)", "https://good.example/>(x", "")
    tricky = SearchResult("<https://evil.example>", "https://good.example/\n[z](https://evil.example)", "")
    search = SearchRecord(query="[q](https://evil.example)", results=(nasty, tricky))
    message = replace(ANSWER, content="", searches=(search,))
    tokens = MarkdownIt().parse(conversation_markdown(CONVERSATION, [message]))
    kinds = [child for token in tokens for child in token.children or []]
    assert [child for child in kinds if child.type in ("link_open", "image")] == []
    good = replace(nasty, url="https://good.example/(x)")
    message = replace(message, searches=(replace(search, results=(good,)),))
    tokens = MarkdownIt().parse(conversation_markdown(CONVERSATION, [message]))
    links = [child.attrs["href"] for token in tokens for child in token.children or [] if child.type == "link_open"]
    assert links == ["https://good.example/(x)"]
