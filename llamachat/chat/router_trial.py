"""How well a model does as the router: messages whose right answer is known, each judged as in a turn."""

from __future__ import annotations

import json
from collections.abc import Iterable, Iterator
from dataclasses import dataclass, replace

from llamachat.chat.aside import Aside
from llamachat.chat.router import latest_turn, wants_search
from llamachat.core.cancel import CancelToken
from llamachat.core.completion import CompletionRequest, Delta
from llamachat.core.errors import ServerError, UserFacingError
from llamachat.core.seams import Completer
from llamachat.core.text import clean, tr


@dataclass(frozen=True, slots=True)
class Sample:
    """A message, and whether it needs a search."""

    message: str
    search: bool


@dataclass(frozen=True, slots=True)
class Trial:
    """What the router said to a sample."""

    sample: Sample
    searches: bool

    @property
    def right(self) -> bool:
        """Whether it was as the sample has it."""
        return self.searches is self.sample.search


def read_samples(text: str) -> tuple[Sample, ...]:
    """The samples in a text of one JSON object a line, `{"message": ..., "search": true}`; raises UserFacingError."""
    lines = ((number, line) for number, line in enumerate(text.split("\n"), 1) if line.strip())
    samples = tuple(_sample(line, number) for number, line in lines)
    if not samples:
        raise UserFacingError(tr("There are no messages in the file."), _form())
    return samples


def try_router(aside: Aside, samples: Iterable[Sample], cancel: CancelToken) -> Iterator[Trial]:
    """Yield the router's word on each; raises ServerError, and Cancelled on Stop."""
    watched = _Watched(aside.completer)
    asking = replace(aside, completer=watched)
    for sample in samples:
        question = latest_turn([{"role": "user", "content": sample.message}])
        searches = wants_search(asking, question, cancel)
        if watched.failure is not None:  # in a turn that counts as a no
            raise watched.failure
        yield Trial(sample, searches)


class _Watched:
    """Keeps the failure that the router passes over."""

    def __init__(self, completer: Completer) -> None:
        self.failure: ServerError | None = None
        self._completer = completer

    def stream(self, request: CompletionRequest, cancel: CancelToken) -> Iterator[Delta]:
        """What the server says."""
        try:
            yield from self._completer.stream(request, cancel)
        except ServerError as error:
            self.failure = error
            raise


def _sample(line: str, number: int) -> Sample:
    try:
        row = json.loads(line)
    except (ValueError, RecursionError):
        row = None
    message, search = (row.get("message"), row.get("search")) if isinstance(row, dict) else (None, None)
    if not isinstance(message, str) or not message.strip() or not isinstance(search, bool):
        raise UserFacingError(tr("Line {number} is no labelled message.").format(number=number), _form())
    return Sample(clean(message), search)


def _form() -> str:
    return tr('Each line is a JSON object such as {"message": "Who won today?", "search": true}.')
