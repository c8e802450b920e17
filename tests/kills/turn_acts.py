"""Acts that let an answer grow: its rows, what is written of it while it comes, its end."""

from __future__ import annotations

from llamachat.core.messages import Role, Status, Usage
from llamachat.core.search_record import SearchRecord, SearchResult
from llamachat.storage.growing_message import GrowingMessage
from llamachat.storage.queued import list_queued
from llamachat.turn_rows import TurnRequest, store_rows
from tests.kills.play import Act, Play


def new_chat(play: Play) -> None:
    """Ask something in a new chat."""
    _run(play, TurnRequest("send", text=play.words(), prompt="Be short.", model="m1"))


def send(play: Play) -> None:
    """Ask something at the end of a chat, or what waits in it."""
    chat = play.chat()
    waiting = list_queued(play.db, chat) if chat else []
    text, queued_id = (waiting[0].text, waiting[0].id) if waiting else (play.words(), None)
    _run(play, TurnRequest("send", conversation_id=chat, text=text, queued_id=queued_id))


def edit_question(play: Play) -> None:
    """Ask in other words."""
    found = play.message(Role.USER)
    if found:
        _run(play, TurnRequest("edit", conversation_id=found[1], message_id=found[0], text=play.words()))


def answer_again(play: Play) -> None:
    """Have another answer, sometimes by another model."""
    found = play.message(Role.ASSISTANT)
    if found:
        model = play.chance.choice(("", "m2"))
        _run(play, TurnRequest("retry", conversation_id=found[1], message_id=found[0], model=model))


def go_on(play: Play) -> None:
    """Continue an answer that was cut."""
    found = play.message(Role.ASSISTANT, "messages.status IN ('stopped', 'interrupted')") or play.message(
        Role.ASSISTANT
    )
    if found:
        _run(play, TurnRequest("continue", conversation_id=found[1], message_id=found[0]))


def _run(play: Play, request: TurnRequest) -> None:
    """The answer thinks, searches sometimes, grows, and ends, sometimes before it is whole."""
    rows = store_rows(play.db, request)
    answer = GrowingMessage(rows.answer, play.db.unsaved)
    for name, most in (("reasoning", 2), ("content", 4)):
        for _ in range(play.chance.randint(0, most)):
            answer.add_text("reasoning" if name == "reasoning" else "content", f"{play.words()} ")
            _write(play, answer)
        if name == "reasoning" and play.chance.random() < 0.4:
            result = SearchResult("title", "https://example.org", play.words())
            answer.set(searches=(*answer.fields.searches, SearchRecord(query="q", results=(result,))))
            _write(play, answer)
    answer.set(wire=(*answer.fields.wire, {"role": "assistant", "content": answer.message().content}))
    ended = play.chance.choice((Status.COMPLETE, Status.COMPLETE, Status.STOPPED))
    answer.set(status=ended, finish_reason="stop", usage=Usage(prompt_n=3))
    _write(play, answer)


def _write(play: Play, answer: GrowingMessage) -> None:
    """As the recorder does it, but that what cannot be written is a fault here."""
    if not answer.write(play.db):
        raise AssertionError(answer.problem)


TURN_ACTS = (
    Act("ask in a new chat", new_chat, in_steps=True),
    Act("ask", send, in_steps=True),
    Act("edit a question", edit_question, in_steps=True),
    Act("answer again", answer_again, in_steps=True),
    Act("continue an answer", go_on, in_steps=True),
)
