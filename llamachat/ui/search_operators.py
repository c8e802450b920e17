"""What is offered while a person types into the search of all chats: operators and the values they have. No Qt."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass

from llamachat.core.text import tr

MOST_VALUES = 30
_SHORTEST = 2  # letters of an operator before it is offered: each search begins with some letter
_ITEM = re.compile(r'(?:^|(?<=\s))(?:(?P<name>[A-Za-z]+):(?P<value>"[^"]*|[^\s"]*)|(?P<word>[A-Za-z]*))$')


@dataclass(frozen=True, slots=True)
class Offer:
    """`text` goes in place of the last `replaced` characters; "" where this only tells how something is written."""

    text: str
    label: str
    about: str
    replaced: int = 0


def offers(typed: str, values: Mapping[str, Sequence[str]]) -> list[Offer]:
    """What fits behind the text before the cursor. values: those that each operator can have."""
    if not typed.strip():
        return _everything()
    item = _ITEM.search(typed)
    in_phrase = typed.count('"') % 2 == 1
    if not item or (in_phrase and '"' not in (item["value"] or "")):
        return []
    if item["name"] is None:
        return list(_operators(item["word"]))
    return list(_values(item["name"].lower(), item["value"].strip('"'), values, replaced=len(item[0])))


def _everything() -> list[Offer]:
    operators = [Offer(f"{name}:", f"{name}:", about) for name, about in _abouts().items()]
    words = (
        Offer("", tr("wor"), tr("finds “words”, but not “sword”")),
        Offer("", tr('"two words"'), tr("stand together")),
        Offer("", tr("-word"), tr("must not be there")),
    )
    return [*operators, *words]


def _operators(word: str) -> Iterator[Offer]:
    if len(word) >= _SHORTEST:
        for name, about in _abouts().items():
            if name.startswith(word.lower()):
                yield Offer(f"{name}:", f"{name}:", about, replaced=len(word))


def _values(name: str, part: str, values: Mapping[str, Sequence[str]], *, replaced: int) -> Iterator[Offer]:
    part = part.lower()
    known = [value for value in values.get(name, ()) if part in value.lower()]
    known.sort(key=lambda value: not value.lower().startswith(part))
    if known and known[0].lower() == part and len(known) == 1:
        return
    for value in known[:MOST_VALUES]:
        yield Offer(f"{name}:{_quoted(value, always=name == 'model')} ", value, "", replaced)
    if name in ("before", "after") and not part:
        yield Offer("", tr("2026-05-31, 2026-05 or 2026"), tr("a day, month or year"))


def _quoted(value: str, *, always: bool) -> str:
    """always: without quotation marks it would be a part of longer names too."""
    return f'"{value}"' if always or re.search(r'[\s"]', value) else value


def _abouts() -> dict[str, str]:
    return {
        "title": tr("in the titles of chats"),
        "tag": tr("in chats with a tag"),
        "model": tr("answers of a model"),
        "role": tr("what you or the model wrote"),
        "before": tr("written earlier than a day"),
        "after": tr("written from a day on"),
        "has": tr("code, or web searches"),
    }
