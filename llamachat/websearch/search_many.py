"""Several searches at once, as a model asks for them in one message."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import replace

from llamachat.core.cancel import CancelToken
from llamachat.core.search_record import SearchRecord
from llamachat.core.web_address import page_key

AT_ONCE = 3
_REPEATED = "All that this search found stands in the results of the searches before it."


def search_many(
    queries: Sequence[str], search: Callable[[str, CancelToken], SearchRecord], *, cancel: CancelToken
) -> list[SearchRecord]:
    """The records of all searches, in the order of the queries; raises nothing but Cancelled.

    `search` runs one and tells a failure in its record. It is called from up to three threads. A page that several
    found stays with the first of them.
    """
    if len(queries) < 2:
        return [search(query, cancel) for query in queries]
    with ThreadPoolExecutor(AT_ONCE, thread_name_prefix="search") as pool:
        futures = [pool.submit(search, query, cancel) for query in queries]
    return _each_page_once([future.result() for future in futures])


def _each_page_once(records: Sequence[SearchRecord]) -> list[SearchRecord]:
    seen: set[str] = set()
    kept = []
    for record in records:
        keys = [page_key(result.url) for result in record.results]
        results = tuple(
            result for key, result in zip(keys, record.results, strict=True) if not result.url or key not in seen
        )
        seen.update(keys)
        emptied = bool(record.results) and not results
        kept.append(replace(record, results=results, note=_REPEATED if emptied else record.note))
    return kept
