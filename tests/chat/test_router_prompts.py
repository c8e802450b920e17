"""What the model is told when it is asked aside: the fixed texts say what they have to."""

from __future__ import annotations

import pytest

from llamachat.chat.router_prompts import DECIDE, OPTIMIZE, WRITE_QUERY


@pytest.mark.claim("ST-014")
def test_queries_stay_in_the_users_language_and_typing_mistakes_are_mended() -> None:
    assert "in the language of the message" in OPTIMIZE
    assert "typing mistakes mended" in OPTIMIZE
    assert "in the language of the message" in WRITE_QUERY


def test_nothing_in_them_changes_from_day_to_day() -> None:
    for text in (DECIDE, OPTIMIZE, WRITE_QUERY):
        assert "{" not in text.replace('{"query"', "")
        assert "today" not in text.lower()
