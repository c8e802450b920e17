"""Every recorded answer of a real server gives the results or the error that it stands for."""

from __future__ import annotations

import pytest

from llamachat.core.errors import SearchError
from llamachat.searxng.address import redirected, searxng_address
from llamachat.searxng.answer import read_answer
from llamachat.searxng.reply import Reply
from tests.searxng.recorded import Recorded, load_recorded

RECORDED = load_recorded()
ADDRESS = searxng_address("http://box.example")


def read(reply: Reply) -> None:
    """What happens to a reply: a redirect is followed or not, everything else is read."""
    if "location" in reply.headers:
        redirected(ADDRESS, reply.headers["location"])
    else:
        read_answer(reply, site=ADDRESS.site, count=5, snippet_chars=300)


@pytest.mark.parametrize("case", [c for c in RECORDED if not c.cause], ids=lambda case: case.name)
def test_results(case: Recorded) -> None:
    answer = read_answer(case.reply, site=ADDRESS.site, count=20, snippet_chars=300)
    assert len(answer.results) == case.results
    if case.first:
        assert (answer.results[0].title, answer.results[0].url) == case.first
    if case.engines is not None:
        assert answer.engines == case.engines
    for result in answer.results:
        assert result.title
        assert len(result.title) <= 200
        assert len(result.content) <= 300


@pytest.mark.parametrize("case", [c for c in RECORDED if c.cause], ids=lambda case: case.name)
def test_failures(case: Recorded) -> None:
    with pytest.raises(SearchError) as failed:
        read(case.reply)
    assert failed.value.cause == case.cause
    sentence = str(failed.value)
    assert "http://box.example" in sentence
    for word in case.words:
        assert word in sentence
    assert "<" not in sentence


def test_there_are_causes_of_every_kind() -> None:
    causes = {case.cause for case in RECORDED}
    assert {"json_off", "unauthorized", "limited", "not_found", "bad_query", "tls", "server_fault"} < causes
