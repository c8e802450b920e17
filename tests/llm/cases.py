"""The cases in tests/data/cases/model_server.jsonl: what servers were seen to send, and what must come of it."""

from __future__ import annotations

import json
from collections.abc import Iterable
from dataclasses import dataclass
from pathlib import Path
from typing import cast

import pytest
from _pytest.mark import ParameterSet

from llamachat.core.completion import ContentDelta, Delta, FinishDelta, ReasoningDelta, ToolCallDelta
from llamachat.core.errors import ServerError
from llamachat.core.messages import JsonObject, JsonValue
from llamachat.llm.assemble import ToolCallAssembler

_FILE = Path(__file__).resolve().parent.parent / "data" / "cases" / "model_server.jsonl"


@dataclass(frozen=True)
class Run:
    """One input of a case and what is expected of it; the shape of both hangs on the case's kind."""

    input: JsonValue
    expect: JsonValue

    @property
    def expected(self) -> JsonObject:
        """`expect`, where it is an object."""
        return cast("JsonObject", self.expect)

    @property
    def given(self) -> JsonObject:
        """`input`, where it is an object."""
        return cast("JsonObject", self.input)

    @property
    def reads(self) -> list[bytes]:
        """The pieces in which a stream came."""
        return [piece.encode() for piece in cast("list[str]", self.given["reads"])]

    @property
    def texts(self) -> list[str]:
        """`input`, where it is a list of texts."""
        return cast("list[str]", self.input)


def runs(kind: str) -> list[ParameterSet]:
    """All runs of the cases of a kind, with an id for each."""
    cases = [json.loads(line) for line in _FILE.read_text(encoding="utf-8").splitlines()]
    return [
        pytest.param(Run(run["input"], run["expect"]), id=f"{case['id']} {run['name']}")
        for case in cases
        if case["kind"] == kind
        for run in case["runs"]
    ]


class Collected:
    """What came of an answer, in the form in which the cases tell it."""

    def __init__(self) -> None:
        self._made = 0
        self._assembler = ToolCallAssembler(self._make_id)
        self._text = {"content": "", "reasoning": ""}
        self._finish: str | None = None
        self._error: ServerError | None = None

    def take(self, deltas: Iterable[Delta]) -> None:
        """Collect deltas up to the end or the error."""
        try:
            for delta in deltas:
                self._take_one(delta)
        except ServerError as error:
            self._error = error

    def told(self) -> JsonObject:
        """All but the error, as a case's `expect` has it."""
        calls: list[JsonValue] = [
            {"id": call.id, "name": call.name, "arguments": call.arguments} for call in self._assembler.calls()
        ]
        return {**self._text, "calls": calls, "finish": self._finish}

    def check(self, expect: JsonObject) -> None:
        """Compare with a case's `expect`, error and all."""
        assert self.told() == {key: value for key, value in expect.items() if key != "error"}
        check_error(self._error, cast("JsonObject | None", expect["error"]))

    def _take_one(self, delta: Delta) -> None:
        if isinstance(delta, ContentDelta):
            self._text["content"] += delta.text
        elif isinstance(delta, ReasoningDelta):
            self._text["reasoning"] += delta.text
        elif isinstance(delta, ToolCallDelta):
            self._assembler.feed(delta)
        elif isinstance(delta, FinishDelta):
            assert self._finish is None, "two finish reasons"
            self._finish = delta.reason

    def _make_id(self) -> str:
        self._made += 1
        return f"made{self._made - 1}"


def check_error(error: ServerError | None, expect: JsonObject | None) -> None:
    """Compare an error with the `cause`, words and numbers of a case."""
    if expect is None:
        assert error is None
        return
    assert error is not None
    assert error.cause == expect["cause"]
    assert str(expect["says"]) in error.sentence.replace(",", "")  # of a large number
    assert error.sentence.endswith((".", "!", "?"))
    assert error.next_step
    assert error.prompt_tokens == expect.get("prompt_tokens")
    assert error.context_tokens == expect.get("context_tokens")
