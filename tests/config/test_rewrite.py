"""Setting and taking out one key: the right value comes back, every other character stays."""

from __future__ import annotations

import copy
import json
import tomllib
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from llamachat.config.document import example_toml
from llamachat.config.option import options
from llamachat.config.rewrite import with_key, without_key
from llamachat.config.schema import Config
from tests.config.toml_texts import Chunk, KeyPath, laid_out, texts

_PATHS = st.sampled_from(
    [
        ("theme",),
        ("model",),
        ("seed",),
        ("prompts", "coder", "text"),
        ("prompts", "coder", "model"),
        ("prompts", "my own", "text"),
        ("prompts", "new.one", "text"),
        ("servers", "box", "model"),
    ]
)
_NEW_VALUES = st.sampled_from([7, 0.5, True, "plain", "quo\"te's # \\", "two\nlines\n", "carriage\rreturn", ""])


def _comparable(values: object) -> str:
    return json.dumps(values, sort_keys=True, default=repr)


def _set(values: dict[str, object], path: KeyPath, value: object) -> dict[str, object]:
    values = copy.deepcopy(values)
    table = values
    for part in path[:-1]:
        inner = table.setdefault(part, {})
        assert isinstance(inner, dict)
        table = inner
    table[path[-1]] = value
    return values


def _text(chunks: list[Chunk]) -> str:
    return "".join(chunk.text for chunk in chunks)


@given(texts().flatmap(laid_out), _PATHS, _NEW_VALUES)
def test_a_set_key_is_read_back_and_all_else_stays(chunks: list[Chunk], path: KeyPath, value: str | float) -> None:
    old = _text(chunks)
    new = with_key(old, path, value)
    assert _comparable(tomllib.loads(new)) == _comparable(_set(tomllib.loads(old), path, value))
    holders = [i for i, chunk in enumerate(chunks) if chunk.path and path[: len(chunk.path)] == chunk.path]
    if holders:
        before, after = _text(chunks[: holders[0]]), _text(chunks[holders[0] + 1 :])
        assert new.startswith(before)
        assert new.endswith(after)
    else:
        same = next((i for i, (a, b) in enumerate(zip(old, new, strict=False)) if a != b), len(old))
        assert new.endswith(old[same:]), "something else than an insertion"
        assert len(new) > len(old)
        assert without_key(new, path).startswith(old)


@given(texts().flatmap(laid_out), _PATHS, _NEW_VALUES)
def test_line_ends_stay_of_one_kind(chunks: list[Chunk], path: KeyPath, value: str | float) -> None:
    old = _text(chunks)
    new = with_key(old, path, value)
    if "\r\n" in old:
        assert new.count("\n") == new.count("\r\n")
    else:
        assert "\r" not in new
    if old:
        assert new.endswith("\n") == old.endswith("\n")


@given(texts().flatmap(laid_out), st.data())
def test_a_key_taken_out_is_gone_and_all_else_stays(chunks: list[Chunk], data: st.DataObject) -> None:
    paths = [chunk.path for chunk in chunks if chunk.path]
    path = data.draw(st.sampled_from([*paths, ("absent",), ("prompts", "absent", "text")]))
    index = next((i for i, chunk in enumerate(chunks) if chunk.path == path), None)
    expected = _text(chunks) if index is None else _text(chunks[:index] + chunks[index + 1 :])
    taken = without_key(_text(chunks), path)
    if index is not None and index == len(chunks) - 1 and not _text(chunks).endswith("\n"):
        expected = expected.removesuffix("\n").removesuffix("\r")
    assert taken == expected


@given(st.sampled_from(list(options(Config))), _NEW_VALUES)
def test_in_the_first_file_a_value_goes_right_below_its_comment(name: str, value: str | float) -> None:
    text = example_toml()
    new = with_key(text, (name,), value)
    above = new[: new.index(f"\n{name} = ")]
    assert above.splitlines()[-1].startswith(f"# {name} = ")
    assert without_key(new, (name,)) == text


def _cases() -> list[tuple[str, ...]]:
    file = Path(__file__).resolve().parent.parent / "data" / "config" / "rewrite_cases.txt"
    blocks = file.read_text(encoding="utf-8").split("### ")[1:]
    return [(*block.partition("\n")[0].split(": "), *block.partition("\n")[2].split("--->\n")) for block in blocks]


@pytest.mark.parametrize(("key", "old", "new"), [case[1:] for case in _cases()], ids=[case[0] for case in _cases()])
def test_where_a_value_goes(key: str, old: str, new: str) -> None:
    assert with_key(old, tuple(key.split(".")), "V") == new
    windows = old.replace("\n", "\r\n") if old else old
    assert with_key(windows, tuple(key.split(".")), "V").replace("\r\n", "\n") == new
    assert with_key(old.removesuffix("\n"), tuple(key.split(".")), "V").removesuffix("\n") == new.removesuffix("\n")


def test_text_of_many_lines_has_the_line_ends_of_the_file() -> None:
    assert with_key("theme = 1\r\n", ("theme",), "a\nb") == 'theme = """\r\na\r\nb"""\r\n'


def test_a_key_in_quotes_goes_below_its_own_comment() -> None:
    text = '# "aXb" = 1\n# "a.b" = 1\nz = 1\n'
    assert with_key(text, ("a.b",), 2) == text.replace("z", '"a.b" = 2\nz')


def test_taken_out_of_an_inline_table() -> None:
    text = "prompts = { x = { text = 'X', top_k = 1 } } # c\n"
    assert without_key(text, ("prompts", "x", "text")) == "prompts = { x = { top_k = 1 } } # c\n"
    assert without_key(text, ("prompts", "x", "seed")) == text


def test_comments_inside_an_inline_table_are_not_lost() -> None:
    text = "prompts = { x = { text = 'X', list = [\n1, # why\n] } }\n"
    assert with_key(text, ("prompts", "x", "text"), "V") == text
    assert without_key(text, ("prompts", "x", "text")) == text
