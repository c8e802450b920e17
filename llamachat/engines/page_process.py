"""Finds the text in pages, each in a process of its own: one that hangs, grows or crashes takes nothing with it."""

from __future__ import annotations

import json
import subprocess
import sys
from contextlib import suppress

from llamachat.core.cancel import CancelToken
from llamachat.core.errors import PageError
from llamachat.core.raw_page import MAX_PAGE_CHARS, PageText, RawPage
from llamachat.core.text import tr
from llamachat.engines.process import python_environment

# What Python and its libraries need to start, and the language of sentences: no key of the user's is among it.
_VARIABLES = frozenset((
    "PATH", "PYTHONPATH", "PYTHONHOME", "LD_LIBRARY_PATH", "SYSTEMROOT", "LANGUAGE", "LANG", "LC_ALL", "LC_MESSAGES",
))  # fmt: skip
_MODULE = "llamachat.websearch.page_text"


class PageProcesses:
    """The program's PageExtractor. Measured: 0.25 s for a page, most of it the start; 5 s are a matter of attack."""

    def __init__(self, *, timeout_s: float = 5.0, module: str = _MODULE) -> None:
        self._timeout_s = timeout_s
        self._module = module

    def extract(self, page: RawPage, cancel: CancelToken) -> PageText:
        """The best text found in time; raises PageError, or Cancelled at once on Stop."""
        cancel.raise_if_cancelled()
        said = json.dumps({"media_type": page.media_type, "charset": page.charset})
        child = self._start()
        with child, cancel.on_cancel(child.kill):
            try:
                printed, _ = child.communicate(said.encode() + b"\n" + page.body, self._timeout_s)
            except subprocess.TimeoutExpired:
                child.kill()
                printed, _ = child.communicate()
        cancel.raise_if_cancelled()
        return _best(printed)

    def _start(self) -> subprocess.Popen[bytes]:
        command, pipe = [sys.executable, "-P", "-m", self._module], subprocess.PIPE
        environment = {name: value for name, value in python_environment().items() if name in _VARIABLES}
        try:
            return subprocess.Popen(
                command, stdin=pipe, stdout=pipe, stderr=subprocess.DEVNULL, env=environment, process_group=0
            )
        except OSError as error:
            raise PageError(tr("no process for it can be started ({reason})").format(reason=error)) from error


def _best(printed: bytes) -> PageText:
    """The last whole line of what was printed."""
    for line in reversed(printed.split(b"\n")[:-1]):
        with suppress(ValueError):
            said = json.loads(line)
            if error := said.get("error"):
                raise PageError(str(error))
            return PageText(str(said.get("text"))[:MAX_PAGE_CHARS], str(said.get("note")))
    raise PageError(tr("its text could not be found in reasonable time and memory"))
