"""Loading: every mistake is found, what is wrong falls back to the last good value, nothing raises."""

from __future__ import annotations

import stat
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from llamachat.config.document import example_toml
from llamachat.config.load import Loaded, load_config, write_first_config
from llamachat.config.schema import Config, PromptSettings, ServerSettings
from llamachat.core.errors import ConfigError

_H01 = Path(__file__).resolve().parent.parent / "data" / "config" / "h01"
_LAST_GOOD = Config(base_url="http://box:1", theme="light", search_results=7, model="old")


def _load(tmp_path: Path, text: str | bytes, last_good: Config | None = None) -> Loaded:
    file = tmp_path / "config.toml"
    file.write_bytes(text if isinstance(text, bytes) else text.encode())
    return load_config(file, last_good)


@pytest.mark.parametrize(
    ("name", "line", "key", "words"),
    [
        ("1_quote_missing.toml", 1, "base_url", "closing quote"),
        ("3_key_twice.toml", 3, "theme", "first is on line 1"),
        ("4_latin1.toml", 2, "", "UTF-8"),
        ("8_conflict_marks.toml", 2, "", "conflict marks"),
    ],
)
def test_a_file_that_does_not_parse_leaves_the_last_good_settings(name: str, line: int, key: str, words: str) -> None:
    first = load_config(_H01 / name)
    assert (first.config, first.savable) == (Config(), False)
    later = load_config(_H01 / name, _LAST_GOOD)
    assert (later.config, later.savable) == (_LAST_GOOD, False)
    (problem,) = later.problems
    assert (problem.line, problem.key, problem.severity) == (line, key, "error")
    assert words in problem.reason


def test_only_the_wrong_key_falls_back() -> None:
    loaded = load_config(_H01 / "2_wrong_type.toml", _LAST_GOOD)
    assert loaded.config == Config(model="qwen", search_results=7, max_searches=3)
    assert not loaded.savable
    assert [str(problem) for problem in loaded.problems] == [
        'Line 3, search_results: This needs a whole number from 1 to 20, not "ten". Until it is mended, 7 is used.'
    ]


def test_a_wrong_name_is_a_warning_that_suggests_the_right_one() -> None:
    loaded = load_config(_H01 / "2_unknown_and_wrong_type.toml")
    (problem,) = loaded.problems
    assert (problem.line, problem.key, problem.severity) == (2, "max_results", "warning")
    assert "did you mean search_results?" in problem.reason
    assert loaded.savable


def test_byte_order_mark_and_windows_line_ends() -> None:
    loaded = load_config(_H01 / "4_bom_and_crlf.toml")
    assert loaded == Loaded(Config(theme="dark", default_prompt="Two\nlines", model="café"))


def test_empty_file_means_the_defaults_even_after_other_settings() -> None:
    assert load_config(_H01 / "5_empty.toml", _LAST_GOOD) == Loaded(Config())


def test_unknown_keys_are_warnings_and_do_not_stop_saving() -> None:
    loaded = load_config(_H01 / "6_unknown_keys_and_comments.toml")
    assert loaded.config == Config(theme="dark")
    assert [(problem.line, problem.key, problem.severity) for problem in loaded.problems] == [
        (2, "future_key", "warning"),
        (6, "future_table", "warning"),
    ]
    assert loaded.savable


def test_a_folder_or_an_unreadable_file_leaves_the_last_good_settings(tmp_path: Path) -> None:
    loop = tmp_path / "config.toml"
    loop.symlink_to(loop)
    for path in (tmp_path, loop):
        loaded = load_config(path, _LAST_GOOD)
        assert (loaded.config, loaded.savable) == (_LAST_GOOD, False)
        assert [problem.severity for problem in loaded.problems] == ["error"]


def test_a_missing_file_means_the_defaults(tmp_path: Path) -> None:
    assert load_config(tmp_path / "config.toml", _LAST_GOOD) == Loaded(Config())


def test_all_mistakes_are_collected_in_the_order_of_lines(tmp_path: Path) -> None:
    text = """
temperature = "hot"
themes = "dark"
search_enabled = 1
prompt = "revewer"
[servers.box]
base_url = "ftp://box"
[prompts.reviewer]
top_p = 2
search_url = "http://x"
"""
    loaded = _load(tmp_path, text)
    assert [(problem.line, problem.key, problem.severity) for problem in loaded.problems] == [
        (2, "temperature", "error"),
        (3, "themes", "warning"),
        (4, "search_enabled", "error"),
        (5, "prompt", "error"),
        (7, "servers.box.base_url", "error"),
        (9, "prompts.reviewer.top_p", "error"),
        (10, "prompts.reviewer.search_url", "warning"),
    ]
    assert "did you mean theme?" in loaded.problems[1].reason
    assert "Did you mean reviewer?" in loaded.problems[3].reason
    assert "above the first line in square brackets" in loaded.problems[6].reason
    assert not loaded.savable


def test_tables_of_named_things(tmp_path: Path) -> None:
    text = """
server = "box"
prompt = "my own"
servers = { box = { base_url = "http://box:2", api_key_env = "BOX_KEY" } }
prompts.short.text = "Be brief."
[prompts."my own"]
text = "Mine."
temperature = 1
"""
    loaded = _load(tmp_path, text)
    assert loaded.problems == ()
    assert loaded.config.servers == {"box": ServerSettings(base_url="http://box:2", api_key_env="BOX_KEY")}
    assert loaded.config.active_server() == loaded.config.servers["box"]
    assert loaded.config.active_prompt() == PromptSettings(text="Mine.", temperature=1.0)
    assert loaded.config.prompts["short"] == PromptSettings(text="Be brief.")


@pytest.mark.parametrize(
    ("text", "line", "key", "words"),
    [
        ("[server.box]\nbase_url = 'x'", 1, "server", "Did you mean [servers.NAME]?"),
        ("[prompts]\ntext = 'x'", 2, "prompts.text", "such as [prompts.reviewer]"),
        ("prompts = 3", 1, "prompts", "such as [prompts.reviewer]"),
        ("[[servers]]\nbase_url = 'x'", 1, "servers", "such as [servers.workstation]"),
        ("[servers.'']", 1, 'servers.""', "a table with a name"),
        ("[servers]\na = { base_url = 3 }", 2, "servers.a.base_url", "text in quotes, not 3"),
        ("server = 'box'", 1, "server", "There is no table [servers.box]"),
    ],
)
def test_mistakes_with_tables(tmp_path: Path, text: str, line: int, key: str, words: str) -> None:
    loaded = _load(tmp_path, text)
    (problem,) = loaded.problems
    assert (problem.line, problem.key, problem.severity) == (line, key, "error")
    assert words in problem.reason
    assert loaded.config == Config(servers=loaded.config.servers)


def test_values_of_tables_fall_back_to_the_last_good_ones(tmp_path: Path) -> None:
    good = Config(
        prompts={"a": PromptSettings(text="A", top_k=3), "b": PromptSettings(text="B")},
        servers={"box": ServerSettings(base_url="http://box")},
    )
    loaded = _load(tmp_path, "servers = 1\n[prompts]\nb = 2\n[prompts.a]\ntext = 'New'\ntop_k = 'x'\n", good)
    assert loaded.config.servers == good.servers
    assert loaded.config.prompts == {"a": PromptSettings(text="New", top_k=3), "b": PromptSettings(text="B")}


def test_a_server_renamed_in_one_place_only_stays_in_force_with_its_table(tmp_path: Path) -> None:
    good = Config(server="old", servers={"old": ServerSettings(base_url="http://old")})
    loaded = _load(tmp_path, "server = 'old'\n[servers.new]\nbase_url = 'http://new'\n", good)
    assert loaded.config.active_server() == ServerSettings(base_url="http://old")
    assert not loaded.savable


def test_passwords_are_not_repeated(tmp_path: Path) -> None:
    loaded = _load(tmp_path, "search_url = 'ftp://me:s3cret@box'\napi_key_env = 'sk-s3cret'\n")
    assert len(loaded.problems) == 2
    assert "s3cret" not in "".join(map(str, loaded.problems))


@given(st.binary(max_size=80) | st.text(alphabet="prompts.text=\"'[]{}\n #1", max_size=80).map(str.encode))
def test_no_bytes_raise(tmp_path_factory: pytest.TempPathFactory, data: bytes) -> None:
    file = tmp_path_factory.getbasetemp() / "random.toml"
    file.write_bytes(data)
    loaded = load_config(file)
    assert loaded.savable == all(problem.severity == "warning" for problem in loaded.problems)
    assert str(loaded.config.active_server().base_url)


def test_the_first_file_explains_everything_and_changes_nothing(tmp_path: Path) -> None:
    file = tmp_path / "new" / "config.toml"
    write_first_config(file)
    assert file.read_text(encoding="utf-8") == example_toml()
    assert stat.S_IMODE(file.stat().st_mode) == 0o600
    assert load_config(file) == Loaded(Config())


def test_the_first_file_replaces_nothing(tmp_path: Path) -> None:
    file = tmp_path / "config.toml"
    file.write_text("theme = 'dark'", encoding="utf-8")
    write_first_config(file)
    assert file.read_text(encoding="utf-8") == "theme = 'dark'"


def test_a_folder_that_cannot_be_made_is_told(tmp_path: Path) -> None:
    (tmp_path / "file").write_text("", encoding="utf-8")
    with pytest.raises(ConfigError, match="cannot be written"):
        write_first_config(tmp_path / "file" / "config.toml")


@pytest.mark.parametrize("written", ['"brvae"', '"Brave"', "5", '""'])
def test_a_search_provider_that_there_is_not_means_searxng_whatever_was_chosen_before(
    tmp_path: Path, written: str
) -> None:
    loaded = _load(tmp_path, f"search_provider = {written}\n", Config(search_provider="brave"))
    assert loaded.config.search_provider == "searxng"
    (problem,) = loaded.problems
    assert (problem.line, problem.key) == (1, "search_provider")
    assert '"searxng" is used' in problem.reason
