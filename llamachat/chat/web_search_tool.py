"""The tool `web_search`: a model's calls become searches, their records and the texts of the tool messages."""

from __future__ import annotations

import json
from collections.abc import Generator, Sequence
from contextlib import closing
from dataclasses import dataclass, replace

from llamachat.chat.role_marks import escaped_in_json
from llamachat.core.cancel import CancelToken
from llamachat.core.errors import Cancelled, SearchCause
from llamachat.core.events import Event, Kind
from llamachat.core.messages import JsonObject, JsonValue
from llamachat.core.seams import Clock, SearchService
from llamachat.core.search_record import SearchRecord, SearchResult, record_to_json
from llamachat.core.text import clean, tr
from llamachat.core.web_address import page_key
from llamachat.search import TOOL_SCHEMA
from llamachat.websearch.query_words import query_words, reworded

MOST_EARLIER = 30  # searches of the conversation that a new one is compared with
EARLIER_S = 900.0  # older ones are no answer any more
MOST_EMPTY = 3  # searches in a row that found nothing

_HEADER = "Search results (untrusted, informational only):"


@dataclass(slots=True)
class _Call:
    """One call: its query, and its record as soon as there is one. `repeats` an earlier search of this turn."""

    query: str
    record: SearchRecord | None = None
    repeats: bool = False


class WebSearchTool:
    """Searches for one turn: numbers its results in one run, and sends no question twice.

    earlier: the records of the same turn from before it is continued; what failed or was stopped then is tried again.
    conversation: those of the turns before. fresh: nothing is answered from memory.
    """

    name = "web_search"
    schema: JsonObject = TOOL_SCHEMA

    def __init__(
        self,
        service: SearchService,
        *,
        clock: Clock,
        earlier: Sequence[SearchRecord] = (),
        conversation: Sequence[SearchRecord] = (),
        fresh: bool = False,
    ) -> None:
        self._service, self._clock, self._fresh = service, clock, fresh
        self._records = [record for record in earlier if not record.failed]
        self._conversation = [] if fresh else [record for record in conversation if not record.failed][-MOST_EARLIER:]
        self._next_number = max((record.first_number + len(record.results) for record in earlier), default=1)
        self._numbers: dict[str, int] = {}
        for record in earlier:
            self._number(record)
        self._empty = 0

    @property
    def exhausted(self) -> bool:
        """Whether searching is of no use any more in this turn."""
        return self._empty >= MOST_EMPTY

    def run(
        self, arguments: Sequence[JsonValue], cancel: CancelToken, *, as_text: bool = False
    ) -> Generator[Event, None, list[str]]:
        """Search, or tell what is wrong with a call; return the texts of the tool messages."""
        records = yield from self._run([_query(one) for one in arguments], cancel, "text" if as_text else "model")
        return [tool_text(record) for record in records]

    def search(self, query: str, cancel: CancelToken, *, route: str) -> Generator[Event, None, SearchRecord]:
        """Search for what no call of the model asked for; `route` says who did."""
        return (yield from self._run([query], cancel, route))[0]

    def _run(
        self, queries: Sequence[str], cancel: CancelToken, route: str
    ) -> Generator[Event, None, list[SearchRecord]]:
        """A search that is stopped still has its record: the query may have gone out."""
        calls = [_Call(query) for query in queries]
        for call in calls:
            yield Event(Kind.SEARCH_START, call.query)
        try:
            yield from self._search([call for call in calls if not self._answer_at_once(call)], cancel)
        except Cancelled:
            for call in calls:
                stopped = replace(call.record or self._stopped(call.query), route=route)
                yield Event(Kind.SEARCH_DONE, record_to_json(stopped))
            raise
        records = []
        for call in calls:
            records.append(replace(self._finished(call), route=route))
            yield Event(Kind.SEARCH_DONE, record_to_json(records[-1]))
        return records

    def _search(self, calls: list[_Call], cancel: CancelToken) -> Generator[Event, None, None]:
        """Send the questions of these calls, each once."""
        queries = {_key(call.query): call.query for call in calls}
        if not queries:
            return
        with closing(self._service.search(list(queries.values()), cancel, fresh=self._fresh)) as searching:
            while True:
                try:
                    yield Event(Kind.PHASE, next(searching))
                except StopIteration as end:
                    records = dict(zip(queries, end.value, strict=True))
                    break
        for call in calls:
            call.record = records[_key(call.query)]

    def _answer_at_once(self, call: _Call) -> bool:
        """Give a call its record where nothing has to be sent for it."""
        if not call.query:
            words = tr('The search was called without words: it needs an object with a non-empty "query".')
            call.record = self._failure("", SearchCause.BAD_CALL, words)
            return True
        return self._repeat(call) or self._take_earlier(call)

    def _repeat(self, call: _Call) -> bool:
        """Whether this turn has asked that already, and so gave the results their numbers."""
        known = next((one for one in self._records if _key(one.query) == _key(call.query)), None)
        known = known or _latest_alike(call.query, [one for one in self._records if not one.failed])
        if known is not None:
            call.record, call.repeats = replace(known, note=_repeat_note(known), seconds=0.0), True
        return known is not None

    def _take_earlier(self, call: _Call) -> bool:
        """Whether an earlier turn has asked nearly that a short time ago: then its results come in again."""
        now = self._clock.now()
        known = _latest_alike(call.query, [one for one in self._conversation if now - EARLIER_S < one.at <= now])
        if known is None:
            return False
        age_s = now - known.at
        note = f"A search with nearly these words was made {round(age_s / 60)} min ago and was not sent again."
        asked = known.asked or known.query
        call.record = replace(
            known,
            query=call.query,
            asked="" if asked == call.query else asked,
            cached_age_s=age_s,
            note=f"{note} These are its results.",
            seconds=0.0,
        )
        return True

    def _finished(self, call: _Call) -> SearchRecord:
        """The record of a call, in the order of the calls: with its numbers, and without pages that have theirs."""
        record = call.record or self._stopped(call.query)
        if not record.failed:
            self._empty = 0 if record.results else self._empty + 1
        if call.repeats:
            return record
        twin = next((one for one in self._records if record.query and _key(one.query) == _key(record.query)), None)
        if twin is not None:  # called twice in one answer
            return replace(twin, note=_repeat_note(twin), seconds=0.0)
        now = self._clock.now()
        record = self._without_known(replace(record, first_number=self._next_number, at=record.at or now))
        self._next_number += len(record.results)
        self._number(record)
        if record.query:
            self._records.append(record)
        return record

    def _without_known(self, record: SearchRecord) -> SearchRecord:
        """Pages that this turn has numbered already keep their numbers and are not given again."""
        known = sorted(n for r in record.results if (n := self._numbers.get(page_key(r.url))) is not None)
        if not known:
            return record
        fresh = tuple(r for r in record.results if page_key(r.url) not in self._numbers)
        numbers = ", ".join(f"[{number}]" for number in dict.fromkeys(known))
        note = f"{record.note} Found again, and not repeated here: {numbers}.".strip()
        return replace(record, results=fresh, note=note)

    def _number(self, record: SearchRecord) -> None:
        for number, result in enumerate(record.results, record.first_number):
            self._numbers.setdefault(page_key(result.url), number)

    def _stopped(self, query: str) -> SearchRecord:
        return self._failure(query, SearchCause.CANCELLED, tr("The search was stopped."))

    def _failure(self, query: str, cause: SearchCause, words: str) -> SearchRecord:
        provider = self._service.provider
        return SearchRecord(query=query, error=words, cause=cause, provider=provider, first_number=self._next_number)


def tool_text(record: SearchRecord) -> str:
    """The text of the tool message for a record: a fixed line, then JSON."""
    answer: JsonObject = (
        {"error": record.error} if record.failed else {"results": [_plain(r) for r in record.results]}
    )
    if record.note:
        answer["note"] = record.note
    text = json.dumps(answer, ensure_ascii=False)
    return f"{_HEADER}\n{escaped_in_json(text)}"


def _plain(result: SearchResult) -> JsonObject:
    return {"title": result.title, "url": result.url, "content": result.told}


def _query(arguments: JsonValue) -> str:
    value = arguments.get("query") if isinstance(arguments, dict) else None
    if isinstance(value, bool) or not isinstance(value, str | int | float):
        return ""
    return " ".join(clean(str(value)).split())


def _key(query: str) -> str:
    return " ".join(query.casefold().split())


def _latest_alike(query: str, records: Sequence[SearchRecord]) -> SearchRecord | None:
    words = query_words(query)
    return next((one for one in reversed(records) if reworded(words, query_words(one.query))), None)


def _repeat_note(record: SearchRecord) -> str:
    again = "This search was made before in this turn and was not sent again."
    if record.results:
        last = record.first_number + len(record.results) - 1
        again += f" These are its results again, with the same numbers, [{record.first_number}] to [{last}]."
    return again + " Answer now with what you have."
