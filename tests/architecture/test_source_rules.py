"""Rules of the source that no linter of ours checks: sizes, imports inside functions, who opens connections."""

from __future__ import annotations

import ast
import re
from collections.abc import Iterator
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parent.parent.parent
PACKAGE = ROOT / "llamachat"
SOURCES = sorted(PACKAGE.rglob("*.py"))
EVERY_FILE = SOURCES + sorted((ROOT / "tests").rglob("*.py")) + sorted((ROOT / "docs").rglob("*.py"))

MAX_FILE_LINES = 299
MAX_FUNCTION_LINES = 60
NETWORK = ("httpx", "httpcore", "socket", "ssl", "http.client", "http.server", "urllib.request", "asyncio")
MAY_CONNECT = {
    *("llm/exchange.py", "web_request.py", "websearch/page_fetch.py", "websearch/addresses.py"),
    "gateway.py",  # listens
}
# Libraries that only some users have, and who may import them inside a function.
OPTIONAL = {
    "xllamacpp": "engines",
    "keyring": "key_store.py",
    "trafilatura": "websearch",
    "selectolax": "websearch",
    "pypdfium2": "websearch",
    "charset_normalizer": "websearch",
    "ziamath": "engines",
    "searx": "engines",  # in its own environment
    "werkzeug": "engines",
}
POSSESSIVE = re.compile(r"[)\]}\w.][*+?]\+|\}\+|\(\?>")
BANNED_NAMES = {"utils.py", "helpers.py", "common.py", "misc.py", "manager.py", "base.py"}


def name_of(path: Path) -> str:
    """The path inside the package, or inside the project for other files."""
    return path.relative_to(PACKAGE if path.is_relative_to(PACKAGE) else ROOT).as_posix()


def imports(tree: ast.AST) -> Iterator[tuple[str, ast.stmt]]:
    """Every imported module's full name with its statement."""
    for node in ast.walk(tree):
        if isinstance(node, ast.Import):
            yield from ((alias.name, node) for alias in node.names)
        elif isinstance(node, ast.ImportFrom) and node.module:
            yield node.module, node
            yield from ((f"{node.module}.{alias.name}", node) for alias in node.names)


def functions(tree: ast.AST) -> Iterator[ast.FunctionDef | ast.AsyncFunctionDef]:
    """Every function and method."""
    return (node for node in ast.walk(tree) if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef))


def matches(module: str, names: tuple[str, ...]) -> bool:
    """True for one of `names` or anything inside it."""
    return any(module == name or module.startswith(name + ".") for name in names)


@pytest.mark.parametrize("path", EVERY_FILE, ids=name_of)
def test_a_file_is_short_and_says_what_it_is(path: Path) -> None:
    text = path.read_text(encoding="utf-8")
    assert len(text.splitlines()) <= MAX_FILE_LINES
    assert path.name not in BANNED_NAMES
    if path.name == "__init__.py":
        assert path.parent == PACKAGE or not text.strip()
    else:
        assert ast.get_docstring(ast.parse(text))


@pytest.mark.parametrize("path", EVERY_FILE, ids=name_of)
def test_functions_are_short(path: Path) -> None:
    for function in functions(ast.parse(path.read_text(encoding="utf-8"))):
        length = (function.end_lineno or function.lineno) - function.lineno + 1
        assert length <= MAX_FUNCTION_LINES, f"{function.name} has {length} lines"


@pytest.mark.parametrize("path", SOURCES, ids=name_of)
def test_connections_are_opened_in_few_files(path: Path) -> None:
    name = name_of(path)
    used = {module for module, _ in imports(ast.parse(path.read_text(encoding="utf-8"))) if matches(module, NETWORK)}
    assert not used or name in MAY_CONNECT or name.startswith("engines/"), used
    if name != "ui/application.py":
        text = path.read_text(encoding="utf-8")
        assert "QtNetwork" not in text


@pytest.mark.parametrize("path", SOURCES, ids=name_of)
def test_imports_stand_at_the_top(path: Path) -> None:
    tree = ast.parse(path.read_text(encoding="utf-8"))
    inside = {
        module.split(".")[0] if not module.startswith("llamachat") else module
        for function in functions(tree)
        for module, _ in imports(function)
    }
    room = name_of(path).split("/", maxsplit=1)[0]
    allowed = {library for library, owner in OPTIONAL.items() if owner == room}
    if name_of(path) == "cli/main.py":  # the command line opens the window only when asked to
        allowed |= {module for module in inside if module.startswith("llamachat.ui")}
    assert inside <= allowed


@pytest.mark.parametrize("path", SOURCES, ids=name_of)
def test_patterns_have_no_possessive_repeats(path: Path) -> None:
    """Before Python 3.11.4, which Debian 12 does not have, they match too little (python/cpython#101955)."""
    tree = ast.parse(path.read_text(encoding="utf-8"))
    if "re" in {module for module, _ in imports(tree)}:
        texts = [
            node.value for node in ast.walk(tree) if isinstance(node, ast.Constant) and isinstance(node.value, str)
        ]
        assert not [text for text in texts if POSSESSIVE.search(text) and "c++" not in text.lower()]


def test_nothing_names_a_place_outside_the_project() -> None:
    files = [*EVERY_FILE, ROOT / "README.md", ROOT / "pyproject.toml", *sorted((ROOT / "docs").rglob("*.md"))]
    for path in files:
        text = path.read_text(encoding="utf-8")
        assert "/work/" + "shared" not in text, path
        assert "../" + "shared" not in text, path
