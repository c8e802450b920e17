"""A message that is written while it grows: its row in memory, what of it is not on disk, the writer of late text."""

from __future__ import annotations

import threading
from contextlib import ExitStack
from dataclasses import replace
from pathlib import Path
from types import TracebackType
from typing import Literal, TypeAlias, Unpack, cast

from llamachat.core.errors import StorageError
from llamachat.core.messages import StoredMessage
from llamachat.storage.database import Database
from llamachat.storage.messages import MessageFields, update_message
from llamachat.storage.opening import IN_MEMORY

TextField: TypeAlias = Literal["content", "reasoning"]

FLUSH_S = 0.2  # how long text waits until it is written; with the writing it is on disk within 250 ms


class GrowingMessage:
    """A row that one thread adds to and that this and another one write."""

    def __init__(self, row: StoredMessage) -> None:
        self._row = row
        self._texts: dict[TextField, list[str]] = {"content": [row.content], "reasoning": [row.reasoning]}
        self._unwritten: set[str] = set()
        self._state, self._writing = threading.Lock(), threading.Lock()
        self._problem: StorageError | None = None
        self._told = False

    def message(self) -> StoredMessage:
        """The row as it stands."""
        content, reasoning = ("".join(self._texts[name]) for name in ("content", "reasoning"))
        return replace(self._row, content=content, reasoning=reasoning)

    @property
    def fields(self) -> StoredMessage:
        """The row as it stands but for its texts; costs less."""
        return self._row

    def add_text(self, name: TextField, text: str) -> None:
        """More of a text."""
        with self._state:
            self._texts[name].append(text)
            self._unwritten.add(name)

    def set_text(self, name: TextField, text: str) -> None:
        """Another text in place of the one there; written if it differs."""
        with self._state:
            if "".join(self._texts[name]) != text:
                self._texts[name] = [text]
                self._unwritten.add(name)

    def set(self, **fields: Unpack[MessageFields]) -> None:
        """Other fields than the texts."""
        with self._state:
            self._row = replace(self._row, **fields)
            self._unwritten |= fields.keys()

    def write(self, db: Database) -> None:
        """Write what is new. A failure is kept for `take_problem`; the fields are tried again with the next ones."""
        with self._writing:
            with self._state:
                if not self._unwritten:
                    return
                names, self._unwritten = self._unwritten, set()
                row = self.message()
            try:
                update_message(db, row.id, **cast("MessageFields", {name: getattr(row, name) for name in names}))
            except StorageError as error:
                self.note_problem(error)
                with self._state:
                    self._unwritten |= names

    def note_problem(self, error: StorageError) -> None:
        """Keep why nothing could be written."""
        self._problem = error

    def take_problem(self) -> StorageError | None:
        """The reason why something could not be written, once; later ones are not told."""
        if self._problem is None or self._told:
            return None
        self._told = True
        return self._problem


class LateWriter:
    """Writes text that has waited long enough, in a thread and with a connection of its own.

    The thread that adds the text cannot do it: it may be waiting for the next piece. In memory nothing is worth it.
    """

    def __init__(self, message: GrowingMessage, path: Path) -> None:
        self._message, self._path = message, path
        self._waiting, self._over = threading.Event(), threading.Event()
        self._thread = threading.Thread(target=self._run, name="late writer")

    def text_came(self) -> None:
        """There is text to write."""
        self._waiting.set()

    def __enter__(self) -> LateWriter:
        if self._path != IN_MEMORY:
            self._thread.start()
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self._over.set()
        self._waiting.set()
        if self._thread.ident is not None:
            self._thread.join()

    def _run(self) -> None:
        with ExitStack() as stack:
            db: Database | None = None
            while self._waiting.wait() and not self._over.wait(FLUSH_S):
                self._waiting.clear()
                try:
                    db = db or stack.enter_context(Database.open(self._path))
                except StorageError as error:
                    self._message.note_problem(error)
                else:
                    self._message.write(db)
