"""How texts and queries are cut into words, without a database."""

from __future__ import annotations

import pytest

from llamachat.storage.index_text import begin_words, folded, folded_with_origins, index_text, query_terms


def words_of(text: str) -> list[str]:
    """The words in the index but for the short beginnings."""
    return [word for word in index_text(text).lower().split() if not word.startswith("¦")]


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("Ångström café STRASSE straße", "angstrom cafe strasse strasse"),
        ("Łódź Øre Æsop", "lodz ore aesop"),
        ("ＦＵＬＬ　ｗｉｄｔｈ", "full width"),
        ("ﬁne ①", "fine 1"),
        ("«quoted» – dash… 、。", "quoted dash"),
        ("が か\u3099 ガ", "が が ガ"),
        ("cafe\u0301", "cafe"),
        ("İstanbul ısı", "istanbul isi"),
        ("שָׁלוֹם", "שלום"),
        ("❤\ufe0f", "❤"),
    ],
)
def test_letters_are_folded_and_marks_become_spaces(text: str, expected: str) -> None:
    assert folded(text).split() == expected.split()


def test_each_folded_character_knows_where_it_comes_from() -> None:
    text = "aßﬁ–É"
    whole, origins = folded_with_origins(text)
    assert whole == "assfi e"
    assert [text[origin] for origin in origins] == ["a", "ß", "ß", "ﬁ", "ﬁ", "–", "É"]


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("花园灌溉", ["花园", "园灌", "灌溉", "溉"]),
        ("更新cfg后", ["更新", "新", "cfg", "后"]),
        ("ｶﾞｰﾃﾞﾝ", ["ガー", "ーデ", "デン", "ン"]),
        ("부산의", ["부산", "산의", "의"]),
        ("ไทย", ["ไท", "ทย", "ย"]),
        ("𠀀𠀁", ["𠀀𠀁", "𠀁"]),
        ("ok 🎉🎊", ["ok", "🎉🎊", "🎊"]),
        ("हिन्दी", ["हिन्दी"]),
    ],
)
def test_scripts_without_spaces_are_cut_into_pairs(text: str, expected: list[str]) -> None:
    assert words_of(text) == expected


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("loadHttpConfig", ["loadhttpconfig", "httpconfig", "config"]),
        ("HTTPServer", ["httpserver", "server"]),
        ("parseHTML5Doc()", ["parsehtml5doc()", "html5doc", "doc"]),
        ("CAPITALS Title lower x", ["capitals", "title", "lower", "x"]),
        ("größe loadÄnderung fooBar", ["grosse", "loadanderung", "foobar", "bar"]),
    ],
)
def test_the_ends_of_camel_case_words_are_added(text: str, expected: list[str]) -> None:
    assert words_of(text) == expected


def test_data_adds_no_ends() -> None:
    blob = "aB1" * 40
    assert words_of(blob) == [blob.lower()]
    assert len(words_of("aB" * 20)) == 1 + 8


def test_beginnings_stand_in_the_index_once() -> None:
    beginnings = [word for word in index_text("the theory 花园 x").split() if word.startswith("¦")]
    assert beginnings == ["¦t", "¦th", "¦the", "¦theo", "¦x", "¦园", "¦花"]


@pytest.mark.parametrize(
    ("text", "beginnings", "expected"),
    [
        ("the theory of bees", ["theor", "bees"], True),
        ("the theory of bees", ["theor", "heory"], False),
        ("Ångström-Straße", ["angstr", "strasse"], True),
        ("loadHttpConfig()", ["confi", "loadh"], True),
        ("loadHttpConfig()", ["onfig"], False),
        ("更新config后", ["confi"], True),
        ("größe_loadedLater", ["loadedlat"], True),
        ("größe_loadedLater", ["later"], True),
        ("", ["theor"], False),
    ],
)
def test_words_of_a_text_begin_as_in_the_index(text: str, beginnings: list[str], expected: bool) -> None:
    assert begin_words(text, beginnings) is expected


@pytest.mark.parametrize(
    ("query", "phrases"),
    [
        ("garden", ['"garden"*']),
        ("gard*", ['"¦gard"']),
        ("the", ['"¦the"']),
        ("ro*", ['"¦ro"']),
        ("r*", ['"¦r"']),
        ("C++", ['"c"']),
        ("KAB-417", ['"kab 417"*']),
        ("a.b@example.org", ['"a b example org"*']),
        ("std::map", ['"std map"*']),
        ("foo(bar)", ['"¦foo"', '"¦bar"']),
        ("NOT jazz", ['"¦not"', '"¦jazz"']),
        ("NEAR(rock roll)", ['"¦near"', '"¦rock"', '"¦roll"']),
        ('"of the" end', ['"of the"', '"¦end"']),
        ('say "hel', ['"¦say"', '"¦hel"']),
        ("花", ['"¦花"']),
        ("种植计划", ['"种植 植计 计划"*']),
        ("更新cfg", ['"更新 新 cfg"*']),
        ("word word", ['"¦word"']),
        ("content:x", ['"content x"']),
        ("¦the", ['"¦the"']),
        ("*", []),
        ("{} : ^ - + ' \" ( ) ; --", []),
        ("", []),
    ],
)
def test_a_query_becomes_quoted_terms(query: str, phrases: list[str]) -> None:
    assert [term.phrase for term in query_terms(query)] == phrases
