"""Bytes that are no TOML: the line, the key and the words."""

from __future__ import annotations

import os
from pathlib import Path

import pytest

from llamachat.config.problem import Problem
from llamachat.config.syntax import BrokenFile, parse_document, read_document


def _problem(data: bytes) -> Problem:
    with pytest.raises(BrokenFile) as caught:
        parse_document(data)
    return caught.value.problem


@pytest.mark.parametrize(
    ("text", "line", "key", "words"),
    [
        ('\nbase_url = "http://x\nmodel = "a"\n', 2, "base_url", "closing quote"),
        ('model = "a', 1, "model", "closing quote"),
        ('theme = "dark"\n\ndefault_prompt = """\nabc\n\n', 3, "default_prompt", "closing quote"),
        ("list = [1,\n2\n", 1, "list", "closing bracket"),
        ("theme = dark", 1, "theme", "stands in quotes"),
        ("search_enabled = True", 1, "search_enabled", "written small"),
        ("temperature = 0,7", 1, "temperature", "behind the value"),
        ("# c\ntheme\n", 2, "", "key = value"),
        ("theme: 'dark'", 1, "", "key = value"),
        ("= 3", 1, "", "key = value"),
        ('search_ca_file = "C:\\Users"', 1, "search_ca_file", "backslash"),
        ('search_ca_file = "C:\\certs"', 1, "search_ca_file", "backslash"),
        ("model = 'a'\ntheme = 'dark'\nmodel = 'b'", 3, "model", "first is on line 1"),
        ("[prompts.a]\n\n[prompts.a]\n", 3, "prompts.a", "first is on line 1"),
        ("prompts.a.text = 'x'\n[prompts.a]\n", 2, "prompts.a", "clashes"),
        ("a = 1\na.b = 2\n", 2, "a.b", "clashes"),
        ("a = 1\n<<<<<<< HEAD\nb = 1\n=======\nb = 2\n>>>>>>> x\n", 2, "", "conflict marks"),
        ("a = { b = 1,\n c = 2 }", 1, "a", "not TOML"),
    ],
)
def test_line_key_and_words(text: str, line: int, key: str, words: str) -> None:
    for data in (text.encode(), text.replace("\n", "\r\n").encode(), b"\xef\xbb\xbf" + text.encode()):
        problem = _problem(data)
        assert (problem.line, problem.key, problem.severity) == (line, key, "error")
        assert words in problem.reason


def test_other_encodings_are_told_by_line() -> None:
    problem = _problem("a = 1\nb = 'café'\n".encode("latin-1"))
    assert problem.line == 2
    assert "UTF-8" in problem.reason
    assert _problem("a = 1".encode("utf-16")).line == 1


@pytest.mark.parametrize("text", ["[" * 5000, "9" * 5000, "0x" + "f" * 5000], ids=["deep", "long", "long hex"])
def test_what_python_cannot_take_is_a_problem_too(text: str) -> None:
    assert "too large" in _problem(f"a = {text}".encode()).reason


def test_byte_order_mark_and_line_ends_are_no_problem() -> None:
    document = parse_document(b"\xef\xbb\xbfa = 1\r\nb = '''x\r\ny'''\r\n")
    assert document.has_bom
    assert document.values == {"a": 1, "b": "x\ny"}
    assert document.text.count("\r\n") == 3


def test_a_folder_is_told(tmp_path: Path) -> None:
    with pytest.raises(BrokenFile, match="is a folder"):
        read_document(tmp_path)


def test_nobody_waits_for_a_pipe_or_a_device(tmp_path: Path) -> None:
    pipe, link = tmp_path / "pipe", tmp_path / "config.toml"
    os.mkfifo(pipe)
    link.symlink_to(pipe)
    for path in (pipe, link, Path("/dev/zero")):
        with pytest.raises(BrokenFile, match="no ordinary file"):
            read_document(path)


def test_the_null_device_holds_nothing() -> None:
    assert read_document(Path(os.devnull)).values == {}


def test_an_unreadable_file_is_told(tmp_path: Path) -> None:
    loop = tmp_path / "config.toml"
    loop.symlink_to(loop)  # also unreadable for root
    with pytest.raises(BrokenFile, match="cannot be read"):
        read_document(loop)


def test_a_missing_file_is_its_own_case(tmp_path: Path) -> None:
    with pytest.raises(FileNotFoundError):
        read_document(tmp_path / "config.toml")


def test_the_error_says_what_to_do() -> None:
    with pytest.raises(BrokenFile) as caught:
        parse_document(b"x")
    assert str(caught.value).startswith("Line 1: This needs the form key = value.")
    assert caught.value.next_step
