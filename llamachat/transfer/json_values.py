"""Bytes to JSON objects, one after the other, so that a file of any size needs the memory of its largest object."""

from __future__ import annotations

import codecs
import json
import math
import re
from collections.abc import Iterator
from typing import Never, Protocol, cast

from llamachat.core.errors import TransferError
from llamachat.core.messages import JsonObject, JsonValue
from llamachat.core.text import tr

# The largest object, in characters: a chat with a hundred pictures in it. An object in Python takes up to a hundred
# times the room of its text: so there may be no more than so many brackets in one that is large.
MAX_OBJECT_CHARS = 128 * 2**20
_MAX_BRACKETS = 2_000_000
_CHUNK_BYTES = 2**20
_BLANKS = re.compile(r"[ \t\r\n]*")


class Readable(Protocol):
    """The one method of a binary stream that is used."""

    def read(self, size: int, /) -> bytes:
        """At most so many bytes; none at the end."""
        ...


def json_objects(stream: Readable) -> Iterator[JsonObject]:
    """Yield the objects of a stream: a single one, one after the other (JSON Lines), or the items of an array.

    Raises TransferError with the reason alone.
    """
    text = _Text(stream)
    if text.next_character() == "[":
        text.position += 1
        yield from _items(text)
        if text.next_character():
            raise _broken()
        return
    while text.next_character():
        yield text.take_object()


def export_anew() -> str:
    """What helps with a broken file."""
    return tr("Export the chats anew in the other program, then try again.")


def parsed_json(text: str) -> JsonValue:
    """The value in a text, held to the same bounds; raises ValueError."""
    try:
        return cast("JsonValue", _DECODER.decode(text))
    except RecursionError as error:
        raise ValueError(tr("its values are nested too deep")) from error


def too_large() -> TransferError:
    """What is said of a chat that would not fit into the memory set aside for one."""
    return TransferError(
        tr("it holds a chat of more than {limit} MB, or of too many parts").format(limit=MAX_OBJECT_CHARS // 2**20)
    )


def _items(text: _Text) -> Iterator[JsonObject]:
    if text.next_character() == "]":
        text.position += 1
        return
    while True:
        yield text.take_object()
        mark = text.next_character()
        text.position += 1
        if mark == "]":
            return
        if mark != ",":
            raise _broken()


class _Text:
    """The text of a stream, of which only what is not taken yet is held."""

    def __init__(self, stream: Readable) -> None:
        self.position = 0
        self._stream = stream
        self._decode = codecs.getincrementaldecoder("utf-8-sig")().decode
        self._held = ""
        self._ended = False

    def next_character(self) -> str:
        """The next character that is no blank, which stays; "" at the end."""
        while True:
            blanks = _BLANKS.match(self._held, self.position)
            self.position = blanks.end() if blanks else self.position
            if self.position < len(self._held):
                return self._held[self.position]
            if not self._read_on():
                return ""

    def take_object(self) -> JsonObject:
        """The object that begins here."""
        character = self.next_character()
        if character != "{":
            raise _broken() if not character else TransferError(tr("it does not hold chats"))
        while True:
            try:
                value, self.position = _DECODER.raw_decode(self._held, self.position)
            except json.JSONDecodeError as error:
                if not self._read_on():
                    raise _broken() from error
            except RecursionError as error:
                raise TransferError(tr("its values are nested too deep")) from error
            except ValueError as error:
                raise _broken() from error
            else:
                return cast("JsonObject", value)

    def _read_on(self) -> bool:
        """Hold twice as much, so that an object is begun again only a few times; False where nothing is left."""
        if self._ended:
            return False
        rest = self._held[self.position :]
        if len(rest) > MAX_OBJECT_CHARS or rest.count("{") + rest.count("[") > _MAX_BRACKETS:
            raise too_large()
        data = self._stream.read(min(max(_CHUNK_BYTES, len(rest)), MAX_OBJECT_CHARS))
        self._ended = not data
        try:
            self._held = rest + self._decode(data, self._ended)
        except UnicodeDecodeError as error:
            raise TransferError(tr("it is no text in UTF-8")) from error
        self.position = 0
        return True


def _no_number(text: str) -> Never:
    """NaN and the infinities, which are no JSON and no time or count either."""
    raise ValueError(text)


def _finite(text: str) -> float:
    number = float(text)
    return number if math.isfinite(number) else _no_number(text)


def _storable(text: str) -> int:
    number = int(text)
    return number if abs(number) < 2**63 else _no_number(text)


_DECODER = json.JSONDecoder(parse_constant=_no_number, parse_float=_finite, parse_int=_storable)


def _broken() -> TransferError:
    return TransferError(tr("it is no whole JSON file; it may have been cut off"), export_anew())
