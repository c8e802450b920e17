"""The scanner: where keys and headers stand, in every style that TOML knows, and in texts that are not TOML."""

from __future__ import annotations

import tomllib

import pytest
from hypothesis import given
from hypothesis import strategies as st

from llamachat.config.scan import join_key, parse_key, statements

_TEXT = '''# comment = 1
a = 1 # b = 2
"quoted key" = """
[not.a.header]
x = 1 \\"""
end""" # after
'lit.eral' = \'\'\'
'' y = 2 \'\'\''

[ table . "in ner" ] # comment
list = [ # [
  "]", # ]
  { k = "}" },
]
a.b."c d" = { e = { f = 1 } }
[[array]]
n = 1979-05-27T07:32:00Z'''


def test_every_statement_is_found_with_its_lines() -> None:
    found = [(one.path, one.lines) for one in statements(_TEXT)]
    assert found == [
        (("a",), (2, 2)),
        (("quoted key",), (3, 6)),
        (("lit.eral",), (7, 8)),
        (("table", "in ner"), (10, 10)),
        (("table", "in ner", "list"), (11, 14)),
        (("table", "in ner", "a", "b", "c d"), (15, 15)),
        (("array",), (16, 16)),
        (("array", "n"), (17, 17)),
    ]


def test_values_are_cut_out_exactly() -> None:
    values = {one.path[-1]: _TEXT[slice(*one.value)] for one in statements(_TEXT)}
    assert values["a"] == "1"
    assert tomllib.loads("v = " + values["quoted key"]) == {"v": '[not.a.header]\nx = 1 """\nend'}
    assert tomllib.loads("v = " + values["lit.eral"]) == {"v": "'' y = 2 '"}
    assert tomllib.loads("v = " + values["list"]) == {"v": ["]", {"k": "}"}]}
    assert values["c d"] == "{ e = { f = 1 } }"
    assert values["n"] == "1979-05-27T07:32:00Z"


def test_spans_are_whole_lines() -> None:
    lines = _TEXT.splitlines(keepends=True)
    for one in statements(_TEXT):
        assert _TEXT[slice(*one.span)] == "".join(lines[one.lines[0] - 1 : one.lines[1]])


def test_line_ends_of_windows_change_nothing() -> None:
    here, there = statements(_TEXT), statements(_TEXT.replace("\n", "\r\n"))
    assert [(one.path, one.lines) for one in here] == [(one.path, one.lines) for one in there]
    assert "\r" not in _TEXT.replace("\n", "\r\n")[slice(*there[0].value)]


@pytest.mark.parametrize("quotes", ['""""""', '"""""""', '""""""""', "''''''", "'''''''", '""', "''"])
def test_quotes_at_the_end_of_strings(quotes: str) -> None:
    text = f"a = {quotes} # say \"hi\" or 'ho'\nb = 1\n"
    first, second = statements(text)
    assert text[slice(*first.value)] == quotes
    assert second.path == ("b",)


@pytest.mark.parametrize(
    ("text", "paths"),
    [
        ('a = "open\nb = 1', [("a",), ("b",)]),
        ('a = """open\nb = 1', [("a",)]),
        ("a = [1,\nb = 1", [("a",)]),
        ("a = 1 ] }\nb = 1", [("a",), ("b",)]),
        ("just words\n= 3\n[\n[]\n[open\nb = 1", [("b",)]),
        ("<<<<<<< HEAD\nb = 1\n=======\n", [("b",)]),
        ('"\\q" = 1\nb = 2', [('"\\q"',), ("b",)]),
        ("", []),
        ("\r", []),
    ],
)
def test_broken_texts_are_scanned_as_far_as_makes_sense(text: str, paths: list[tuple[str, ...]]) -> None:
    assert [one.path for one in statements(text)] == paths


@given(st.text(alphabet="ab=[]{}\"'\\#.\n\r ,1", max_size=60))
def test_any_text_is_scanned_and_statements_do_not_overlap(text: str) -> None:
    end = 0
    for one in statements(text):
        assert end <= one.span[0] <= one.value[0] <= one.value[1] <= one.span[1] <= len(text)
        end = one.span[1]


@given(st.lists(st.text(max_size=8).filter(lambda text: text.isprintable()), min_size=1, max_size=4))
def test_keys_are_joined_and_read_back(parts: list[str]) -> None:
    assert parse_key(join_key(parts)) == tuple(parts)


def test_plain_keys_stay_plain() -> None:
    assert join_key(("prompts", "my own", "text")) == 'prompts."my own".text'


@pytest.mark.parametrize("text", ["", "a b", "a = 1", "a.", ".a", "a..b", '"a', "a\nb", "ä", '"\\q"'])
def test_what_is_no_key_is_refused(text: str) -> None:
    with pytest.raises(ValueError):  # noqa: PT011 - the message is the text itself, nobody reads it
        parse_key(text)
