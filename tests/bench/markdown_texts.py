"""Seeded Markdown as models write it, with every kind of block; and the same cut into tokens."""

from __future__ import annotations

import random
import re
from collections.abc import Callable

_WORD_LIST = (
    "a about above across after against always among an and answer approximately are argument as at bandwidth be "
    "because become before behind below better between branch browser buffer building but by cable calendar can "
    "careful carry category centre certain change channel character child circle citizen column common compare "
    "computer condition connection constant container corner country course current database decision default "
    "describe detail device difference direction document during each early electric element enough environment "
    "error every evidence example experience explain fast field figure file final folder follow for force forward "
    "foundation fraction free frequent from function future garden general government ground group growing hand "
    "harbour have heavy history horizon however hundred idea if important in include increase index instead "
    "instrument interest into is island it journey keep kitchen knowledge label language large latency layout "
    "learn length letter level library light limit linear local machine maintain manage mark material measure "
    "memory message method middle minute model module more morning mountain multiple name nature nearly network "
    "never next north not notice number object observe of often on once only open option or orchard order other "
    "out paragraph parallel parser part pattern people perhaps picture place plain point position possible "
    "prepare present probably problem process produce program property public quality quarter question queue "
    "quick rather reader reason receive record regular remember request resource response result return river "
    "road routine same sample schedule science second section sentence separate sequence server several shape "
    "short should side signal simple since single slow small software something source space special standard "
    "start station statement still storage street string structure student subject such sufficient summer support "
    "surface symbol system table temperature than that the their then there therefore these they thing this those "
    "thousand through time to together toward translate travel tree under unless until upper usual valley value "
    "various vector version very village visible volume was water weather were what when where whether which "
    "while whole why window winter with without word work world write year yellow yesterday"
)
_WORDS = _WORD_LIST.split()

_CODE: dict[str, tuple[str, ...]] = {
    "python": (
        "def {a}_{b}({c}: int = {n}) -> str:",
        "    return f'{a} {{{c}}}: {b}'",
        "    # {a} {b} {c}",
        "    if {a} in {b} and {c} != {n}:",
        "        raise ValueError('{a} is no {b}')",
        "{a} = [{b} * {n} for {b} in range({n})]",
        "@{a}({b}={n})",
        '    """The {a} of the {b}."""',
        "",
    ),
    "javascript": (
        "function {a}{n}({b}, {c}) {{",
        "  const {a} = {b}.filter(({c}) => {c} > {n});",
        "  return `${{{a}}} of {b}`; // {c}",
        "}}",
        "let {a} = {{ {b}: '{c}', {c}: {n} }};",
        "  for (const {a} of {b}) await {c}({a}, /{b}+/g);",
        "",
    ),
    "cpp": (
        "#include <{a}/{b}.h>",
        "static int {a}_{b}(const std::string & {c}, int n = {n}) {{",
        "    auto {a} = {b}.find({c}); // {a}",
        '    std::printf("{a}: %d\\n", {n});',
        "    for (size_t i = 0; i < {n}; ++i) {{ {a}[i] = {b}; }}",
        "}}",
        "",
    ),
    "bash": (
        'for {a} in "${b}"/*.{c}; do',
        "  grep -c '{a}' \"${a}\" || exit {n}  # {b}",
        "done",
        "{a}=$(find . -name '{b}*' -size +{n}k | head -n {n})",
    ),
    "json": ("{{", '  "{a}": {n},', '  "{b}": ["{c}", true, null],', '  "{c}": {{"{a}": "{b}"}},', "}}"),
}
LANGUAGES = tuple(_CODE)

_TOKEN = re.compile(r" ?[^\w\s]?[A-Za-z]{1,10}| ?\d{1,3}|\n+ *| ?[^\w\s]{1,3}|\s+|.")


class MarkdownTexts:
    """Makes the same texts for the same seed, whatever the version of Python."""

    def __init__(self, seed: int) -> None:
        self._random = random.Random(seed)
        self._blocks: tuple[tuple[Callable[[], str], int], ...] = (
            (self.paragraph, 50),
            (self.items, 16),
            (self.fence, 14),
            (self.heading, 9),
            (self.table, 8),
            (self.quote, 3),
        )

    def document(self, characters: int) -> str:
        """Blocks of every kind, about as many characters as asked for or a few more."""
        makers, weights = zip(*self._blocks, strict=True)
        blocks: list[str] = []
        size = 0
        while size < characters:
            (maker,) = self._random.choices(makers, weights)
            blocks.append(maker())
            size += len(blocks[-1]) + 2
        return "\n\n".join(blocks)

    def sentence(self) -> str:
        """A sentence with what marks single words."""
        text = " ".join(self._marked() for _ in range(self._random.randint(6, 16)))
        return text[:1].upper() + text[1:] + self._random.choice("....:?")

    def paragraph(self) -> str:
        """Two to six sentences."""
        return " ".join(self.sentence() for _ in range(self._random.randint(2, 6)))

    def heading(self) -> str:
        """A heading of the second to fourth level."""
        return f"{'#' * self._random.randint(2, 4)} {self.words(2, 5).capitalize()}"

    def quote(self) -> str:
        """A quotation of a line."""
        return f"> {self.sentence()}"

    def items(self, count: int = 0, *, depths: int = 2) -> str:
        """A list; every fifth item or so is the parent of the next ones."""
        count = count or self._random.randint(3, 9)
        mark = self._random.choice(("-", "-", "1."))
        lines, depth = [], 0
        for _ in range(count):
            lines.append(f"{'   ' * depth}{mark} {self.words(4, 14)}")
            deeper = self._random.random() < 0.2
            depth = min(depth + 1, depths - 1) if deeper else max(depth - self._random.randint(0, 1), 0)
        return "\n".join(lines)

    def table(self, rows: int = 0) -> str:
        """A table of three to five columns."""
        columns = self._random.randint(3, 5)
        rows = rows or self._random.randint(3, 9)
        lines = [[self.words(1, 1) for _ in range(columns)], ["---"] * columns]
        lines += [[self.words(1, 3) for _ in range(columns)] for _ in range(rows)]
        return "\n".join(f"| {' | '.join(cells)} |" for cells in lines)

    def fence(self) -> str:
        """A code block."""
        language = self._random.choice(LANGUAGES)
        lines = "\n".join(self.code(language, self._random.randint(6, 28)))
        return f"```{language}\n{lines}\n```"

    def code(self, language: str, lines: int) -> list[str]:
        """Lines that look like a language; they need not make sense in it."""
        choices = _CODE[language]
        return [
            self._random.choice(choices).format(
                a=self.words(1, 1), b=self.words(1, 1), c=self.words(1, 1), n=self._random.randint(0, 99)
            )
            for _ in range(lines)
        ]

    def words(self, low: int, high: int) -> str:
        """Plain words."""
        return " ".join(self._random.choice(_WORDS) for _ in range(self._random.randint(low, high)))

    def _marked(self) -> str:
        word, chance = self.words(1, 1), self._random.random()
        if chance < 0.03:
            return f"**{word} {self.words(1, 1)}**"
        if chance < 0.05:
            return f"*{word}*"
        if chance < 0.09:
            return f"`{word}_{self.words(1, 1)}()`"
        if chance < 0.10:
            return f"[{word}](https://example.org/{word})"
        return str(self._random.randint(2, 9999)) if chance < 0.12 else word


def cut_tokens(text: str) -> list[str]:
    """The text in pieces about as long as a model's tokens, five characters; joined they are the text again."""
    return _TOKEN.findall(text)


def answer_tokens(count: int, seed: int) -> list[str]:
    """A whole answer of exactly so many tokens, in which every fence is closed."""
    texts = MarkdownTexts(seed)
    tokens = cut_tokens(texts.document(count * 6))[: max(count - 1, 1)]
    is_open = "".join(tokens).count("```") % 2
    return [*tokens, "\n```" if is_open else "."][:count]
