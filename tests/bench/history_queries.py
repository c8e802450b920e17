"""What the history benchmark searches for: forty queries of each kind, the same for the same texts."""

from __future__ import annotations

import random

from tests.bench.history_texts import Texts

_OF_EACH_KIND = 40


def queries(texts: Texts) -> dict[str, list[str]]:
    """Queries by kind. A word's place in `texts.words` is how often it comes; the first come in most messages."""
    chance = random.Random(7)
    words, han = texts.words, texts.han_words
    common, middling, rare = words[:60], words[60:3000], words[10_000:40_000]

    def some(kind: list[str]) -> str:
        return chance.choice(kind)

    return {
        "common words": [some(common) for _ in range(_OF_EACH_KIND)],
        "rare words": [some(rare) for _ in range(_OF_EACH_KIND)],
        "several words": [f"{some(common)} {some(middling)} {some(common)}" for _ in range(_OF_EACH_KIND)],
        "several common words": [" ".join(chance.sample(common, 3)) for _ in range(_OF_EACH_KIND)],
        "phrases of common words": [f'"{some(common[:12])} {some(common[:12])}"' for _ in range(_OF_EACH_KIND)],
        "phrases of rare words": [f'"{some(common)} {some(rare)}"' for _ in range(_OF_EACH_KIND)],
        "beginnings": [some(words[:20_000])[: chance.randint(1, 5)] for _ in range(_OF_EACH_KIND)],
        "CJK": [some(han[:2000]) + (some(han[:200]) if n % 2 else "") for n in range(_OF_EACH_KIND)],
        "one CJK character": [some(han[:500])[0] for _ in range(_OF_EACH_KIND)],
        "identifiers": [f"{some(common)}_{some(middling)}" for _ in range(_OF_EACH_KIND)],
        "parts of identifiers": [f"{some(middling).title()}{some(middling).title()}" for _ in range(_OF_EACH_KIND)],
        "with operators": [
            f"{some(common)} {operator}"
            for operator in ("role:user", "model:qwen", "has:search", "-the", "title:chat", "after:1970")
            for _ in range(_OF_EACH_KIND // 6)
        ],
    }
