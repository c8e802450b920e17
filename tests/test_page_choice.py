"""Page reading by the settings: from the file to what a search sends, tells and keeps."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from llamachat.app import App, build_app
from llamachat.cli.main import main
from llamachat.config.paths import resolve_paths
from llamachat.core.cancel import CancelToken
from llamachat.core.search_record import SearchResult
from tests.fakes.replay import answer, replay


@pytest.fixture
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A folder for the files, with nothing in the environment that counts."""
    monkeypatch.delenv("SEARXNG_URL", raising=False)
    monkeypatch.setenv("XDG_RUNTIME_DIR", str(tmp_path))
    return tmp_path


def app_with(folder: Path, text: str) -> App:
    """The program with this config.toml."""
    (folder / "config.toml").write_text(text, encoding="utf-8")
    return build_app(resolve_paths(folder / "config.toml", folder / "data"))


def found(*urls: str) -> bytes:
    """What a SearXNG answers that found these."""
    return json.dumps({"results": [{"url": url, "title": "T", "content": "said"} for url in urls]}).encode()


def search(folder: Path, *urls: str, settings: str) -> tuple[SearchResult, ...]:
    """The results of a search that finds pages at these addresses."""
    with replay(answer(200, {}, found(*urls))) as searxng:
        app = app_with(folder, f'search_enabled = true\nsearch_url = "{searxng.url}"\n{settings}')
        return app.search.web_search(context_tokens=4096).find("tides", CancelToken()).results


@pytest.mark.claim("LC-041")
def test_no_page_is_read_by_default(folder: Path) -> None:
    with replay(answer(200, {}, b"page")) as site:
        (result,) = search(folder, site.url, settings="")
        assert not site.asked.is_set()
    assert result == SearchResult("T", site.url, "said")


def test_as_many_pages_are_read_as_the_setting_says(folder: Path) -> None:
    urls = [f"http://127.0.0.{number}/" for number in range(1, 4)]
    results = search(folder, *urls, settings="read_pages = 2\n")
    assert [result.read_error for result in results] == [
        "address not allowed: 127.0.0.1 is not on the public internet",
        "address not allowed: 127.0.0.2 is not on the public internet",
        "",
    ]
    assert [result.content for result in results] == ["said"] * 3


@pytest.mark.parametrize(
    "setting",
    [
        'base_url = "http://own.example:8080/v1"',
        'base_url = "own.example"',
        'jina_url = "https://own.example"\npage_reader = "jina"',
        'ollama_url = "http://own.example:11434"',
        '[servers.big]\nbase_url = "https://own.example/"',
    ],
)
def test_the_users_own_servers_are_not_pages(folder: Path, setting: str) -> None:
    (result,) = search(folder, "https://own.example/slots", settings=f"read_pages = 1\n{setting}\n")
    assert result.read_error == "address not allowed: own.example is one of your own servers"


@pytest.mark.claim("ST-025")
def test_a_reader_that_there_is_not_means_direct_and_a_warning(folder: Path) -> None:
    app = app_with(folder, 'page_reader = "foo"\n')
    assert app.config.page_reader == "direct"
    (problem,) = app.problems
    assert (problem.line, problem.key) == (1, "page_reader")
    assert "direct" in problem.reason


@pytest.mark.claim("ST-040")
@pytest.mark.parametrize(
    "address", ["file:///etc", "ftp://a.example", "javascript:alert(1)", "http://", "http://u:p@a.example"]
)
def test_the_address_of_jina_is_checked_when_it_is_read(folder: Path, address: str) -> None:
    app = app_with(folder, f'jina_url = "{address}"\n')
    assert app.config.jina_url == ""
    (problem,) = app.problems
    assert problem.key == "jina_url"


@pytest.mark.parametrize("setting", ["read_pages = 6", "read_pages = -1", "page_text_limit = -1", 'read_pages = "2"'])
def test_numbers_have_bounds(folder: Path, setting: str) -> None:
    app = app_with(folder, setting + "\n")
    assert (app.config.read_pages, app.config.page_text_limit) == (0, 5000)
    assert len(app.problems) == 1


def test_the_command_line_tells_what_became_of_pages(folder: Path, capsys: pytest.CaptureFixture[str]) -> None:
    with replay(answer(200, {}, found("http://127.0.0.1/"))) as searxng:
        app_with(folder, f'search_enabled = true\nsearch_url = "{searxng.url}"\nread_pages = 1\n')
        place = ["--config", str(folder / "config.toml"), "--data-dir", str(folder / "data")]
        assert main([*place, "search", "tides"]) == 0
        assert main([*place, "search", "--json", "tides"]) == 0
    text, _, row = capsys.readouterr().out.rstrip("\n").rpartition("\n")
    reason = "address not allowed: 127.0.0.1 is not on the public internet"
    assert text == f"[1] T\n    http://127.0.0.1/\n    said\n    page not read: {reason}"
    assert json.loads(row)["results"] == [
        {"title": "T", "url": "http://127.0.0.1/", "content": "said", "read_error": reason}
    ]
