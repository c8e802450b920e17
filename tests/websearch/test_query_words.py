"""When two queries count as the same question: pairs that do, and traps that must not."""

from __future__ import annotations

import pytest

from llamachat.websearch.query_words import query_words, reworded, same_question

SAME = [
    ("Linux kernel, latest?", "what is the linux kernel latest"),
    ("latest linux kernel version", "latest stable linux kernel version"),
    ("What's the tide table of Husum?", "tide table of husum"),
    ("ist das Wetter in Köln morgen schön", "Wetter in Köln morgen schön?"),
    ("ＴＩＤＥ　table", "tide table"),
    ("潮汐表 胡苏姆", "潮汐表　胡苏姆"),
]
DIFFERENT = [
    ("population of Austria", "population of Australia"),
    ("usd to eur", "eur to usd"),
    ("convert five usd to eur", "convert five eur to usd"),
    ("flight from rome to paris today", "flight from paris to rome today"),
    ("vite latest release", "react latest release"),
    ("python 3.11 release notes changes", "python 3.12 release notes changes"),
    ("python release notes new features", "python release notes new features 3.12"),
    ("c vs c++", "c++ vs c"),
    ("learn c fast at home", "learn c++ fast at home"),
    ("aspirin safe for kids use", "aspirin not safe for kids use"),
    ("iran oil price in may", "iraq oil price in may"),
    ("man bites dog", "dog bites man"),
    ("the who", "what"),
    ("año nuevo", "ano nuevo"),
    ("die hard", "hard"),
    ("latest linux kernel", "latest stable linux kernel version"),  # under four words: word for word
    ("tide table husum harbour", "tide table husum harbour low water times"),  # 4 of 7 shared
    ("$5 coffee", "€5 coffee"),
]


@pytest.mark.parametrize(("one", "other"), SAME)
def test_the_same_question(one: str, other: str) -> None:
    assert same_question(query_words(one), query_words(other))
    assert same_question(query_words(other), query_words(one))


@pytest.mark.parametrize(("one", "other"), DIFFERENT)
def test_another_question(one: str, other: str) -> None:
    assert not same_question(query_words(one), query_words(other))
    assert not same_question(query_words(other), query_words(one))


def test_eight_tenths_of_all_words_must_be_shared() -> None:
    four, five, six = "red green blue white", "red green blue white black", "red green blue white black grey"
    assert same_question(query_words(four), query_words(five))
    assert not same_question(query_words(four), query_words(six))


@pytest.mark.parametrize(
    ("one", "other", "same"),
    [
        ("latest linux kernel", "latest stable linux kernel version", True),  # 3 of 5
        ("linux kernel", "latest stable linux kernel version", False),  # 2 of 5
        ("population of Austria", "population of Australia", False),
        ("usd to eur", "eur to usd", False),
        ("linux kernel release", "linux kernel release 6.1", False),
        ("tide husum", "tide husum today", True),
    ],
)
def test_in_a_conversation_less_must_be_shared(one: str, other: str, same: bool) -> None:
    assert reworded(query_words(one), query_words(other)) is same


@pytest.mark.parametrize("query", ["what is the", "???", "", "the the the"])
def test_a_query_of_fillers_and_marks_is_itself(query: str) -> None:
    assert query_words(query)
    assert same_question(query_words(query), query_words(query))
    assert not same_question(query_words(query), query_words("tide table"))
