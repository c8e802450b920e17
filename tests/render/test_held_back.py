"""The end of a growing text waits while more of it may turn it into something else."""

from __future__ import annotations

import pytest

from llamachat.render.held_back import visible_part


@pytest.mark.parametrize("last", ["`", "``", "```", "```py", "  ```", "- ```", "> ~~~ js", "1. ``", "~"])
def test_what_may_become_a_fence_is_held_back(last: str) -> None:
    shown = visible_part(f"Here:\n{last}")
    assert "`" not in shown
    assert "~" not in shown


@pytest.mark.parametrize("last", ["`code` is", "a ``", "```py x`", "x ~~~"])
def test_what_cannot_become_a_fence_is_shown(last: str) -> None:
    assert visible_part(f"Here:\n{last}") == f"Here:\n{last}"


@pytest.mark.parametrize("blanks", [" ", "\t", "> ", ">\t"])
def test_a_line_of_a_million_blanks_is_looked_at_once(blanks: str) -> None:
    last = blanks * 1_000_000  # in the square of its length the time limit of the test would be long over
    shown = f"Here:\n{last}" if blanks.strip() else "Here:\n"
    assert visible_part(f"Here:\n{last}") == shown
    assert visible_part(f"Here:\n{last}``") == shown
    assert visible_part(f"Here:\n{last}word") == f"Here:\n{last}word"


@pytest.mark.parametrize("head", ["", "text\n", "# head\n\n", "| a\nno row\n"])
@pytest.mark.parametrize("row", ["|", "| a", "  | a | b |", "| a | b |\n", "| a | b |\n|", "| a | b |\n|---|:-"])
def test_the_head_of_a_table_waits_for_its_divider(head: str, row: str) -> None:
    assert visible_part(head + row) == head


@pytest.mark.parametrize(
    "text",
    [
        "| a | b |\n|---|---|\n",
        "| a | b |\n|---|---|\n|",
        "| a | b |\n|---|---|\n| 1",
        "| a | b |\n|---|---|\n| 1 | 2 |\n",
        "| a | b |\n|---|---|\n| 1 | 2 |\n| 3",
        "| a\nno table",
        "    | code",
        "a | b",
        "| a\n| b\n",
        "| a\n\ntext",
    ],
)
def test_a_table_and_what_is_none_are_shown(text: str) -> None:
    assert visible_part(text) == text


def test_a_row_that_goes_on_is_no_head() -> None:
    assert visible_part("| 21 ", in_table=True) == "| 21 "
    assert visible_part("| 21 |\n|", in_table=True) == "| 21 |\n|"
    assert visible_part("| 21 |\n", in_table=False) == ""


@pytest.mark.parametrize(
    ("text", "shown"),
    [
        ("see [there](", "see [there"),
        ("see [there](https://x.example/Foo_", "see [there"),
        ("see [there](https://x.example/Foo_(bar", "see [there"),
        ("see [there](https://x.example/Foo_(bar)", "see [there"),
        ("see [there](https://x.example/Foo_(bar))", "see [there](https://x.example/Foo_(bar))"),
        ("see [there](x) and [that](y", "see [there](x) and [that"),
        ("see ![picture](https://x", "see ![picture"),
        ("| a |\n|---|\n| [there](https://x", "| a |\n|---|\n| [there"),
        ("](", ""),
        ("f[1](x, y", "f[1](x, y"),
        ("see [1] (and", "see [1] (and"),
        ("[a](" + "b" * 3000, "[a](" + "b" * 3000),
    ],
)
def test_half_an_address_waits_for_its_end(text: str, shown: str) -> None:
    assert visible_part(text) == shown


def test_an_address_without_an_end_is_looked_at_once() -> None:
    text = "[a](" * 50_000 + "(" * 100_000
    assert visible_part(text) == text
