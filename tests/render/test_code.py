"""Colours of code that grows are those of the whole; copied code is exact."""

from __future__ import annotations

import random

import pytest

from llamachat.render.code import LANGUAGES, GrowingColours, Span, code_at, find_lexer
from llamachat.render.parse import MarkdownParser

SAMPLES = {
    "python": '@dec\ndef f(x: int) -> str:\n    """Doc\n\n    more"""\n    return f"{x}" # a\n\nclass A: y = 1.5\n',
    "javascript": "/* a\n b */\nconst f = async (x) => `t ${x}\n b`; // c\nclass A { y() { return /re/g } }\n",
    "rust": '/* c\n d */\n#[derive(Debug)]\nfn main() { let x: Vec<String> = vec!["a".into()]; }\n',
    "cpp": "#include <x>\n/* doc\n * b */\ntemplate<class T> int f(T a) { return a + 1; } // c\n",
    "bash": 'for i in $(ls); do\n  echo "x $i" # c\ndone\ncat <<EOF\nhi $x\nEOF\n',
    "html": '<div class="a">x<script>let a = 1;</script></div>\n<!-- c\n -->\n',
    "json": '{"a": [1, true,\n "x"]}\n',
    "yaml": "a: b\nc:\n  - d # x\n",
    "diff": "--- a\n+++ b\n@@ -1 +1 @@\n-x\n+y\n",
    "sql": "SELECT a FROM t -- c\nWHERE x = 'y';\n",
    "postgresql": "CREATE FUNCTION f() RETURNS int AS $$\nBEGIN\n  RETURN 1; -- c\nEND;\n$$ LANGUAGE plpgsql;\n",
    "plpgsql": "DO $x$\nBEGIN\n  RAISE NOTICE 'a';\nEND\n$x$;\n",
}


@pytest.mark.parametrize("language", SAMPLES)
def test_growing_line_by_line_gives_the_colours_of_the_whole(language: str) -> None:
    lines = (SAMPLES[language] * 6).rstrip("\n").split("\n")
    whole = dict(GrowingColours(language).replace(0, lines))
    chance, growing, found = random.Random(1), GrowingColours(language), dict[int, tuple[Span, ...]]()
    position = 0
    while position < len(lines):
        new = lines[position : position + chance.randint(1, 4)]
        half = [*new[:-1], new[-1][: len(new[-1]) // 2]]
        found |= growing.replace(position, half)
        found |= growing.replace(position + len(half) - 1, new[-1:])
        position += len(new)
    assert found == whole
    assert any(spans for spans in whole.values())


@pytest.mark.parametrize(
    ("language", "line"),
    [
        ("html", "  <p>text &amp; more</p>"),  # the blanks belong to the text of the line above
        ("xml", "  <item>text</item> and"),
        ("cpp", "    int x = f(a); // note"),
        ("css", "  a { color: red; }"),
        ("bash", "  echo $x # note"),
        ("markdown", "some *text*"),
    ],
)
def test_a_line_more_costs_a_few_lines(language: str, line: str) -> None:
    growing = GrowingColours(language)
    growing.replace(0, [line] * 100)
    assert len(growing.replace(100, [line])) < 10


def test_a_few_colours_tell_what_is_what() -> None:
    lines = ["import os  # why", "def go(n=10):", '    return "text"']
    found = dict(GrowingColours("python").replace(0, lines))
    words = [{lines[row][s.start : s.start + s.length]: s.style for s in spans} for row, spans in found.items()]
    assert words[0] == {"import": "keyword", "# why": "comment"}
    assert words[1] == {"def": "keyword", "go": "name", "10": "number"}
    assert words[2] == {"return": "keyword", '"text"': "string"}


@pytest.mark.parametrize("language", ["", "no-such-language", "../../etc", "python; rm", "x" * 100])
def test_unknown_languages_have_no_colours(language: str) -> None:
    assert GrowingColours(language).replace(0, ["import os"]) == []


def test_a_line_of_data_ends_the_colouring() -> None:
    growing = GrowingColours("python")
    assert growing.replace(0, ["import os"])
    assert growing.replace(1, ["x" * 5000]) == []
    assert growing.replace(2, ["import os"]) == []


@pytest.mark.slow
@pytest.mark.parametrize(
    "unit", ["<!--", '"', "'", "(", "{", "[", "/*", "a", " ", "\t", "\\", "$", '."', "`<", 'a"', "1."]
)
def test_no_line_brings_a_language_to_a_standstill(unit: str) -> None:
    # A pattern that takes the square of a line ends in time here; one that doubles with each character does not.
    line = (unit * 1000)[:1000]
    for language in sorted(LANGUAGES):
        GrowingColours(language).replace(0, [line, line])


def test_languages_of_which_nobody_knows_that_have_no_colours() -> None:
    assert find_lexer("mcschema") is None
    assert all(find_lexer(language) for language in LANGUAGES)


def test_names_of_languages_are_taken_in_any_case() -> None:
    lexer = find_lexer("PyThon")
    assert lexer
    assert lexer.name == "Python"


def test_copied_code_is_exact() -> None:
    parser = MarkdownParser()
    text = 'one\n\n```py\ndef f():\n\treturn "x\u00a0y"\n\n\n```\nend\n\n- item\n\n  ```\n  inner\n  ```\n'
    assert code_at(parser, text, 2) == 'def f():\n\treturn "x\u00a0y"\n\n'
    assert code_at(parser, text, 12) == "inner"
    assert code_at(parser, text, 0) is None


def test_code_that_is_still_coming_can_be_copied() -> None:
    assert code_at(MarkdownParser(), "```python\nx = 1\ny", 0) == "x = 1\ny"


def test_a_diff_tells_what_goes_from_what_comes() -> None:
    styles = [
        {span.style for span in spans} for _, spans in GrowingColours("diff").replace(0, ["- old", "+ new", " same"])
    ]
    assert styles == [{"deleted"}, {"inserted"}, set()]
