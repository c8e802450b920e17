"""The router: what it reads, how it asks, and where what it found goes."""

from __future__ import annotations

from collections.abc import Sequence

import pytest

from llamachat.chat.aside import Aside
from llamachat.chat.prompt import UNANSWERED
from llamachat.chat.query_writer import QueryWriter
from llamachat.chat.router import Router, latest_turn, wants_search
from llamachat.chat.stream_chat import Turn, stream_chat
from llamachat.chat.tools import Toolbox
from llamachat.chat.web_search_tool import WebSearchTool
from llamachat.core.cancel import CancelToken
from llamachat.core.completion import CompletionRequest
from llamachat.core.errors import ServerCause
from llamachat.core.events import FinishReason, Kind, PhaseName
from llamachat.core.messages import WireMessage
from tests.chat.running import Outcome
from tests.fakes.scripted_completer import Choice, ScriptedCompleter, refusal, says
from tests.fakes.scripted_search import ScriptedSearch
from tests.fakes.still_clock import StillClock

CLOCK = StillClock(1_796_040_000.0)  # 2026-11-30, 12:00 UTC


def user(text: str) -> WireMessage:
    return {"role": "user", "content": text}


def assistant(text: str) -> WireMessage:
    return {"role": "assistant", "content": text}


class Routed:
    """A turn with a router before scripted models: one is asked aside, the other answers."""

    def __init__(
        self, *asides: Choice, answer: Choice = (), always: bool = False, always_thinks: bool = False
    ) -> None:
        self.asides = ScriptedCompleter(*asides)
        self.main = ScriptedCompleter(answer or says("Here."))
        self.search = ScriptedSearch()
        self.always, self.always_thinks = always, always_thinks
        self.optimizes = True
        self.paused = ""

    def run(self, *messages: WireMessage) -> Outcome:
        """Run the turn; without messages that of a question."""
        return self.run_turn(Turn(messages or (user("When is high tide in Husum?"),), model="qwen"))

    def run_turn(self, turn: Turn) -> Outcome:
        """Run a turn."""
        aside = Aside(self.asides, "qwen", always_thinks=lambda _: self.always_thinks)
        router = Router(
            aside=aside,
            writer=QueryWriter(aside, CLOCK, optimizes=self.optimizes),
            tool=WebSearchTool(self.search, clock=CLOCK),
            always=self.always,
            paused=self.paused,
        )
        cancel = CancelToken()
        return Outcome(list(stream_chat(turn, completer=self.main, toolbox=Toolbox(), router=router, cancel=cancel)))

    def latest(self) -> str:
        """What the model was asked at last."""
        return str(self.main.requests[-1].messages[-1]["content"])


def question(request: CompletionRequest) -> str:
    return str(request.messages[-1]["content"])


@pytest.mark.claim("OP-014", "OP-019")
def test_a_no_makes_one_short_question_and_no_search() -> None:
    turn = Routed(says("no"))
    outcome = turn.run()
    request = turn.asides.requests[0]
    assert (request.model, request.sampling.max_tokens, request.sampling.temperature) == ("qwen", 1, 0.0)
    assert (request.grammar, request.thinking, request.tools) == ('root ::= "yes" | "no"', False, ())
    assert len(turn.asides.requests) == 1
    assert turn.search.queries == []
    assert turn.latest() == "When is high tide in Husum?"
    assert outcome.messages == [assistant("Here.")]


@pytest.mark.claim("OP-019", "OP-022", "OP-023")
def test_a_yes_searches_and_puts_the_results_to_the_end_of_the_question() -> None:
    turn = Routed(says("yes"), says('{"query": "high tide husum"}'))
    outcome = turn.run(user("Hello"), assistant("Hi"), user("When is high tide?"))
    assert turn.search.queries == ["high tide husum"]
    writing = turn.asides.requests[1]
    assert writing.schema is not None
    assert (writing.grammar, writing.sampling.max_tokens) == ("", 100)
    sent = turn.main.requests[0].messages
    assert sent[:2] == (user("Hello"), assistant("Hi"))
    text = turn.latest()
    assert text.startswith("When is high tide?\n\n<web_search_results>\n")
    assert text.endswith("</web_search_results>")
    for words in ("2026-11-30 12:00 UTC", "beat what you remember", "versions, releases", "Links cannot be opened"):
        assert words in text
    assert "untrusted" in text
    assert "[1] high tide husum 1\nhttp://site1.example/high-tide-husum\nAbout high tide husum." in text
    assert outcome.messages == [user(text), assistant("Here.")]
    assert [record.route for record in outcome.searches] == ["router"]
    phases = [getattr(data, "name", "") for kind, data in outcome.events if kind is Kind.PHASE]
    assert phases == [PhaseName.ROUTING, PhaseName.FRAMING, PhaseName.WAITING]


@pytest.mark.claim("OP-014")
@pytest.mark.parametrize(
    ("thought", "searches"),
    [
        ("The user asks for a tide table.</think>Yes.", True),
        ("Hm.</think>No, it is known.", False),
        ("Hm, er", False),
    ],
)
def test_a_model_that_always_thinks_answers_freely(thought: str, searches: bool) -> None:
    turn = Routed(says(thought), says("tide table husum"), always_thinks=True)
    turn.run()
    request = turn.asides.requests[0]
    assert (request.grammar, request.schema) == ("", None)
    assert (request.sampling.max_tokens or 0) > 500
    assert bool(turn.search.queries) is searches


@pytest.mark.claim("OP-015", "OP-016")
def test_it_reads_the_whole_latest_turn_without_the_system_prompts_paragraphs() -> None:
    system = "You are an editor.\n\nAlways answer\nwith whole files."
    messages: Sequence[WireMessage] = [
        {"role": "system", "content": system},
        user("Old question"),
        assistant("Old answer"),
        user("First part."),
        assistant(UNANSWERED),
        user("Always answer with  whole files.\n\nSecond part."),
    ]
    assert latest_turn(messages) == "First part.\n\nSecond part."
    turn = Routed(says("no"))
    turn.run(*messages)
    assert question(turn.asides.requests[0]) == "Message: First part.\n\nSecond part."


@pytest.mark.claim("OP-017", "OP-020")
def test_the_examples_stand_in_a_fixed_system_prompt_and_the_day_in_the_question() -> None:
    first, second = (Routed(says("yes"), says('{"query": "tide"}')) for _ in range(2))
    first.run()
    second.run(user("Wie spät ist es in Tokio?"))
    for one, other in zip(first.asides.requests, second.asides.requests, strict=True):
        assert one.messages[0] == other.messages[0]
        assert "2026" not in str(one.messages[0])
    assert "2026-11-30" not in question(first.asides.requests[0])
    assert "Monday, 2026-11-30" in question(first.asides.requests[1])


@pytest.mark.claim("OP-040")
def test_while_the_search_is_paused_the_router_is_not_asked() -> None:
    turn = Routed(says("yes"))
    turn.paused = "Web search is paused for 4 min."
    outcome = turn.run()
    assert turn.asides.requests == []
    assert outcome.content == "Here."


@pytest.mark.parametrize("failing", [[refusal(ServerCause.SERVER_FAULT, 500)], says(""), says("maybe")])
def test_a_router_that_fails_or_cannot_be_read_searches_nothing(failing: Choice) -> None:
    turn = Routed(failing)
    assert turn.run().content == "Here."
    assert turn.search.queries == []


@pytest.mark.parametrize("always", [False, True])
def test_where_nothing_was_asked_nothing_is_searched(always: bool) -> None:
    turn = Routed(says("yes"), always=always)
    greeting = Turn(())  # an answer made anew with which a chat of another program began
    assert turn.run_turn(greeting).content == "Here."
    assert (turn.asides.requests, turn.search.queries) == ([], [])


def test_a_search_that_fails_is_told_to_the_model() -> None:
    turn = Routed(says("yes"), says('{"query": "broken"}'))
    outcome = turn.run()
    assert "It failed: SearXNG is not reachable." in turn.latest()
    assert outcome.searches[0].cause == "unreachable"


def test_nothing_found_is_told_to_the_model() -> None:
    turn = Routed(says("yes"), says('{"query": "nothing"}'))
    turn.run()
    assert "It found nothing." in turn.latest()


def test_stop_while_it_decides_ends_the_turn() -> None:
    cancel = CancelToken()
    aside = Aside(ScriptedCompleter([cancel]), "qwen")
    router = Router(aside, QueryWriter(aside, CLOCK), WebSearchTool(ScriptedSearch(), clock=CLOCK))
    main = ScriptedCompleter(says("No."))
    turn = Turn((user("When?"),))
    outcome = Outcome(list(stream_chat(turn, completer=main, toolbox=Toolbox(), router=router, cancel=cancel)))
    assert outcome.finish.reason is FinishReason.STOPPED
    assert main.requests == []


def test_a_question_with_results_in_it_is_not_searched_again() -> None:
    turn = Routed(says("yes"))
    turn.run(user("When?\n\n<web_search_results>\n[1] Tide\n</web_search_results>"))
    assert turn.asides.requests == []


@pytest.mark.claim("ST-007", "ST-013")
def test_always_searches_the_message_in_the_words_of_a_query() -> None:
    turn = Routed(says("high tide husum"), always=True)
    outcome = turn.run(user("hey, could you find out when the tide is high in husum pls?"))
    request = turn.asides.requests[0]
    assert (request.sampling.temperature, request.sampling.max_tokens, request.thinking) == (0.0, 100, False)
    assert turn.search.queries == ["high tide husum"]
    assert "[1] high tide husum 1" in turn.latest()
    assert [record.route for record in outcome.searches] == ["user"]


@pytest.mark.claim("ST-013")
def test_always_without_the_optimizer_searches_what_was_typed() -> None:
    turn = Routed(always=True)
    turn.optimizes = False
    turn.run(user("when is\nhigh tide?"))
    assert turn.search.queries == ["when is high tide?"]
    assert turn.asides.requests == []


@pytest.mark.claim("ST-015")
@pytest.mark.parametrize(
    "answer",
    [[refusal(ServerCause.SERVER_FAULT, 500)], says(" "), says("word " * 300), says("one\ntwo")],
    ids=["failed", "empty", "rambling", "lines"],
)
def test_always_searches_what_was_typed_where_the_optimizer_is_of_no_use(answer: Choice) -> None:
    turn = Routed(answer, always=True)
    turn.run(user("When is high tide?"))
    assert turn.search.queries == ["When is high tide?"]


def test_wants_search_reads_the_last_word_of_a_free_answer() -> None:
    aside = Aside(ScriptedCompleter(says("No need? Yes, it changes: yes")), binds=False)
    assert wants_search(aside, "When?", CancelToken())
