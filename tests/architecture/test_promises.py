"""What the documentation promises of the whole project, seen in its sources and in a fresh interpreter."""

from __future__ import annotations

import ast
import re
import socket
import subprocess
import sys
import tomllib

import pytest

from tests.architecture.test_source_rules import PACKAGE, ROOT, SOURCES, name_of

ONE_SYSTEM = frozenset("fcntl grp msvcrt posix pwd resource syslog termios tty winreg winsound _winapi".split())  # noqa: SIM905 - a list of words
# Child processes, run as programs of their own and imported by nobody: those have no twin on Windows yet.
CHILDREN = {"engines/formula_child.py"}
README = (ROOT / "README.md").read_text(encoding="utf-8")


def unguarded(tree: ast.AST, *, guarded: bool = False) -> list[str]:
    """Modules of one system that are imported outside an `if` and a `try`."""
    found = []
    for node in ast.iter_child_nodes(tree):
        if isinstance(node, ast.Import | ast.ImportFrom) and not guarded:
            names = [alias.name for alias in node.names] if isinstance(node, ast.Import) else [node.module or ""]
            found += [name for name in names if name.partition(".")[0] in ONE_SYSTEM]
        found += unguarded(node, guarded=guarded or isinstance(node, ast.If | ast.Try))
    return found


@pytest.mark.claim("ST-054")
def test_no_module_of_one_system_is_imported_everywhere() -> None:
    assert unguarded(ast.parse("import fcntl")) == ["fcntl"]
    assert unguarded(ast.parse("if True:\n    import fcntl")) == []
    named = re.compile(rf"^\s*(?:import|from) .*\b(?:{'|'.join(ONE_SYSTEM)})\b", re.MULTILINE)
    texts = {name_of(path): path.read_text(encoding="utf-8") for path in SOURCES}
    assert {name for name, text in texts.items() if named.search(text) and unguarded(ast.parse(text))} == CHILDREN
    children = re.compile(r"^\s*(?:import|from) .*\bformula_child\b", re.MULTILINE)
    assert [name for name, text in texts.items() if children.search(text)] == []
    assert "platformdirs" in (PACKAGE / "config" / "paths.py").read_text(encoding="utf-8")


@pytest.mark.claim("LC-007", "LC-008")
@pytest.mark.parametrize("module", ["llamachat.search", "llamachat.chat.stream_chat"])
def test_search_and_conversation_load_no_qt(module: str) -> None:
    program = f"import sys, {module}\nprint([name for name in sys.modules if 'PySide' in name or 'shiboken' in name])"
    done = subprocess.run([sys.executable, "-c", program], cwd=ROOT, capture_output=True, text=True, check=True)
    assert done.stdout == "[]\n"


@pytest.mark.claim("LC-004", "LC-062", "LC-025")
def test_the_readme_says_what_a_server_needs_for_searching() -> None:
    assert not re.search(r"--tools\b|mcp-proxy", README)
    assert "llama-server -m" in README
    assert "reasoning-budget = 1024" in README
    assert "4096" in README
    assert "formats: [html, json]" in README or re.search(r"formats:\s*\n?\s*- html", README)


@pytest.mark.claim("LC-052", "OP-050")
def test_a_test_that_connects_to_another_machine_fails() -> None:
    with socket.socket() as connection, pytest.raises(AssertionError, match=r"192\.0\.2\.1"):
        connection.connect(("192.0.2.1", 80))


@pytest.mark.claim("ST-053")
def test_few_libraries_are_needed_and_those_for_pages_and_keys_are_extras() -> None:
    project = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))["project"]
    needed = {re.split(r"[\[<>=;]", line)[0] for line in project["dependencies"]}
    assert needed == {
        "PySide6-Essentials", "httpx", "markdown-it-py", "mdit-py-plugins", "Pygments", "platformdirs", "tomli-w",
    }  # fmt: skip
    extras = {
        re.split(r"[\[<>=;]", line)[0] for key in ("keys", "pages") for line in project["optional-dependencies"][key]
    }
    assert extras == {"keyring", "trafilatura", "lxml-html-clean", "selectolax", "pypdfium2"}
