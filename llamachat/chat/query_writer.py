"""From a message to the query that is sent: written by the model, or the message itself put into a query's words."""

from __future__ import annotations

import json
import re
from dataclasses import dataclass
from datetime import datetime

from llamachat.chat.aside import Aside
from llamachat.chat.router_prompts import OPTIMIZE, QUERY_SCHEMA, WRITE_QUERY
from llamachat.core.cancel import CancelToken
from llamachat.core.plain_text import cut_at_word
from llamachat.core.seams import Clock
from llamachat.core.text import clean

LONGEST_QUERY = 400  # characters that search engines take
_LONGEST_WRITTEN = 200  # a longer one rambles
_MAX_TOKENS = 100

# 2024-10-04, 04.10.2024, 10/4/2024, "October 4, 2024", "4. Oktober 2024", then years alone
_MONTH = r"(?:jan|feb|mar|mär|apr|may|mai|jun|jul|aug|sep|oct|okt|nov|dec|dez)[a-zä]*\.?"
_DATES = re.compile(
    r"\b(?:\d{4}-\d{1,2}(?:-\d{1,2})?|\d{1,2}[./]\d{1,2}[./]\d{2,4}"
    rf"|{_MONTH}\s+\d{{1,2}}(?:st|nd|rd|th)?,?\s+(?:19|20)\d\d|\d{{1,2}}\.?\s+{_MONTH}\s+(?:19|20)\d\d"
    rf"|{_MONTH}\s+(?:19|20)\d\d|(?:19|20)\d\d)\b",
    re.IGNORECASE,
)


@dataclass(frozen=True, slots=True)
class QueryWriter:
    """Makes queries with the user's own model. optimizes: messages that are always searched are reworded first."""

    aside: Aside
    clock: Clock
    optimizes: bool = True

    def written(self, question: str, cancel: CancelToken) -> str:
        """The query for a message that needs a search, without dates that the user did not write.

        The day stands in the question: the system prompt stays the same and cached. Raises Cancelled.
        """
        today = datetime.fromtimestamp(self.clock.now()).astimezone().strftime("%A, %Y-%m-%d")
        asked = f"Today is {today}.\n\nMessage: {question}"
        answer = self.aside.ask(WRITE_QUERY, asked, max_tokens=_MAX_TOKENS, cancel=cancel, schema=QUERY_SCHEMA)
        query = drop_invented_dates(_usable(_query_in(answer)), question)
        return query or raw_query(question)

    def typed(self, question: str, cancel: CancelToken) -> str:
        """The user's message as a query; as it was typed where the model makes nothing of it. Raises Cancelled."""
        if not self.optimizes:
            return raw_query(question)
        answer = self.aside.ask(OPTIMIZE, f"Message: {question}", max_tokens=_MAX_TOKENS, cancel=cancel)
        return drop_invented_dates(_usable(answer), question) or raw_query(question)


def raw_query(question: str) -> str:
    """A message on one line, not longer than engines take."""
    return cut_at_word(" ".join(clean(question).split()), LONGEST_QUERY)


def drop_invented_dates(query: str, question: str) -> str:
    """The query without dates and years that the question does not have."""
    kept = _DATES.sub(lambda date: date[0] if date[0].casefold() in question.casefold() else " ", query)
    return " ".join(kept.replace("( )", " ").split())


def _query_in(answer: str) -> str:
    """The `query` of a JSON object; another answer as it is."""
    try:
        value = json.loads(answer)
    except (ValueError, RecursionError):
        return answer
    query = value.get("query") if isinstance(value, dict) else value
    return query if isinstance(query, str) else ""


def _usable(text: str) -> str:
    """A query out of the model's words; "" where they are empty or ramble."""
    line = clean(text).strip().strip("\"'`“”„").strip()
    return "" if "\n" in line or len(line) > _LONGEST_WRITTEN else line
