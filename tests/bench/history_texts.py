"""Seeded texts for the history benchmark: made-up words as frequent as words are (Zipf), code, Chinese, accents."""

from __future__ import annotations

import random
from collections.abc import Iterator
from itertools import accumulate

_SYLLABLES = "ka lo mi ren ta su ver no dal pi qua che tor al en is or an re ti ing ed ström é"
_COMMON = "the of and to in is that it for you with as on are this be can or not if from your will use have by"
_MEAN_WORDS = 130
_WORDS = 40_000


class Texts:
    """Makes the same texts for the same seed; `words` are sorted by how often they come."""

    def __init__(self, seed: int) -> None:
        self._random = random.Random(seed)
        self._syllables = _SYLLABLES.split()
        self.words = list(dict.fromkeys([*_COMMON.split(), *(self._word() for _ in range(_WORDS))]))
        self.han_words = [self._han_word() for _ in range(_WORDS)]
        self._weights = list(accumulate(1 / (rank + 2.7) for rank in range(_WORDS)))

    def messages(self, count: int) -> Iterator[str]:
        """Yield texts: one in ten is code, one in ten is Chinese."""
        for number in range(count):
            length = max(3, int(self._random.expovariate(1 / _MEAN_WORDS)))
            if number % 10 == 1:
                yield "".join(self._pick(self.han_words, length))
            else:
                words = self._pick(self.words, length)
                yield " ".join(self._code(words) if number % 10 == 0 else words)

    def _pick(self, words: list[str], count: int) -> list[str]:
        return self._random.choices(words, cum_weights=self._weights[: len(words)], k=count)

    def _word(self) -> str:
        return "".join(self._random.choice(self._syllables) for _ in range(self._random.randint(2, 4)))

    def _han_word(self) -> str:
        length = self._random.choice((1, 2, 2, 2, 3))
        return "".join(chr(0x4E00 + int(self._random.paretovariate(0.6) * 20) % 4000) for _ in range(length))

    def _code(self, words: list[str]) -> list[str]:
        snake = [f"{word}_{self._random.choice(self.words)}" if n % 4 == 0 else word for n, word in enumerate(words)]
        return [
            f"{word}{self._random.choice(self.words).title()}()" if n % 7 == 1 else word
            for n, word in enumerate(snake)
        ]
