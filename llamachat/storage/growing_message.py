"""A message that is written while it grows: its row in memory, what of it is not on disk, the writer of late text."""

from __future__ import annotations

import threading
from contextlib import ExitStack
from dataclasses import replace
from pathlib import Path
from types import TracebackType
from typing import Literal, TypeAlias, Unpack, cast

from llamachat.core.completion import StreamPosition
from llamachat.core.errors import StorageError
from llamachat.core.messages import StoredMessage, StreamMark
from llamachat.storage.database import Database
from llamachat.storage.messages import MessageFields, update_message
from llamachat.storage.opening import IN_MEMORY
from llamachat.storage.unsaved import UnsavedMessages

TextField: TypeAlias = Literal["content", "reasoning"]

FLUSH_S = 0.2  # how long text waits until it is written; with the writing it is on disk within 250 ms
AGAIN_S = 1.0  # how long it waits after a write that failed
TOLD_AFTER = 2  # failures in a row
PATIENCE_S = 0.5  # how long a write waits for another writer: it is tried again, and a turn must end soon


class GrowingMessage:
    """A row that one thread adds to and that this and another one write.

    After two failures in a row it is in `unsaved` as well: the next write may do what the first could not.
    """

    def __init__(self, row: StoredMessage, unsaved: UnsavedMessages | None = None) -> None:
        self._row, self._unsaved = row, unsaved
        self._texts: dict[TextField, list[str]] = {"content": [row.content], "reasoning": [row.reasoning]}
        self._lengths: dict[TextField, int] = {name: len(pieces[0]) for name, pieces in self._texts.items()}
        self._unwritten: set[str] = set()
        self._state, self._writing = threading.Lock(), threading.Lock()
        self._problem: StorageError | None = None
        self._failures = 0
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
            self._lengths[name] += len(text)
            self._unwritten.add(name)

    def set_text(self, name: TextField, text: str) -> None:
        """Another text in place of the one there; written if it differs."""
        with self._state:
            if "".join(self._texts[name]) != text:
                self._texts[name] = [text]
                self._lengths[name] = len(text)
                self._unwritten.add(name)

    def set(self, **fields: Unpack[MessageFields]) -> None:
        """Other fields than the texts."""
        with self._state:
            self._row = replace(self._row, **fields)
            self._unwritten |= fields.keys()

    def reach(self, position: StreamPosition) -> bool:
        """Note that the texts hold all of the answer up to `position`; True where it is another answer than before.

        It is written with them: whoever is killed finds both as they were at one moment.
        """
        with self._state:
            content, reasoning = self._lengths["content"], self._lengths["reasoning"]
            known = self._row.stream
            if begins := known is None or known.id != position.id:
                known = StreamMark(
                    position.id,
                    server=position.server,
                    content_from=content,
                    reasoning_from=reasoning,
                    usage=self._row.usage,
                )
            mark = replace(known, offset=position.offset, content=content, reasoning=reasoning)
            self._row = replace(self._row, stream=mark)
            self._unwritten.add("stream")
        return begins

    def write(self, db: Database) -> bool:
        """Write what is new; False where that failed: the reason is kept, and the next call tries it again."""
        with self._writing:
            with self._state:
                names, self._unwritten = self._unwritten, set()
                row = self.message()
            if not names:
                return True
            try:
                with db.patience(PATIENCE_S):
                    update_message(db, row.id, **cast("MessageFields", {name: getattr(row, name) for name in names}))
            except StorageError as error:
                self.note_problem(error)
                with self._state:
                    self._unwritten |= names
                return False
            self._failures, self._problem = 0, None
            return True

    def note_problem(self, error: StorageError) -> None:
        """Keep why nothing could be written."""
        self._failures += 1
        self._problem = error
        if self._unsaved is not None and self._failures >= TOLD_AFTER:
            self._unsaved.hold(self)

    @property
    def problem(self) -> StorageError | None:
        """Why the last write failed; None after one that did not."""
        return self._problem

    def take_problem(self) -> StorageError | None:
        """The problem, once, and not before two writes in a row have failed."""
        if self._told or self._failures < TOLD_AFTER:
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
            pause = FLUSH_S
            while self._waiting.wait() and not self._over.wait(pause):
                self._waiting.clear()
                if self._over.is_set():  # since the pause: what was cleared was the call to end
                    return
                try:
                    db = db or stack.enter_context(Database.open(self._path, busy_timeout_s=PATIENCE_S))
                except StorageError as error:
                    self._message.note_problem(error)
                    written = False
                else:
                    written = self._message.write(db)
                pause = FLUSH_S if written else AGAIN_S
                if not written:
                    self._waiting.set()
