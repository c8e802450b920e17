"""What is printed cannot steer a terminal."""

from __future__ import annotations

import io
import json
import os
from pathlib import Path

import pytest

from llamachat.cli.output import complain, printable, remark, write, write_json, write_marked
from llamachat.core.errors import UserFacingError


@pytest.mark.parametrize(
    ("text", "shown"),
    [
        ("red \x1b[31mtext\x1b[0m", "red [31mtext[0m"),
        ("title \x1b]0;gone\x07", "title ]0;gone"),
        ("one\r\ntwo\tthree", "one\ntwo\tthree"),
        ("c1 \x9b31m", "c1 31m"),
        ("abc\u202efdp.exe", "abcfdp.exe"),
        ("straße 日本 😀", "straße 日本 😀"),
    ],
)
def test_control_characters_are_left_out(text: str, shown: str) -> None:
    assert printable(text) == shown


def test_write_prints_clean_text() -> None:
    stream = io.StringIO()
    write("a\x1b[2Jb\n", stream=stream)
    assert stream.getvalue() == "a[2Jb\n"


def test_hits_are_bracketed_where_there_are_no_colours(capsys: pytest.CaptureFixture[str]) -> None:
    write_marked(("the ", "tide", "\ntable"))
    assert capsys.readouterr().out == "        the [tide] table\n"


def test_json_is_printed_whole_and_steers_nothing(capsys: pytest.CaptureFixture[str]) -> None:
    whole = {"text": "a\x1b[2J\u200fb\u202ec\x9b\x7f\n\U0001f600"}
    write_json(json.dumps(whole, ensure_ascii=False) + "\n")
    shown = capsys.readouterr().out
    assert json.loads(shown) == whole
    assert printable(shown) == shown


def test_a_full_disk_is_one_sentence_and_leaves_nothing_to_complain_about_at_exit() -> None:
    with Path("/dev/full").open("w", encoding="utf-8") as full:
        with pytest.raises(UserFacingError, match="No space left"):
            write("text", stream=full)
        write("more", stream=full)  # to nowhere; leaving the block writes what is left


def test_a_reader_that_went_away_ends_the_command_and_no_more() -> None:
    reader, writer = os.pipe()
    os.close(reader)
    with os.fdopen(writer, "w", encoding="utf-8") as pipe:
        with pytest.raises(BrokenPipeError):
            write("text", stream=pipe)
        write("more", stream=pipe)


def test_what_stands_beside_an_answer_may_be_lost(monkeypatch: pytest.MonkeyPatch) -> None:
    with Path("/dev/full").open("w", encoding="utf-8") as full:
        monkeypatch.setattr("sys.stderr", full)
        remark("searched")
        complain("failed")
