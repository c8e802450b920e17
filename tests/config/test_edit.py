"""Changing a key on disk: refused where the file is broken, otherwise all but that key's lines stay."""

from __future__ import annotations

import os
import stat
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from llamachat.config.document import example_toml
from llamachat.config.edit import set_key, unset_key
from llamachat.config.load import load_config
from llamachat.core.errors import ConfigError
from llamachat.core.text import clean

_H01 = Path(__file__).resolve().parent.parent / "data" / "config" / "h01"


@pytest.fixture
def file(tmp_path: Path) -> Path:
    return tmp_path / "config.toml"


def test_the_file_is_made_if_there_is_none(file: Path) -> None:
    set_key(file, "search_enabled", True)
    text = file.read_text(encoding="utf-8")
    assert load_config(file).config.search_enabled
    assert text.replace("search_enabled = true\n", "") == example_toml()
    unset_key(file, "search_enabled")
    assert file.read_text(encoding="utf-8") == example_toml()


def test_unsetting_makes_no_file(file: Path) -> None:
    unset_key(file, "theme")
    assert not file.exists()


@pytest.mark.parametrize("name", ["6_unknown_keys_and_comments.toml", "4_bom_and_crlf.toml", "5_empty.toml"])
def test_all_other_bytes_stay(file: Path, name: str) -> None:
    before = (_H01 / name).read_bytes()
    file.write_bytes(before)
    set_key(file, "search_results", 9)
    after = file.read_bytes()
    assert load_config(file).config.search_results == 9
    assert b"".join(line for line in after.splitlines(keepends=True) if b"search_results" not in line) == before
    unset_key(file, "search_results")
    assert file.read_bytes() == before


@pytest.mark.parametrize(
    "name", ["1_quote_missing.toml", "3_key_twice.toml", "4_latin1.toml", "8_conflict_marks.toml"]
)
def test_a_broken_file_is_not_touched(file: Path, name: str) -> None:
    before = (_H01 / name).read_bytes()
    file.write_bytes(before)
    with pytest.raises(ConfigError, match="Line "):
        set_key(file, "theme", "dark")
    with pytest.raises(ConfigError, match="Line "):
        unset_key(file, "theme")
    assert file.read_bytes() == before
    assert list(file.parent.iterdir()) == [file]


def test_a_wrong_value_can_be_mended(file: Path) -> None:
    file.write_bytes((_H01 / "2_wrong_type.toml").read_bytes())
    assert not load_config(file).savable
    set_key(file, "search_results", 10)
    assert load_config(file).savable
    assert (
        file.read_text(encoding="utf-8") == '# my settings\nmodel = "qwen"\nsearch_results = 10\nmax_searches = 3\n'
    )


@pytest.mark.parametrize(
    ("key", "value", "words"),
    [
        ("search_results", 0, "from 1 to 20"),
        ("search_results", "5", "a whole number"),
        ("temprature", 1, "Did you mean temperature?"),
        ("prompts.x.temprature", 1, "Did you mean temperature?"),
        ("prompts.x", "text", "no setting"),
        ("prompts", "text", "no setting"),
        ("theme.x", "dark", "no setting"),
        ("api_key_env", "sk-secret", "name of an environment variable"),
    ],
)
def test_what_does_not_fit_is_refused_and_makes_no_file(file: Path, key: str, value: str | int, words: str) -> None:
    with pytest.raises(ConfigError) as caught:
        set_key(file, key, value)
    assert words in str(caught.value)
    assert "sk-secret" not in str(caught.value)
    assert not file.exists()


def test_the_name_of_a_table_that_is_not_there_is_refused(file: Path) -> None:
    text = "prompt = 'gone'\n[servers.box]\nbase_url = 'http://box'\n"
    file.write_text(text, encoding="utf-8")
    with pytest.raises(ConfigError, match=r"There is no table \[servers.bux\].*box"):
        set_key(file, "server", "bux")
    assert file.read_text(encoding="utf-8") == text
    set_key(file, "server", "box")
    assert load_config(file).config.server == "box"


def test_permissions_stay(file: Path) -> None:
    file.write_text("theme = 'dark'\n", encoding="utf-8")
    file.chmod(0o640)
    set_key(file, "theme", "light")
    assert stat.S_IMODE(file.stat().st_mode) == 0o640


def test_a_file_made_read_only_is_respected(file: Path) -> None:
    file.write_text("theme = 'dark'\n", encoding="utf-8")
    file.chmod(0o444)
    if os.access(file, os.W_OK):  # root is asked nothing
        set_key(file, "theme", "light")
        assert stat.S_IMODE(file.stat().st_mode) == 0o444
    else:
        with pytest.raises(ConfigError, match="cannot be written"):
            set_key(file, "theme", "light")
        assert load_config(file).config.theme == "dark"


def test_symbolic_links_stay(file: Path) -> None:
    real = file.parent / "dotfiles" / "llamachat.toml"
    real.parent.mkdir()
    real.write_text("theme = 'dark'\n", encoding="utf-8")
    file.symlink_to(real)
    set_key(file, "theme", "light")
    assert file.is_symlink()
    assert real.read_text(encoding="utf-8") == 'theme = "light"\n'
    assert list(real.parent.iterdir()) == [real]


def test_nothing_is_written_where_nothing_changes(file: Path) -> None:
    file.write_text('theme = "dark"\n', encoding="utf-8")
    before = file.stat().st_ino
    set_key(file, "theme", "dark")
    unset_key(file, "model")
    assert file.stat().st_ino == before


@pytest.mark.parametrize(
    "text",
    [
        "[theme]\nx = 1\n",
        "[[prompts]]\ntext = 'x'\n",
        "prompts = 3\n",
        "prompts.x = 1\n",
        "prompts = { x = { list = [ # why\n] } }\n",
        "a" + ".a" * 2000 + "=1",
    ],
)
def test_what_needs_more_than_a_line_is_left_to_the_user(file: Path, text: str) -> None:
    file.write_text(text, encoding="utf-8")
    with pytest.raises(ConfigError) as caught:
        set_key(file, "theme" if "theme" in text else "prompts.x.text", "dark")
    assert "text editor" in caught.value.next_step
    assert file.read_text(encoding="utf-8") == text
    assert list(file.parent.iterdir()) == [file]


def test_other_values_may_be_of_any_kind(file: Path) -> None:
    file.write_text("a = nan\nb = 1979-05-27\nc = -inf\nd = {}\n[e]\n", encoding="utf-8")
    set_key(file, "theme", "dark")
    assert load_config(file).config.theme == "dark"


class _EditedAfterReading(type(Path())):  # type: ignore[misc]  # the class that Path() makes here
    """The path of a file that another program writes right after it is read for the first time."""

    def read_bytes(self) -> bytes:
        plain = Path(os.fspath(self))
        data = plain.read_bytes()
        plain.write_bytes(b"model = 'theirs'\n")
        return data


def test_an_edit_at_the_same_moment_is_not_lost(file: Path) -> None:
    file.write_text("model = 'mine'\n", encoding="utf-8")
    with pytest.raises(ConfigError, match="at the same moment"):
        set_key(_EditedAfterReading(file), "theme", "dark")
    assert file.read_text(encoding="utf-8") == "model = 'theirs'\n"


def test_a_pipe_is_not_replaced(file: Path) -> None:
    os.mkfifo(file)
    with pytest.raises(ConfigError, match="no ordinary file"):
        set_key(file, "theme", "dark")
    assert file.is_fifo()


def test_a_file_that_cannot_be_written_is_told(tmp_path: Path) -> None:
    file = tmp_path / ("x" * 250)  # no room for the name of the temporary file
    file.write_text("", encoding="utf-8")
    with pytest.raises(ConfigError, match="cannot be written"):
        set_key(file, "theme", "dark")


def test_half_characters_are_mended_before_they_are_written(file: Path) -> None:
    set_key(file, "default_prompt", "half \ud83d of a pair")
    assert load_config(file).config.default_prompt == "half \ufffd of a pair"


@given(st.text(max_size=40), st.text(st.characters(min_codepoint=32, exclude_categories=["Cs", "Cc"]), min_size=1))
def test_any_prompt_under_any_name_is_read_back(
    tmp_path_factory: pytest.TempPathFactory, text: str, name: str
) -> None:
    file = tmp_path_factory.mktemp("any") / "config.toml"
    file.write_text("# mine\n", encoding="utf-8")
    key = f"prompts.{quoted(name)}.text"
    try:
        set_key(file, key, text)
    except ConfigError:
        assert any(ord(character) < 32 and character not in "\n\r\t" for character in text) or not name.isprintable()
    else:
        assert load_config(file).config.prompts[name].text == clean(text)


def quoted(name: str) -> str:
    return '"' + name.replace("\\", "\\\\").replace('"', '\\"') + '"'
