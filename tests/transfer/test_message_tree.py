"""Trees of other programs: order, steps that become one, versions, circles."""

from __future__ import annotations

import pytest

from llamachat.core.conversation import Conversation
from llamachat.core.errors import TransferError
from llamachat.core.whole_chat import WholeChat
from llamachat.transfer.message_tree import MessageTree, Node
from llamachat.transfer.reading import Reading

CONVERSATION = Conversation(id=0, uid="", title="T", created_at=0.0, updated_at=0.0)


def grown(*nodes: Node, current: str | None = None) -> list[WholeChat]:
    """The chats that the nodes make."""
    tree = MessageTree("test", Reading())
    for node in nodes:
        tree.add(node)
    return list(tree.whole_chat(CONVERSATION, current=current))


def rows(chat: WholeChat) -> list[tuple[int, int | None, str]]:
    return [(message.id, message.parent_id, message.content) for message in chat.messages]


def test_steps_without_a_branch_between_them_are_one_answer() -> None:
    (chat,) = grown(
        Node("u", None, "user", "Q"),
        Node("a", "u", "assistant", "A", reasoning="R"),
        Node("t", "a", "tool"),
        Node("b", "t", "assistant", "B", reasoning="S"),
        current="t",
    )
    assert rows(chat) == [(1, None, "Q"), (2, 1, "A\n\nB")]
    assert (chat.messages[1].reasoning, chat.conversation.head_id) == ("R\n\nS", 2)


def test_steps_with_a_branch_between_them_stay_apart() -> None:
    (chat,) = grown(
        Node("u", None, "user", "Q"),
        Node("a", "u", "assistant", "A"),
        Node("t", "a", "tool"),
        Node("b", "t", "assistant", "B"),
        Node("c", "t", "assistant", "C"),
    )
    assert rows(chat) == [(1, None, "Q"), (2, 1, "A"), (3, 2, "B"), (4, 2, "C")]


def test_children_may_come_before_their_parents_and_without() -> None:
    (chat,) = grown(Node("b", "a", "assistant", "B"), Node("a", "gone", "user", "A"), Node("x", None, "user", "X"))
    assert rows(chat) == [(1, None, "A"), (2, 1, "B"), (3, None, "X")]


def test_a_prompt_holds_for_what_is_below_it() -> None:
    (chat,) = grown(
        Node("r", None),
        Node("s", "r", "system", "One"),
        Node("u", "s", "user", "Q"),
        Node("a", "u", "assistant", "A"),
        Node("s2", "r", "system", "Two"),
        Node("v", "s2", "user", "Q"),
        Node("b", "v", "assistant", "B"),
        current="a",
    )
    assert [message.prompt for message in chat.messages] == ["", "One", "", "Two"]
    assert chat.conversation.prompt == "One"


def test_a_long_chat_is_no_deep_one() -> None:
    nodes = [Node(str(n), str(n - 1) if n else None, ("user", "assistant")[n % 2], str(n)) for n in range(3_000)]
    (chat,) = grown(*nodes)
    assert [message.parent_id for message in chat.messages] == [None, *range(1, 3_000)]


@pytest.mark.parametrize("parents", [("a",), ("b", "a"), (None, "c", "b")])
def test_circles_are_refused(parents: tuple[str | None, ...]) -> None:
    nodes = [Node(key, parent, "user", "x") for key, parent in zip("abc", parents, strict=False)]
    with pytest.raises(TransferError, match="circle"):
        grown(*nodes)


def test_a_message_that_is_there_twice_is_refused() -> None:
    with pytest.raises(TransferError, match="twice"):
        grown(Node("a", None), Node("a", None))


def test_names_last_and_tell_programs_and_chats_apart() -> None:
    def uids(program: str, key: str | None) -> list[str]:
        tree = MessageTree(program, Reading())
        tree.add(Node("u", None, "user", "Q"))
        (chat,) = tree.whole_chat(CONVERSATION, key=key)
        return [chat.conversation.uid, chat.messages[0].uid]

    assert uids("one", "c") == uids("one", "c")
    made = [*uids("one", "c"), *uids("two", "c"), *uids("one", "d"), *uids("one", None)]
    assert len(set(made)) == 8
    assert all(len(uid) == 32 and int(uid, 16) for uid in made)


def test_a_chat_without_title_has_that_of_its_first_question() -> None:
    tree = MessageTree("test", Reading())
    tree.add(Node("u", None, "user", "What\nis " + "x" * 100))
    (chat,) = tree.whole_chat(Conversation(id=0, uid="", title=" \n", created_at=0, updated_at=0))
    assert chat.conversation.title == "What is " + "x" * 52
