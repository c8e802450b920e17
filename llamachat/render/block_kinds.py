"""What a block of the drawn text is: the number that HTML carries into `QTextBlock.userState()`.

The HTML says `-qt-user-state:N`; whoever paints boxes and bars under the text, or copies text, reads it back.
"""

from __future__ import annotations

from enum import IntEnum

QUOTE_INDENT_PX = 18  # how far each level of a block quote is moved in; bars are painted there
CODE_PADDING_PX = 12  # between the frame of a code box and its text
FILLER = "\u200b"  # the text of a block that would be empty: Qt drops the state of empty blocks
_KIND_BITS, _DEPTH_BITS = 5, 11


class BlockKind(IntEnum):
    """The kinds. PLAIN is text of a message without a box of its own."""

    PLAIN = 0
    CODE_HEAD = 1  # language and Copy
    CODE = 2  # one line of code
    CODE_END = 3  # the bottom padding of the box
    RULE = 4
    SPACER = 5  # stands before and after a table
    HEADER = 6  # who speaks
    FOLD = 7  # the line that opens and closes a search or the thinking
    DETAIL = 8  # what such a line opens
    WAITING = 9
    NOTICE = 10
    ERROR = 11
    SOURCES = 12
    FOOTER = 13
    EMPTY = 14  # the page without messages
    TYPED = 15  # a line of what a person typed
    HEADING_1 = 16
    HEADING_2 = 17
    HEADING_3 = 18
    HEADING_4 = 19
    HEADING_5 = 20
    HEADING_6 = 21
    ALERT = 22  # the title of an alert; a bar begins at it
    SEAM = 23  # stands between the runs of a table
    ENDING = 24  # how a turn ended that did not fail
    BUTTONS = 25  # links painted as buttons, in the box of what stands above


class Tone(IntEnum):
    """What kind of alert a quote is: its bar has a colour. NONE is a quote of words."""

    NONE = 0
    NOTE = 1
    TIP = 2
    IMPORTANT = 3
    WARNING = 4
    CAUTION = 5


def block_state(kind: BlockKind, quote_depth: int = 0, tone: Tone = Tone.NONE) -> int:
    """The number for a block of `kind` inside `quote_depth` block quotes, of which the outermost has this tone."""
    return kind | quote_depth << _KIND_BITS | tone << _KIND_BITS + _DEPTH_BITS


def with_kind(state: int, kind: BlockKind) -> int:
    """The state of a block of another kind that stands in the same quotes."""
    return block_state(kind, quote_depth_of(state), tone_of(state))


def kind_of(state: int) -> BlockKind:
    """The kind in a block's state; a block without one is PLAIN."""
    return BlockKind(state & (1 << _KIND_BITS) - 1) if state >= 0 else BlockKind.PLAIN


def quote_depth_of(state: int) -> int:
    """How many block quotes the block stands in."""
    return state >> _KIND_BITS & (1 << _DEPTH_BITS) - 1 if state >= 0 else 0


def tone_of(state: int) -> Tone:
    """The tone of the outermost quote the block stands in."""
    return Tone(state >> _KIND_BITS + _DEPTH_BITS) if state >= 0 else Tone.NONE
