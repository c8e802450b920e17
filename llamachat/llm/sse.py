"""Server-sent events out of bytes, in pieces of any size. No I/O.

Kinder than the standard where servers are: fields that it does not know are kept (older llama-servers write
`error: {...}`), an end without a blank line still gives the last event, and text without any framing (a JSON body
or a web page inside an event stream) comes out as an event of its own.
"""

from __future__ import annotations

import re
from dataclasses import dataclass

from llamachat.core.errors import ServerCause, ServerError
from llamachat.core.text import tr

MAX_EVENT_BYTES = 16 * 1024 * 1024
_BOM = b"\xef\xbb\xbf"
_FIELD = re.compile(r"[A-Za-z][A-Za-z_-]*")


@dataclass(frozen=True, slots=True)
class SseEvent:
    """One event. `fields` are the (name, value) pairs that the standard does not know.

    `bare` is text that stood there without a field name; the lines keep their order.
    """

    data: str = ""
    name: str = ""
    fields: tuple[tuple[str, str], ...] = ()
    bare: str = ""


class SseParser:
    """Bytes in, events out."""

    def __init__(self, max_event_bytes: int = MAX_EVENT_BYTES) -> None:
        self._max_event_bytes = max_event_bytes
        self._pieces: list[bytes] = []  # of the line that has not ended
        self._size = 0  # bytes of the event that has not ended
        self._after_cr = False
        self._first_line = True
        self._reset()

    def feed(self, data: bytes) -> list[SseEvent]:
        """Give the events that end in `data`; raises ServerError when one grows beyond all bounds."""
        if self._after_cr and data[:1] == b"\n":
            data = data[1:]
            self._after_cr = False
        if not data:
            return []
        self._after_cr = data[-1:] == b"\r"
        if b"\r" in data:
            data = data.replace(b"\r\n", b"\n").replace(b"\r", b"\n")
        *ended, rest = data.split(b"\n")
        events: list[SseEvent] = []
        for tail in ended:
            self._size += len(tail)
            self._take_line(b"".join((*self._pieces, tail)) if self._pieces else tail, events)
            self._pieces.clear()
        if rest:
            self._size += len(rest)
            self._pieces.append(rest)
        if self._size > self._max_event_bytes:
            raise ServerError(
                tr("The server sent one event that is too long to be an answer."),
                tr("Check that the address is that of a model server."),
                cause=ServerCause.NOT_A_SERVER,
            )
        return events

    def close(self) -> list[SseEvent]:
        """Give what the end of the stream completes."""
        events: list[SseEvent] = []
        if self._pieces:
            self._take_line(b"".join(self._pieces), events)
            self._pieces.clear()
        self._dispatch(events)
        return events

    def _take_line(self, line: bytes, events: list[SseEvent]) -> None:
        if self._first_line:
            self._first_line = False
            line = line.removeprefix(_BOM)
        if not line:
            self._dispatch(events)
        elif line.startswith(b"data:"):
            self._data.append(line[6 if line[5:6] == b" " else 5 :].decode("utf-8", "replace"))
        elif not line.startswith(b":"):  # that is a comment: a ping
            self._take_other(line.decode("utf-8", "replace"))

    def _take_other(self, line: str) -> None:
        name, _, value = line.partition(":")
        value = value.removeprefix(" ")
        if not _FIELD.fullmatch(name):
            self._bare.append(line)
        elif name == "event":
            self._name = value
        elif name not in ("data", "id", "retry"):
            self._fields.append((name, value))

    def _dispatch(self, events: list[SseEvent]) -> None:
        self._size = 0
        data, bare = "\n".join(self._data), "\n".join(self._bare)
        if data or bare or self._fields:
            events.append(SseEvent(data, self._name, tuple(self._fields), bare))
        self._reset()

    def _reset(self) -> None:
        self._data: list[str] = []
        self._bare: list[str] = []
        self._fields: list[tuple[str, str]] = []
        self._name = ""
