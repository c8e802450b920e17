"""Values as TOML text are read back as they were."""

from __future__ import annotations

import datetime
import tomllib

from hypothesis import given
from hypothesis import strategies as st

from llamachat.config.literal import key_part, one_line, readable

_TEXT = st.text(alphabet=st.characters(exclude_categories=["Cs"]))
_SCALARS = _TEXT | st.integers(-(2**63), 2**63 - 1) | st.booleans() | st.floats(allow_nan=False)
_VALUES = st.recursive(_SCALARS, lambda inner: st.lists(inner) | st.dictionaries(_TEXT, inner), max_leaves=8)


@given(_VALUES)
def test_one_line_is_one_line_and_reads_back(value: object) -> None:
    text = one_line(value)
    assert "\n" not in text
    assert tomllib.loads(f"k = {text}") == {"k": value}


@given(_TEXT)
def test_readable_text_reads_back(value: str) -> None:
    assert tomllib.loads(f"k = {readable(value)}\n") == {"k": value}


def test_text_with_line_breaks_is_written_as_such() -> None:
    assert readable('You are\n"brief".') == '"""\nYou are\n\\"brief\\"."""'


def test_dates_are_kept() -> None:
    assert one_line({"d": datetime.date(2024, 5, 6)}) == "{ d = 2024-05-06 }"


def test_keys_are_quoted_where_needed() -> None:
    assert (key_part("plain-1_x"), key_part("a.b"), key_part("")) == ("plain-1_x", '"a.b"', '""')
