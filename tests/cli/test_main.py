"""The command line as a function: how commands end."""

from __future__ import annotations

import io

import pytest

from llamachat.cli.main import main


class Interrupted(io.StringIO):
    """A terminal at which Ctrl-C is pressed."""

    def read(self, size: int | None = -1, /) -> str:
        raise KeyboardInterrupt


def test_an_interrupt_while_the_question_is_typed_is_one_sentence(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setattr("sys.stdin", Interrupted())
    assert main(["ask", "-"]) == 1
    assert capsys.readouterr().err == "llamachat: Stopped.\n"
