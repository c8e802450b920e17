"""How a search of the history is read: words, phrases and operators. Pure; whatever is no operator is words.

    bees "exact phrase" -without title:word tag:work model:qwen role:user before:2026-05 after:yesterday has:code

An operator whose value makes no sense (`role:king`) is words too, and that is told; one between quotation marks is
words alone.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping
from dataclasses import dataclass, replace
from datetime import date, datetime, timedelta
from types import MappingProxyType

from llamachat.core.messages import Role
from llamachat.core.tag import tag_key, tag_name
from llamachat.core.text import tr
from llamachat.storage.index_text import Term, query_terms

ROLES = tuple(role.value for role in Role)
HAS_CODE, HAS_SEARCH = "code", "search"
TODAY, YESTERDAY = "today", "yesterday"

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

    All `terms` stand in it, none of `without`; `title_terms` stand in the title of its chat, which has one tag of
    each of `tags`. Of several `models` (parts of names; whole ones in quotation marks) or `roles` one will do. It was
    written from `after` on and earlier than `before`, in seconds since 1970. `remarks` tell which operators were
    taken for words, and why.
    """

    terms: tuple[Term, ...] = ()
    without: tuple[Term, ...] = ()
    title_terms: tuple[Term, ...] = ()
    tags: tuple[tuple[str, ...], ...] = ()
    models: tuple[str, ...] = ()
    roles: tuple[str, ...] = ()
    has: frozenset[str] = frozenset()
    before: float | None = None
    after: float | None = None
    remarks: tuple[str, ...] = ()
    few_tagged: bool = False  # few chats have the tags: it is quicker to begin with their messages

    @property
    def asks_of_messages(self) -> bool:
        """Whether there is an operator that no title can satisfy."""
        return bool(self.models or self.roles or self.has)

    @property
    def asks_nothing(self) -> bool:
        """Whether nothing was typed that could be looked for."""
        return replace(self, remarks=()) == Query()


def parse_query(text: str, *, now: float) -> Query:
    """Read what a person typed. A date means the beginning of its day, month or year in this computer's time zone.

    now: when it was typed, in seconds since 1970.
    """
    query = Query()
    today = datetime.fromtimestamp(now).date()
    for item in _ITEM.finditer(text):
        query = _with_operator(query, item, today) or _with_words(_with_remark(query, item), item)
    return query


def _with_operator(query: Query, item: re.Match[str], today: date) -> Query | None:
    """The query with one operator more; None where the item is none."""
    name = (item["name"] or "").lower()
    add = _OPERATORS.get(name)
    if add is None or item["minus"]:
        return None
    quoted = item["quoted_value"]
    value = f'"{quoted}"' if quoted is not None else item["value"]
    days = {TODAY: today, YESTERDAY: today - timedelta(days=1)} if name in ("before", "after") else {}
    day = days.get(value.lower())
    return add(query, day.isoformat() if day else value)


def _with_remark(query: Query, item: re.Match[str]) -> Query:
    """The query with a sentence about an operator that is taken for words; all others are words as they stand."""
    rule = _RULES.get((item["name"] or "").lower())
    if rule is None or item["minus"]:
        return query
    remark = tr("“{text}” is searched as words. {rule}").format(text=item[0], rule=rule())
    return replace(query, remarks=(*query.remarks, remark))


def _with_words(query: Query, item: re.Match[str]) -> Query:
    terms = query_terms(item[0].removeprefix("-") if item["minus"] else item[0])
    if item["minus"]:
        return replace(query, without=(*query.without, *terms))
    return replace(query, terms=tuple(dict.fromkeys((*query.terms, *terms))))


def _title(query: Query, value: str) -> Query | None:
    terms = query_terms(value)
    return replace(query, title_terms=(*query.title_terms, *terms)) if terms else None


def _tag(query: Query, value: str) -> Query | None:
    key = tag_key(tag_name(value.strip('"')))
    return replace(query, tags=(*query.tags, (key,))) if key else None


def _model(query: Query, value: str) -> Query | None:
    name = value.strip('"').strip().lower()
    name = f'"{name}"' if name and '"' in value else name
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
    written = _DATE.fullmatch(value)
    if not written:
        return None
    year, month, day = (int(number or 1) for number in written.groups())
    try:
        return datetime(year, month, day).timestamp()
    except (ValueError, OverflowError, OSError):  # no such day, or out of the system's reach
        return None


def _date_rule() -> str:
    return tr("A date is written 2026-05-31, 2026-05 or 2026; today and yesterday are understood too.")


_OPERATORS: Mapping[str, Callable[[Query, str], Query | None]] = MappingProxyType(
    {
        "title": _title,
        "tag": _tag,
        "model": _model,
        "role": _role,
        "has": _has,
        "before": _before,
        "after": _after,
    }
)
_RULES: Mapping[str, Callable[[], str]] = MappingProxyType(
    {
        "role": lambda: tr("Behind role: stands user or assistant."),
        "has": lambda: tr("Behind has: stands code or search."),
        "before": _date_rule,
        "after": _date_rule,
    }
)
OPERATORS = tuple(_OPERATORS)
