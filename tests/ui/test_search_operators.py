"""What is offered while a person types into the search: operators, values, and how they are written."""

from __future__ import annotations

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from llamachat.storage.query import OPERATORS
from llamachat.ui.search_operators import offers

VALUES = {
    "role": ("user", "assistant"),
    "has": ("code", "search"),
    "model": ("gemma-3", "Qwen3 8B", "big-gemma"),
    "tag": ("Work", "Two words"),
    "before": ("today", "yesterday"),
}


@pytest.mark.parametrize(
    ("typed", "taken"),
    [
        ("mo", ["model:"]),
        ("bees Ti", ["title:"]),
        ("ta", ["tag:"]),
        ("m", []),
        ("mouse", []),
        ("model:", ['model:"gemma-3" ', 'model:"Qwen3 8B" ', 'model:"big-gemma" ']),
        ("x model:gem", ['model:"gemma-3" ', 'model:"big-gemma" ']),
        ('tag:"two w', ['tag:"Two words" ']),
        ("ROLE:us", ["role:user "]),
        ("role:user", []),
        ("before:", ["before:today ", "before:yesterday ", ""]),
        ("before:2026", []),
        ('"a phrase', []),
        ('"the mo', []),
        ('"the model:', []),
        ('"the end" mo', ["model:"]),
        ("http://x", []),
        ("role:user b", []),
    ],
)
def test_what_fits_is_offered(typed: str, taken: list[str]) -> None:
    assert [offer.text for offer in offers(typed, VALUES)] == taken


@pytest.mark.parametrize(
    ("typed", "whole"),
    [
        ("bees mo", "bees model:"),
        ("bees model:gemma", 'bees model:"gemma-3" '),
        ('tag:"two w', 'tag:"Two words" '),
        ("has:co", "has:code "),
    ],
)
def test_an_offer_takes_the_place_of_what_is_typed_of_it(typed: str, whole: str) -> None:
    offer = offers(typed, VALUES)[0]
    assert typed[: len(typed) - offer.replaced] + offer.text == whole


def test_an_empty_field_tells_all_there_is() -> None:
    told = offers("", {})
    assert {offer.text for offer in told} == {*(f"{name}:" for name in OPERATORS), ""}
    assert [offer.label for offer in told if not offer.text] == ["wor", '"two words"', "-word"]
    assert all(offer.about for offer in told)


@given(st.text(alphabet=st.sampled_from('abmodeltagrl:" -"()\u00e9'), max_size=14))
@settings(deadline=None)
def test_whatever_is_typed_an_offer_keeps_what_stands_before(typed: str) -> None:
    for offer in offers(typed, VALUES):
        assert 0 <= offer.replaced <= len(typed)
