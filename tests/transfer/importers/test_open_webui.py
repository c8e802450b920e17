"""Chats of Open WebUI, in both forms that its documentation shows."""

from __future__ import annotations

from pathlib import Path

from llamachat.core.messages import JsonValue, Status, Usage
from llamachat.core.search_record import STORED_PAGE_CHARS, SearchResult
from tests.transfer.importers.reading import IMPORTS, outline, read_all, times, written


def a_chat(content: str, **more: JsonValue) -> JsonValue:
    """A chat with one answer."""
    answer: JsonValue = {"id": "a", "parentId": None, "role": "assistant", "content": content, **more}
    return [{"title": "T", "history": {"currentId": "a", "messages": {"a": answer}}}]


def test_the_standard_form() -> None:
    chat, _ = read_all(IMPORTS / "open_webui.json")
    known = chat.conversation
    assert (known.title, known.prompt, known.head_id) == ("Tea", "Be kind.", 3)
    assert (known.created_at, known.updated_at) == (1_699_999_999.0, 1_700_000_005.0)
    assert outline(chat) == [
        (None, "user", "How long does tea steep?\n\n[Attached: pot.png]"),
        (1, "assistant", ""),
        (1, "assistant", "Three minutes [1][2]."),
    ]
    assert times(chat.messages) == [1_700_000_000.0, 1_700_000_003.0, 1_700_000_005.0]
    failed = chat.messages[1]
    assert (failed.status, failed.error, failed.model) == (Status.FAILED, "The model is gone.", "llama3.2")


def test_thinking_sources_and_figures_of_an_answer() -> None:
    chat, _ = read_all(IMPORTS / "open_webui.json")
    answer = chat.messages[2]
    assert answer.reasoning == "Green & black\ndiffer."
    assert answer.usage == Usage(prompt_tokens=12, completion_tokens=5, prompt_ms=2.5)
    (search,) = answer.searches
    assert search.query == "tea steeping time"
    assert search.results == (
        SearchResult("Black tea", "https://tea.example/black", "Three minutes for black tea."),
        SearchResult("Green tea", "https://tea.example/green", "Two for green."),
    )


def test_the_older_form_has_no_times() -> None:
    _, chat = read_all(IMPORTS / "open_webui.json")
    assert (chat.conversation.title, outline(chat)) == ("Quick Chat", [(None, "user", "Hello!")])
    assert (chat.conversation.created_at, times(chat.messages)) == (0.0, [0.0])


def test_blocks_that_do_not_end_stay_text(tmp_path: Path) -> None:
    content = '<details type="reasoning" done="false">\nA <b>'
    (chat,) = read_all(written(tmp_path, a_chat(content)))
    assert (chat.messages[0].content, chat.messages[0].reasoning) == (content, "")


def test_results_of_tools_are_no_text(tmp_path: Path) -> None:
    content = 'A\n<details type="tool_calls" done="true" result="x">\n<summary>Tool</summary>\n</details>\nB'
    (chat,) = read_all(written(tmp_path, a_chat(content)))
    assert chat.messages[0].content == "A\n\nB"


def test_output_of_newer_versions_says_what_the_content_leaves_out(tmp_path: Path) -> None:
    thought: JsonValue = {"type": "reasoning", "summary": [], "content": [{"type": "output_text", "text": "Hm."}]}
    said: JsonValue = {"type": "message", "content": [{"type": "output_text", "text": "Yes"}, {"text": "."}]}
    call: JsonValue = {"type": "function_call", "name": "f", "arguments": "{}"}
    (chat,) = read_all(written(tmp_path, a_chat("", output=[thought, call, said])))
    assert (chat.messages[0].content, chat.messages[0].reasoning) == ("Yes.", "Hm.")
    (chat,) = read_all(written(tmp_path, a_chat("No.", output=[thought, said])))
    assert (chat.messages[0].content, chat.messages[0].reasoning) == ("No.", "Hm.")


def test_a_question_stays_as_it_was_typed(tmp_path: Path) -> None:
    typed = ' <details type="reasoning">\nx</details>\n'
    (chat,) = read_all(written(tmp_path, a_chat(typed, role="user")))
    assert chat.messages[0].content == typed


def test_an_answer_that_was_not_done_was_cut_off(tmp_path: Path) -> None:
    (chat,) = read_all(written(tmp_path, a_chat("Half", done=False)))
    assert chat.messages[0].status is Status.INTERRUPTED


def test_of_a_long_page_no_more_is_kept_than_of_pages_read_here(tmp_path: Path) -> None:
    source: JsonValue = {"source": {"name": "x"}, "document": ["a" * 50_000], "metadata": []}
    (chat,) = read_all(written(tmp_path, a_chat("A", sources=[source])))
    assert len(chat.messages[0].searches[0].results[0].content) == STORED_PAGE_CHARS
