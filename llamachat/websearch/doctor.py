"""The search doctor: goes the way of a real search step by step, and names cause and cure where that ends."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

from llamachat.core.cancel import CancelToken
from llamachat.core.check_step import CheckStep
from llamachat.core.errors import SearchCause
from llamachat.core.search_record import SearchRecord, SearchResult
from llamachat.core.text import tr, trn
from llamachat.core.web_address import host_of
from llamachat.websearch.guard import Guard
from llamachat.websearch.provider import Provider
from llamachat.websearch.remedies import engine_remedy, remedy
from llamachat.websearch.service import WebSearch

QUERY = "Wikipedia"  # harms nobody, and every general search engine knows it
OTHER_QUERY = "water"  # for one that searches papers, packages or a wiki of its own


@dataclass(frozen=True, slots=True)
class Patient:
    """What is looked at. enabled: the user lets searches go out. search: goes through that provider and guard."""

    provider: Provider
    guard: Guard
    search: WebSearch
    enabled: bool


def examine(patient: Patient, cancel: CancelToken) -> Iterator[CheckStep]:
    """Yield the steps up to the first that fails; then each engine and page that brought nothing.

    One search goes out, another one where it found nothing, and none while the search is off, paced or paused, or
    where something is missing. They ask for words of this file, so none of the user's leaves. Raises Cancelled only.
    """
    for step in _before(patient, cancel):
        yield step
        if not step.ok:
            return
    record, asked = _searched(patient, cancel)
    answers = _place(patient.provider)
    if record.failed:
        yield CheckStep(answers, ok=False, detail=diagnosis(record))
    else:
        yield CheckStep(answers, ok=True, detail=tr("{seconds:.1f} s").format(seconds=record.seconds))
        yield _found(record, patient.provider, asked)
    for engine, reason in record.engines:
        name = tr("The search engine {engine} answers").format(engine=engine)
        yield CheckStep(name, ok=False, detail=f"{reason}. {engine_remedy(reason)}", minor=True)
    yield from _pages(record.results)


def diagnosis(record: SearchRecord) -> str:
    """What went wrong with a search, what that means, and what to do; "" where nothing did."""
    return f"{record.error} {remedy(SearchCause(record.cause))}" if record.failed else ""


def _before(patient: Patient, cancel: CancelToken) -> Iterator[CheckStep]:
    """What must be so before anything is sent."""
    off = tr("Set search_enabled = true in config.toml; nothing is sent before.")
    yield CheckStep(tr("Web search is switched on"), ok=patient.enabled, detail="" if patient.enabled else off)
    missing = ""
    if patient.provider.configured():  # then a search fails with the cause, and sends nothing
        missing = diagnosis(patient.search.find(QUERY, cancel, fresh=True))
    name = tr("{provider} has what it needs").format(provider=patient.provider.name)
    yield CheckStep(name, ok=not missing, detail=missing)
    refusal = patient.guard.refusal(patient.provider.id)
    detail = f"{refusal} {remedy(refusal.cause)}" if refusal else ""
    yield CheckStep(tr("Searches may go out now"), ok=refusal is None, detail=detail)


def _searched(patient: Patient, cancel: CancelToken) -> tuple[SearchRecord, tuple[str, ...]]:
    """The record of a search that found something, if there is one, and all that was asked for."""
    record = patient.search.find(QUERY, cancel, fresh=True)
    if record.failed or record.results or patient.guard.refusal(patient.provider.id):
        return record, (QUERY,)
    other = patient.search.find(OTHER_QUERY, cancel, fresh=True)
    return other if other.results else record, (QUERY, OTHER_QUERY)


def _place(provider: Provider) -> str:
    if not provider.host:
        return tr("{provider} answers").format(provider=provider.name)
    return tr("{provider} at {host} answers").format(provider=provider.name, host=provider.host)


def _found(record: SearchRecord, provider: Provider, asked: tuple[str, ...]) -> CheckStep:
    count = len(record.results)
    name = tr("It finds something")
    if count:
        return CheckStep(name, ok=True, detail=trn("{count} result", "{count} results", count).format(count=count))
    nothing = tr("A search for {words} found nothing.").format(words=tr(" or for ").join(asked))
    own = tr("Switch search engines on where it runs: it answers, but asks none that knows anything.")
    own += " " + tr("If it is meant for something special, try it with words of that: llamachat search WORDS.")
    cure = tr("Choose another search_provider.") if provider.is_cloud else own
    return CheckStep(name, ok=False, detail=f"{nothing} {cure}")


def _pages(results: tuple[SearchResult, ...]) -> Iterator[CheckStep]:
    """One step for each page that was to be read."""
    for result in results:
        if result.read_via or result.read_error:
            name = tr("The page at {host} can be read").format(host=host_of(result.url))
            yield CheckStep(name, ok=bool(result.read_via), detail=result.read_error, minor=True)
