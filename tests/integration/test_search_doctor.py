"""The search doctor before a real SearXNG: well, with engines that fail, and behind a proxy."""

from __future__ import annotations

from contextlib import closing
from pathlib import Path

import pytest

from llamachat.app import build_app
from llamachat.config.paths import resolve_paths
from llamachat.core.cancel import CancelToken
from llamachat.core.check_step import CheckStep
from llamachat.core.errors import SearchCause
from llamachat.websearch.remedies import engine_remedy, remedy
from tests.fakes.front import front
from tests.fakes.replay import server_tls
from tests.integration.searxng_server import Searxng, start_searxng

CERTIFICATE = Path(__file__).parent.parent / "data" / "searxng" / "tls" / "local.pem"


def examined(folder: Path, url: str, more: str = "") -> list[CheckStep]:
    """The steps of the program with these settings that failed."""
    config = folder / "config.toml"
    config.write_text(f'search_enabled = true\nsearch_url = "{url}"\n{more}', encoding="utf-8")
    with closing(build_app(resolve_paths(config, folder / "data"))) as app:
        return [step for step in app.search.examine(CancelToken()) if not step.ok]


@pytest.mark.claim("AD-019")
def test_engines_that_fail_are_told_one_by_one(tmp_path: Path, searxng: Searxng) -> None:
    answers, *engines = examined(tmp_path, searxng.url, 'search_categories = "broken"\n')
    assert remedy(SearchCause.ENGINES_REFUSED) in answers.detail
    assert {step.name for step in engines} == {
        f"The search engine {kind} engine answers"
        for kind in ("busy", "captcha", "closed", "denied", "fault", "garbled")
    }
    assert [step for step in engines if engine_remedy("anything else") in step.detail] == []


@pytest.mark.slow
def test_what_stands_before_it(tmp_path: Path, searxng: Searxng) -> None:
    found: dict[str, list[CheckStep]] = {}
    with front(searxng.url, base="/searxng") as url:
        found["not_found"] = examined(tmp_path, url)
    with front(searxng.url, credentials="me:s3cret") as url:
        found["unauthorized"] = examined(tmp_path, url.replace("://", "://me:wr0ng@"))
    with front(searxng.url, tls=server_tls(CERTIFICATE)) as secure, front(searxng.url, moved_to=secure) as url:
        found["tls"] = examined(tmp_path, url)
    with start_searxng("--no-json") as server:
        found["json_off"] = examined(tmp_path, server.url)
    for cause, (step,) in found.items():
        assert remedy(SearchCause(cause)) in step.detail
    assert "wr0ng" not in repr(found)
