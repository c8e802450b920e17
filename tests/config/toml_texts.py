"""Random TOML texts that know which of their characters belong to which key, for the tests of rewriting."""

from __future__ import annotations

from dataclasses import dataclass

from hypothesis import strategies as st

KeyPath = tuple[str, ...]


@dataclass(frozen=True)
class Chunk:
    """Whole lines of a text. `path` is the key they set, () for comments, blank lines and headers."""

    text: str
    path: KeyPath = ()


_VALUES = st.sampled_from(
    [
        "1",
        "-0.0",
        "nan",
        "true",
        '"plain"',
        '"with # and \\"quotes\\" = []"',
        "'C:\\path'",
        '"""\n# theme = "no comment"\n[prompts.coder]\ntheme = "x"\n\n  end\\\n  """',
        "'''\ntext = 'no key'\n'''",
        '""""quoted""""',
        "[1, 2]",
        '[ # one\n  "]", # two\n  [],\n]',
        "{ a = 1, 'b c' = [ { d = '}' } ] }",
        "1979-05-27T07:32:00Z",
    ]
)
_COMMENTS = st.sampled_from(
    ["", "", "# a comment", "  # indented", "# theme = 'light'", "#model=''", "# text = ''", "# ---- section ----"]
)
_TRAILING = st.sampled_from(["", "", "  # behind", " #", "\t# theme = 1"])
_TOP_NAMES = ["theme", "model", "seed", "zeta", '"quoted key"']
_TABLE_NAMES = ["text", "model", "top_k", "other"]
_HEADS = ["prompts.coder", 'prompts."my own"', "servers.box", "unknown.deep", "alone"]


@st.composite
def _statement(draw: st.DrawFn, name: str, table: KeyPath) -> Chunk:
    indent = draw(st.sampled_from(["", "", "  ", "\t"]))
    equals = draw(st.sampled_from([" = ", "=", "  =\t"]))
    text = f"{indent}{name}{equals}{draw(_VALUES)}{draw(_TRAILING)}\n"
    return Chunk(text, (*table, name.strip('"')))


@st.composite
def _body(draw: st.DrawFn, names: list[str], table: KeyPath) -> list[Chunk]:
    chunks = []
    for name in draw(st.lists(st.sampled_from(names), unique=True, max_size=3)):
        chunks += [Chunk(f"{comment}\n") for comment in draw(st.lists(_COMMENTS, max_size=2))]
        chunks.append(draw(_statement(name, table)))
    return chunks + [Chunk(f"{comment}\n") for comment in draw(st.lists(_COMMENTS, max_size=2))]


@st.composite
def texts(draw: st.DrawFn) -> list[Chunk]:
    """Chunks that together are valid TOML: keys at the top, then tables, in many styles."""
    chunks = draw(_body(_TOP_NAMES, ()))
    style = draw(st.sampled_from(["headers", "dotted", "inline"]))
    if style == "dotted":
        chunks += [Chunk("prompts.coder.text = 'dotted' # here\n", ("prompts", "coder", "text"))]
    if style == "inline":
        chunks += [Chunk("prompts = { coder = { text = 'inline' } } # all\n", ("prompts",))]
    heads = [head for head in _HEADS if style == "headers" or not head.startswith("prompts")]
    for head in draw(st.lists(st.sampled_from(heads), unique=True, max_size=3)):
        table = tuple(part.strip('"') for part in head.split("."))
        chunks.append(Chunk(draw(st.sampled_from([f"[{head}]\n", f" [ {head} ] # head\n"]))))
        chunks += draw(_body(_TABLE_NAMES, table))
    return chunks


@st.composite
def laid_out(draw: st.DrawFn, chunks: list[Chunk]) -> list[Chunk]:
    """The same with the line ends of Unix or Windows, and with or without one at the end."""
    if draw(st.booleans()):
        chunks = [Chunk(chunk.text.replace("\n", "\r\n"), chunk.path) for chunk in chunks]
    if draw(st.booleans()) and chunks:
        last = chunks[-1]
        chunks = [*chunks[:-1], Chunk(last.text.removesuffix("\n").removesuffix("\r"), last.path)]
    return chunks
