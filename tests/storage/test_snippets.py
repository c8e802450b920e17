"""The pieces of a snippet: odd ones are what was searched for."""

from __future__ import annotations

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from llamachat.storage.index_text import composed, folded, query_terms
from llamachat.storage.snippets import hits_in, snippet


def marked(text: str, query: str) -> str:
    """The snippet with its hits in brackets."""
    pieces = snippet(text, query_terms(query))
    return "".join(f"[{piece}]" if number % 2 else piece for number, piece in enumerate(pieces))


@pytest.mark.parametrize(
    ("text", "query", "expected"),
    [
        ("A gardener gardens", "garden", "A [garden]er [garden]s"),
        ("Ångström in a café", "cafe angstrom", "[Ångström] in a [café]"),
        ("die STRASSE, der Spaß", "straße", "die [STRASSE], der Spaß"),
        ("eine große Straße", "strasse", "eine große [Straße]"),
        ("see KAB-417: done", "kab 417", "see [KAB]-[417]: done"),
        ("see KAB-417: done", "KAB-417", "see [KAB-417]: done"),
        ("micro rock", "ro*", "micro [ro]ck"),
        ("C++ and Cobol", "C++", "[C]++ and Cobol"),
        ("loadHttpConfig(x)", "http", "load[Http]Config(x)"),
        ("load_http_config", "http_config", "load_[http_config]"),
        ("更新cfg后完成", "cfg", "更新[cfg]后完成"),
        ("花园灌溉与种植计划", "种植计划 花", "[花]园灌溉与[种植计划]"),
        ("one\n\n  two\tthree", "two", "one [two] three"),
        ("overlap over", "over overlap", "[over]lap [over]"),
        ('the "of the" rule', '"of the"', 'the "[of the]" rule'),
        ("then the end", '"the"', "then [the] end"),
        ("cafe\u0301 noir", "cafe", "[café] noir"),
        ("<b>bold</b>", "bold", "<b>[bold]</b>"),
        ("nothing here", "absent", "nothing here"),
    ],
)
def test_hits_are_marked(text: str, query: str, expected: str) -> None:
    assert marked(text, query) == expected


def test_a_long_text_is_cut_at_words_around_the_first_hit() -> None:
    text = "before " * 100 + "needle " + "after " * 100
    shown = marked(text, "needle")
    assert shown.startswith("… before before")
    assert "before [needle] after" in shown
    assert shown.endswith("after …")
    assert len(shown) < 180


def test_a_hit_at_the_end_of_a_long_text_is_shown() -> None:
    assert marked("x" * 5000 + " needle", "needle").endswith("[needle]")
    assert marked("花" * 500 + "园", "园").endswith("花[园]")


def test_a_long_text_without_spaces_is_cut_too() -> None:
    assert len(marked("花园" * 500, "园花")) < 400
    assert len(snippet("a" * 5000, query_terms("aaa"))) == 3


@given(st.text(alphabet=st.sampled_from("abBcé\u0301ßİ_ -.蜜蜂ｶﾞ🎉1\n"), max_size=40), st.text(max_size=6))
@settings(deadline=None, max_examples=300)
def test_every_place_of_a_word_lies_in_the_text(text: str, query: str) -> None:
    whole = composed(text)
    for word in {query, *whole.split()}:
        terms = query_terms(word)
        places = hits_in(whole, terms)
        assert places == sorted(places)
        for start, end in places:
            assert 0 <= start < end <= len(whole)
            assert any(folded(whole[start:end]).split()[:1] for _ in terms)


def test_the_places_of_words_are_told() -> None:
    text = "Cafés and bees, loadBees; the café."
    assert [text[start:end] for start, end in hits_in(text, query_terms("cafe bee"))] == [
        "Café",
        "bee",
        "Bee",
        "café",
    ]
    assert hits_in(text, query_terms('"and bees"')) == [(6, 14)]
    assert hits_in("", query_terms("bee")) == []


def test_marks_in_an_odd_order_are_counted_as_they_stand() -> None:
    whole = composed("\u0301ﾞ")  # an accent and the mark that voices kana, both on nothing
    assert whole == "\u0301\u3099"
    assert hits_in(whole, query_terms(whole)) == [(1, 2)]
