"""How a search of the history is read: words, phrases and operators. Pure; whatever is no operator is words.

    bees "exact phrase" -without title:word model:qwen role:user before:2026-05 after:2026-01-31 has:code has:search

An operator whose value makes no sense (`role:king`) is words too, and so is one between quotation marks.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping
from dataclasses import dataclass, replace
from datetime import datetime
from types import MappingProxyType

from llamachat.core.messages import Role
from llamachat.storage.index_text import Term, query_terms

ROLES = tuple(role.value for role in Role)
HAS_CODE, HAS_SEARCH = "code", "search"

# A minus counts before a word only (not in KAB-417, nor as in --verbose), an operator at the beginning of one.
_ITEM = re.compile(
    r"""(?P<minus>(?<!\S)-(?!-))?
        (?:(?<![^\s-])(?P<name>[A-Za-z]+):(?:"(?P<quoted_value>[^"]*)"|(?P<value>[^\s"]+))
        |"(?P<phrase>[^"]*)"
        |(?P<word>[^\s"()\[\]{}<>]+))""",
    re.VERBOSE,
)
_DATE = re.compile(r"(\d{4})(?:-(\d{1,2}))?(?:-(\d{1,2}))?")


@dataclass(frozen=True, slots=True)
class Query:
    """What a message must be to be found.

    All `terms` stand in it, none of `without`; `title_terms` stand in the title of its chat. Of several `models`
    (parts of names) or `roles` one will do. It was written from `after` on and earlier than `before`, in seconds
    since 1970.
    """

    terms: tuple[Term, ...] = ()
    without: tuple[Term, ...] = ()
    title_terms: tuple[Term, ...] = ()
    models: tuple[str, ...] = ()
    roles: tuple[str, ...] = ()
    has: frozenset[str] = frozenset()
    before: float | None = None
    after: float | None = None

    @property
    def asks_of_messages(self) -> bool:
        """Whether there is an operator that no title can satisfy."""
        return bool(self.models or self.roles or self.has)


def parse_query(text: str) -> Query:
    """Read what a person typed. A date means the beginning of its day, month or year in this computer's time zone."""
    query = Query()
    for item in _ITEM.finditer(text):
        query = _with_operator(query, item) or _with_words(query, item)
    return query


def _with_operator(query: Query, item: re.Match[str]) -> Query | None:
    """The query with one operator more; None where the item is none."""
    add = _OPERATORS.get((item["name"] or "").lower())
    if add is None or item["minus"]:
        return None
    quoted = item["quoted_value"]
    return add(query, f'"{quoted}"' if quoted is not None else item["value"])


def _with_words(query: Query, item: re.Match[str]) -> Query:
    terms = query_terms(item[0].removeprefix("-") if item["minus"] else item[0])
    if item["minus"]:
        return replace(query, without=(*query.without, *terms))
    return replace(query, terms=tuple(dict.fromkeys((*query.terms, *terms))))


def _title(query: Query, value: str) -> Query | None:
    terms = query_terms(value)
    return replace(query, title_terms=(*query.title_terms, *terms)) if terms else None


def _model(query: Query, value: str) -> Query | None:
    name = value.strip('"').strip().lower()
    return replace(query, models=(*query.models, name)) if name else None


def _role(query: Query, value: str) -> Query | None:
    return replace(query, roles=(*query.roles, value.lower())) if value.lower() in ROLES else None


def _has(query: Query, value: str) -> Query | None:
    return replace(query, has=query.has | {value.lower()}) if value.lower() in (HAS_CODE, HAS_SEARCH) else None


def _before(query: Query, value: str) -> Query | None:
    moment = _moment(value)
    return None if moment is None else replace(query, before=moment)


def _after(query: Query, value: str) -> Query | None:
    moment = _moment(value)
    return None if moment is None else replace(query, after=moment)


def _moment(value: str) -> float | None:
    """When a day (`2026-05-31`), month (`2026-05`) or year (`2026`) begins; None for what is no date."""
    date = _DATE.fullmatch(value)
    if not date:
        return None
    year, month, day = (int(number or 1) for number in date.groups())
    try:
        return datetime(year, month, day).timestamp()
    except (ValueError, OverflowError, OSError):  # no such day, or out of the system's reach
        return None


_OPERATORS: Mapping[str, Callable[[Query, str], Query | None]] = MappingProxyType(
    {"title": _title, "model": _model, "role": _role, "has": _has, "before": _before, "after": _after}
)
OPERATORS = tuple(_OPERATORS)
