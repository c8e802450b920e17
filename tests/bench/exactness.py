"""Whether growing Markdown is drawn exactly: `python -m tests.bench exactness [--documents N]` prints one JSON.

Random documents and the examples of the CommonMark specification come in random pieces; after every piece what is
drawn is held against the text so far, drawn at once. The tests do the same with fewer documents.
"""

from __future__ import annotations

import argparse
import json
import random
import time
from collections.abc import Callable, Iterator, Sequence

from tests.render.growing_screen import Screen, check_every_prefix
from tests.render.markdown_documents import CHUNKS, EXAMPLES, random_document

_TOLD = 20


def main(arguments: Sequence[str]) -> None:
    """Draw, compare, print."""
    parser = argparse.ArgumentParser(prog="python -m tests.bench exactness", description=__doc__)
    parser.add_argument("--documents", type=int, default=40_000)
    parser.add_argument("--seed", type=int, default=1)
    options = parser.parse_args(arguments)
    print(json.dumps(measure(options.documents, options.seed), indent=1))


def measure(
    count: int, seed: int, *, check: Callable[[str, int, int], Screen] = check_every_prefix
) -> dict[str, object]:
    """How many documents and updates were compared, and which documents were drawn otherwise at some update."""
    began, updates, characters, differences = time.monotonic(), 0, 0, list[str]()
    for number, (text, longest) in enumerate(_documents(count, random.Random(seed))):
        try:
            updates += check(text, longest, seed + number).updates
        except AssertionError:
            differences.append(text)
        characters += len(text)
    return {
        "documents": count,
        "seed": seed,
        "updates": updates,
        "characters": characters,
        "differences": len(differences),
        "the_first_of_them": differences[:_TOLD],
        "took_s": round(time.monotonic() - began, 1),
    }


def _documents(count: int, chance: random.Random) -> Iterator[tuple[str, int]]:
    """Each example by each size of pieces, then random documents."""
    ready = [(text, longest) for longest in CHUNKS for text in EXAMPLES][:count]
    yield from ready
    for _ in range(count - len(ready)):
        yield random_document(chance), chance.choice(CHUNKS)
