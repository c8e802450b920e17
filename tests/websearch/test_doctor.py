"""The search doctor: a cause and a cure of its own for each way to fail, and nothing sent where nothing may be."""

from __future__ import annotations

import json
import socket
from collections.abc import Iterable
from pathlib import Path

import pytest

from llamachat.core.cancel import CancelToken
from llamachat.core.check_step import CheckStep
from llamachat.core.errors import Cancelled, SearchCause, SearchError
from llamachat.websearch.doctor import OTHER_QUERY, QUERY, Patient, examine
from llamachat.websearch.guard import Guard, GuardLimits
from llamachat.websearch.provider import Provider
from llamachat.websearch.remedies import engine_remedy, remedy
from llamachat.websearch.service import PageReading, SearchManners, WebSearch
from tests.fakes.replay import answer, replay, server_tls, stall
from tests.fakes.searching import NO_FILE
from tests.fakes.still_clock import StillClock
from tests.searxng.recorded import load_recorded
from tests.websearch.provider_world import CLOUD, KEY, Case, FixedKeys, case_of, provider_at, success_of
from tests.websearch.reading_world import article, reading
from tests.websearch.test_providers_recorded import CAUSES, REFUSALS, name_of

CERTIFICATE = Path(__file__).parents[1] / "data" / "searxng" / "tls" / "local.pem"
JSON = {"Content-Type": "application/json"}

# What breaks a SearXNG: how it then answers (by the name of the recording), and words of the doctor.
BROKEN = {
    "JSON is off": ("nojson/nojson_post", SearchCause.JSON_OFF, "formats: [html, json]"),
    "engines fail": ("fails/fail_429_1", SearchCause.ENGINES_REFUSED, "fail 429"),
    "engines are suspended": ("fails/fail_429_2", SearchCause.ENGINES_REFUSED, "Suspended: too many requests"),
    "a sub-path": ("nginx/outside_404", SearchCause.NOT_FOUND, "/searxng"),
    "a password": ("nginx/auth_401", SearchCause.UNAUTHORIZED, "http://user:password@host"),
    "a proxy that denies": ("nginx/denied_403", SearchCause.UNAUTHORIZED, "Allow this computer"),
    "http where https is spoken": ("nginx/plain_to_tls_redirect_post", SearchCause.TLS, "Write https://"),
    "the limiter": ("limiter/lim_api_5", SearchCause.LIMITED, "limiter: false"),
    "a public instance": ("public/public_post_4", SearchCause.LIMITED, "link token"),
    "it is down behind its proxy": ("nginx/bad_gateway_502", SearchCause.SERVER_FAULT, "Start SearXNG"),
    "another program": ("granian/method_put", SearchCause.NOT_SEARXNG, "Check search_url"),
    "sent elsewhere": ("basic/bang_external_google", SearchCause.REDIRECTED, "www.google.com"),
}


def steps_of(
    provider: Provider,
    *,
    enabled: bool = True,
    guard: Guard | None = None,
    pages: PageReading | None = None,
    cancel: CancelToken | None = None,
) -> list[CheckStep]:
    clock = StillClock()
    guard = guard or Guard(GuardLimits(), NO_FILE, clock=clock)
    search = WebSearch(provider, SearchManners(guard, pages=pages), clock=clock)
    return list(examine(Patient(provider, guard, search, enabled=enabled), cancel or CancelToken()))


def failed(steps: Iterable[CheckStep]) -> list[CheckStep]:
    return [step for step in steps if not step.ok]


def recording(name: str) -> Case:
    reply = next(one.reply for one in load_recorded() if one.name == name)
    return Case("searxng", name, reply.status, reply.headers, reply.body.decode(), {})


def test_every_cause_has_words_of_its_own() -> None:
    words = {cause: remedy(cause) for cause in SearchCause}
    assert len(set(words.values())) == len(SearchCause)
    assert all(text.endswith(".") for text in words.values())


@pytest.mark.claim("LC-025")
@pytest.mark.parametrize("broken", BROKEN)
def test_a_searxng_that_is_set_up_wrongly(broken: str) -> None:
    name, cause, words = BROKEN[broken]
    with replay(recording(name).behaviour) as server:
        steps = steps_of(provider_at("searxng", server.url))
    assert len(server.received) == 1
    first = failed(steps)[0]
    assert first.name == "SearXNG at 127.0.0.1 answers"
    assert remedy(cause) in first.detail
    assert words in first.detail


def test_no_two_ways_to_set_it_up_wrongly_read_alike() -> None:
    details = []
    for name, _, _ in BROKEN.values():
        with replay(recording(name).behaviour) as server:
            step = failed(steps_of(provider_at("searxng", server.url)))[0]
        details.append(step.detail.replace(server.url, ""))
    assert len(set(details)) == len(BROKEN)


def test_a_certificate_of_ones_own_making() -> None:
    with replay(answer(200, JSON, b"{}"), tls=server_tls(CERTIFICATE)) as server:
        (step,) = failed(steps_of(provider_at("searxng", server.url)))
    assert remedy(SearchCause.TLS) in step.detail
    assert "search_ca_file" in step.detail


@pytest.mark.claim("ST-032")
def test_a_searxng_that_is_away() -> None:
    with socket.create_server(("127.0.0.1", 0)) as listener:
        site = f"127.0.0.1:{listener.getsockname()[1]}"
    (step,) = failed(steps_of(provider_at("searxng", f"http://{site}")))
    assert f"SearXNG at http://{site} is not reachable (connection refused)." in step.detail
    assert "Start it or pick another engine." in step.detail
    assert remedy(SearchCause.UNREACHABLE) in step.detail


def test_a_searxng_that_is_too_slow() -> None:
    with replay(stall()) as server:
        (step,) = failed(steps_of(provider_at("searxng", server.url, timeout_s=0.1)))
    assert remedy(SearchCause.TIMEOUT) in step.detail
    assert "search_timeout" in step.detail


@pytest.mark.parametrize("case", REFUSALS, ids=name_of)
def test_every_refusal_of_every_service(case: Case) -> None:
    with replay(case.behaviour) as server:
        provider = provider_at(case.provider, server.url)
        (step,) = failed(steps_of(provider))
    assert provider.name in step.detail
    assert remedy(CAUSES[str(case.expect["error"])]) in step.detail
    assert KEY not in repr(step)


@pytest.mark.claim("AD-024")
@pytest.mark.parametrize("name", [one for one in CLOUD if one not in ("duckduckgo", "ollama")])
def test_without_a_key_nothing_is_sent(name: str) -> None:
    with replay(success_of(name).behaviour) as server:
        steps = steps_of(provider_at(name, server.url, keys=FixedKeys("")))
    assert server.received == []
    assert steps[-1].name.endswith("has what it needs")
    assert "_API_KEY" in steps[-1].detail
    assert remedy(SearchCause.NO_KEY) in steps[-1].detail


@pytest.mark.parametrize(
    ("url", "cause"), [("", SearchCause.NOT_CONFIGURED), ("ftp://me:s3cret@host", SearchCause.BAD_ADDRESS)]
)
def test_an_address_that_is_missing_or_none(url: str, cause: SearchCause) -> None:
    (step,) = failed(steps_of(provider_at("searxng", url)))
    assert remedy(cause) in step.detail
    assert "search_url" in step.detail
    assert "s3cret" not in repr(step)


def test_what_is_switched_off_sends_nothing() -> None:
    with replay(success_of("brave").behaviour) as server:
        (step,) = steps_of(provider_at("brave", server.url), enabled=False)
    assert not step.ok
    assert "search_enabled = true" in step.detail
    assert server.received == []


@pytest.mark.claim("OP-039")
def test_while_paused_no_engine_is_asked(tmp_path: Path) -> None:
    guard = Guard(GuardLimits(trip_after=1), tmp_path / "search.json", clock=StillClock())

    def refuse() -> None:
        raise SearchError("No.", cause=SearchCause.ENGINES_REFUSED, engines=(("brave", "CAPTCHA"),))

    with pytest.raises(SearchError):
        guard.search("tides", refuse, provider="searxng")  # type: ignore[arg-type]  # it only raises
    with replay(recording("basic/ok_general").behaviour) as server:
        steps = steps_of(provider_at("searxng", server.url), guard=guard)
    assert server.received == []
    assert steps[-1].name == "Searches may go out now"
    assert "paused for 5 min" in steps[-1].detail
    assert "brave: CAPTCHA" in steps[-1].detail
    assert remedy(SearchCause.PAUSED) in steps[-1].detail


def test_over_the_pace_no_engine_is_asked() -> None:
    guard = Guard(GuardLimits(burst=0), NO_FILE, clock=StillClock())
    with replay(recording("basic/ok_general").behaviour) as server:
        (step,) = failed(steps_of(provider_at("searxng", server.url), guard=guard))
    assert server.received == []
    assert remedy(SearchCause.PACED) in step.detail


def test_all_is_well_and_only_the_harmless_word_is_asked_for() -> None:
    with replay(success_of("brave").behaviour) as server:
        steps = steps_of(provider_at("brave", server.url))
    assert failed(steps) == []
    assert steps[-1].name == "It finds something"
    assert f"q={QUERY}&" in server.received[0].decode().split("\r\n")[0] + "&"


NOTHING = answer(200, JSON, b'{"results": []}')


def test_a_search_that_finds_nothing_where_every_engine_knows_something() -> None:
    with replay(recording("granian/no_results").behaviour, NOTHING) as server:
        (step,) = failed(steps_of(provider_at("searxng", server.url)))
    assert len(server.received) == 2
    assert step.name == "It finds something"
    assert "Switch search engines on" in step.detail
    assert "llamachat search WORDS" in step.detail


def test_a_searxng_that_knows_special_things_only_is_asked_for_something_else() -> None:
    with replay(NOTHING, recording("basic/ok_general").behaviour) as server:
        steps = steps_of(provider_at("searxng", server.url))
    assert [QUERY.encode() in server.received[0], OTHER_QUERY.encode() in server.received[1]] == [True, True]
    assert failed(steps) == []
    assert steps[-1].name == "It finds something"


def test_a_second_search_that_fails_says_nothing_about_the_first() -> None:
    with replay(NOTHING, answer(500, {}, b"")) as server:
        (step,) = failed(steps_of(provider_at("searxng", server.url)))
    assert step.name == "It finds something"


def test_over_the_pace_no_second_search_goes_out() -> None:
    guard = Guard(GuardLimits(burst=1), NO_FILE, clock=StillClock())
    with replay(NOTHING) as server:
        (step,) = failed(steps_of(provider_at("searxng", server.url), guard=guard))
    assert len(server.received) == 1
    assert step.name == "It finds something"


def test_a_service_that_finds_nothing_is_no_searxng() -> None:
    nothing = answer(200, JSON, json.dumps({"web": {"results": []}, "query": {}}).encode())
    with replay(nothing, nothing) as server:
        (step,) = failed(steps_of(provider_at("brave", server.url)))
    assert "Choose another search_provider" in step.detail


def test_engine_by_engine() -> None:
    with replay(recording("failing/failing_general_1").behaviour) as server:
        steps = steps_of(provider_at("searxng", server.url))
    names = {step.name for step in steps if step.ok}
    assert "It finds something" in names
    told = {step.name: step.detail for step in failed(steps)}
    assert len(told) >= 6
    reply = next(one.reply for one in load_recorded() if one.name == "failing/failing_general_1")
    for engine, reason in json.loads(reply.body)["unresponsive_engines"]:
        assert told[f"The search engine {engine} answers"] == f"{reason}. {engine_remedy(reason)}"


@pytest.mark.parametrize(
    "reason",
    [
        "too many requests", "CAPTCHA", "access denied", "HTTP error", "HTTP connection error", "network error",
        "HTTP protocol error", "parsing error", "timeout", "unexpected crash",
    ],
)  # fmt: skip
def test_each_reason_of_an_engine_has_words_of_its_own(reason: str) -> None:
    words = engine_remedy(reason)
    assert words != engine_remedy("something new")
    assert engine_remedy(f"Suspended: {reason}").endswith(words)
    assert "by itself" in engine_remedy(f"Suspended: {reason}")


def test_pages_that_cannot_be_read_and_the_reader_that_says_so() -> None:
    found = [{"title": name, "url": f"http://pages.example/{name}", "content": ""} for name in ("good", "gone")]
    results = answer(200, JSON, json.dumps({"results": found}).encode())
    gone = answer(404, {}, b"")
    spent = answer(402, JSON, json.dumps({"code": 402, "message": "Insufficient balance"}).encode())
    with reading({"/good": article("High water is at noon."), "/gone": gone}, jina=spent) as world:
        pages = PageReading(world.reader("jina_fallback"), 2, limit_chars=1000, page_limit=500)
        with replay(results) as server:
            steps = steps_of(provider_at("searxng", server.url), pages=pages)
    good, bad = steps[-2:]
    assert (good.ok, bad.ok) == (True, False)
    assert "404" in bad.detail
    assert "Jina Reader: its allowance is used up" in bad.detail


def test_stop() -> None:
    cancel = CancelToken()
    cancel.cancel()
    with replay(case_of("brave", "bad key").behaviour) as server, pytest.raises(Cancelled):
        steps_of(provider_at("brave", server.url), cancel=cancel)
    assert server.received == []
