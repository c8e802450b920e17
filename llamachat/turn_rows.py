"""The rows of a turn: what was asked is stored, and a row for the answer, before anything is sent."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import Literal, TypeAlias

from llamachat.chat.history import StoredAnswer, take_apart
from llamachat.chat.titles import title_from
from llamachat.core.conversation import Conversation, SearchMode
from llamachat.core.errors import StorageError
from llamachat.core.messages import Role, Status, StoredMessage, StreamMark, WireMessage
from llamachat.core.search_record import SearchRecord
from llamachat.core.text import tr
from llamachat.storage.broken_off import forget_in_chat
from llamachat.storage.conversations import (
    create_conversation,
    drop_draft,
    get_conversation,
    set_model,
    set_search_mode,
)
from llamachat.storage.database import Database
from llamachat.storage.failures import conversation_gone
from llamachat.storage.forks import origin_of
from llamachat.storage.kept_results import keep_results_from
from llamachat.storage.messages import (
    add_message,
    get_message,
    latest_searching_answer,
    load_branch,
    take_stream_marks,
    update_message,
)
from llamachat.storage.queued import take_out

_HALF = "\ufffd"  # what comes of a character that was cut in two; going on the model says it whole

Action: TypeAlias = Literal["send", "edit", "retry", "continue"]


@dataclass(frozen=True, slots=True)
class TurnRequest:
    """What the user asked for.

    send: `text` at the end of the conversation (None: a new one, with the system prompt text `prompt`).
    edit: `text` beside the question `message_id`, as another version of it.
    retry: another answer beside `message_id`, or one to that question. continue: go on with the answer `message_id`.
    message_id: in the last two None takes the last answer of the branch shown.
    fresh: a retry that searches anew: without what was found before, and nothing from memory.
    skip_thinking: in continue: the model is to answer now, from what it has thought so far.
    drop_results: of what was found for older questions, keep titles and addresses alone in the prompt from now on.
    prompt_name, prompt_edited: what else a `SystemPrompt` is, for a new conversation.
    queued_id: `text` waited in the store. typed: it is the draft of the conversation, which is emptied.
    model, search_mode: "" and None leave them as the conversation has them.
    answer_model: makes this answer alone; the conversation keeps its own model.
    """

    action: Action
    conversation_id: int | None = None
    text: str = ""
    model: str = ""
    search_mode: SearchMode | None = None
    prompt: str = ""
    message_id: int | None = None
    fresh: bool = False
    skip_thinking: bool = False
    drop_results: bool = False
    prompt_name: str = ""
    prompt_edited: bool = False
    queued_id: int | None = None
    typed: bool = False
    answer_model: str = ""


@dataclass(frozen=True, slots=True)
class TurnRows:
    """The rows of a turn. begun: what the answer holds already, in Continue. earlier: the branch above the answer.

    fresh, skip_thinking: see TurnRequest. results_kept_from: see `history_messages`. left: other answers of the
    conversation that the server may still write, and that nobody waits for any more.
    """

    conversation: Conversation
    user: StoredMessage | None
    answer: StoredMessage
    begun: StoredAnswer
    earlier: tuple[StoredMessage, ...] = ()
    fresh: bool = False
    skip_thinking: bool = False
    results_kept_from: int = 0
    left: tuple[StreamMark, ...] = ()


def store_rows(db: Database, request: TurnRequest) -> TurnRows:
    """Store the question and a row for the answer in one transaction. Raises StorageError; nothing is stored then."""
    with db.transaction():
        rows = _store(db, request)
        if request.drop_results and rows.answer.parent_id:
            keep_results_from(db, rows.conversation.id, rows.answer.parent_id)
        earlier = tuple(load_branch(db, rows.conversation.id, before_id=rows.answer.id))
        if earlier and (asked := take_apart(rows.answer).asked):
            earlier = (*earlier[:-1], replace(earlier[-1], wire=asked))
        forget_in_chat(db, rows.conversation.id)
        conversation = _existing(db, rows.conversation.id)  # its head has moved
        return replace(
            rows,
            conversation=conversation,
            earlier=earlier,
            fresh=request.fresh,
            skip_thinking=request.skip_thinking,
            results_kept_from=conversation.results_kept_from,
            left=take_stream_marks(db, conversation.id, besides=rows.answer.id),
        )


def _store(db: Database, request: TurnRequest) -> TurnRows:
    conversation = _conversation(db, request)
    nothing = StoredAnswer((), "", "")
    if request.queued_id is not None:
        take_out(db, request.queued_id)
    if request.typed:
        drop_draft(db, request.conversation_id, request.text)
    if request.action in ("send", "edit"):
        user = _add_question(db, conversation, request)
        return TurnRows(conversation, user, _add_answer(db, conversation, user.id), nothing)
    model = request.answer_model or conversation.model
    if request.action == "retry":
        target = _target(db, conversation, request.message_id, Role.ASSISTANT, Role.USER)
        parent_id = target.id if target.role is Role.USER else target.parent_id
        like = _asked_like(db, target, fresh=request.fresh)
        answer = _add_answer(db, conversation, parent_id, model=model, searches=like.searches, wire=like.wire)
        return TurnRows(conversation, None, answer, nothing)
    answer, begun = _reopen(db, _target(db, conversation, request.message_id, Role.ASSISTANT), model)
    return TurnRows(conversation, None, answer, begun)


def _conversation(db: Database, request: TurnRequest) -> Conversation:
    """The conversation with the model and the search mode of the request."""
    if request.conversation_id is None:
        return create_conversation(
            db,
            title=title_from(request.text),
            prompt=request.prompt,
            prompt_name=request.prompt_name,
            prompt_edited=request.prompt_edited,
            model=request.model,
            search_mode=request.search_mode or SearchMode.AUTO,
        )
    conversation = _existing(db, request.conversation_id)
    if request.model and request.model != conversation.model:
        set_model(db, conversation.id, request.model)
    if request.search_mode and request.search_mode is not conversation.search_mode:
        set_search_mode(db, conversation.id, request.search_mode)
    return _existing(db, conversation.id)


def _existing(db: Database, conversation_id: int) -> Conversation:
    conversation = get_conversation(db, conversation_id)
    if conversation is None:
        raise conversation_gone()
    return conversation


def _add_question(db: Database, conversation: Conversation, request: TurnRequest) -> StoredMessage:
    parent_id, text = conversation.head_id, request.text
    if request.action == "edit":
        parent_id = _target(db, conversation, request.message_id, Role.USER).parent_id
    return add_message(db, conversation_id=conversation.id, parent_id=parent_id, role=Role.USER, content=text)


@dataclass(frozen=True, slots=True)
class _Asked:
    """What another answer begins with: the searches that stand in its question, and that question if need be."""

    searches: tuple[SearchRecord, ...] = ()
    wire: tuple[WireMessage, ...] = ()


def _asked_like(db: Database, target: StoredMessage, *, fresh: bool) -> _Asked:
    """As `target` was asked, or as the latest answer to that question was, also once it was deleted or left in the
    chat that this one was forked from.

    fresh: as it was typed. What other answers were given to stays as it is.
    """
    if fresh:
        question = target if target.role is Role.USER else get_message(db, target.parent_id or 0)
        typed: WireMessage = {"role": "user", "content": question.content if question else ""}
        return _Asked(wire=(typed,) if question and question.wire else ())
    answer: StoredMessage | None = target
    if target.role is Role.USER:
        origin_id = origin_of(db, target.id) or target.id
        answer = latest_searching_answer(db, target.id) or latest_searching_answer(db, origin_id)
    if answer is None:
        return _Asked()
    searches = tuple(record for record in answer.searches if record.route in ("router", "user"))
    return _Asked(searches, take_apart(answer).asked)


def _add_answer(
    db: Database,
    conversation: Conversation,
    parent_id: int | None,
    *,
    model: str = "",
    searches: tuple[SearchRecord, ...] = (),
    wire: tuple[WireMessage, ...] = (),
) -> StoredMessage:
    return add_message(
        db,
        conversation_id=conversation.id,
        parent_id=parent_id,
        role=Role.ASSISTANT,
        status=Status.STREAMING,
        model=model or conversation.model,
        prompt=conversation.prompt,
        searches=searches,
        wire=wire,
    )


def _reopen(db: Database, answer: StoredMessage, model: str) -> tuple[StoredMessage, StoredAnswer]:
    """Make an answer a streaming one again; its `wire` keeps no text after the tool rounds, which goes on growing."""
    answer = replace(answer, content=answer.content.rstrip(_HALF), reasoning=answer.reasoning.rstrip(_HALF))
    begun = take_apart(answer)
    begun = replace(begun, content=begun.content.rstrip(_HALF), reasoning=begun.reasoning.rstrip(_HALF))
    if not begun.content.strip():
        begun = replace(begun, content="")
    wire = begun.asked + begun.rounds
    usage = answer.stream.usage if answer.stream else answer.usage  # that of an answer comes at its end, once more
    opened = replace(answer, status=Status.STREAMING, finish_reason="", error="", wire=wire, model=model, usage=usage)
    update_message(
        db,
        answer.id,
        content=opened.content,
        reasoning=opened.reasoning,
        status=opened.status,
        finish_reason="",
        error="",
        wire=opened.wire,
        model=model,
        usage=usage,
    )
    return opened, begun


def _target(db: Database, conversation: Conversation, message_id: int | None, *roles: Role) -> StoredMessage:
    """The question or answer that is meant."""
    found = get_message(db, message_id or conversation.head_id or 0)
    if found is None or found.conversation_id != conversation.id or found.role not in roles:
        raise StorageError(tr("The message that is meant is not in this chat."), tr("Open the chat again."))
    return found
