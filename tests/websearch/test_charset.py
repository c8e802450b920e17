"""Old pages in old encodings read as they were written."""

from __future__ import annotations

import codecs

import pytest

from llamachat.websearch.charset import decoded

JAPANESE = "日本の天気は今日晴れです。明日は雨が降るでしょう。"
CHINESE = "今天天气很好，我们去公园散步。"
RUSSIAN = "Сегодня хорошая погода, и мы пойдём гулять в парк."
GERMAN = "Über Größe und Straße: „schöne Äpfel“ – 5 €."
POLISH = "Zażółć gęślą jaźń, piękny dzień w Łodzi i Gdańsku."
GREEK = "Σήμερα ο καιρός είναι καλός και θα πάμε στο πάρκο."
KOREAN = "오늘 날씨가 좋아서 공원에 산책하러 갑니다."


def page(text: str, encoding: str, label: str = "") -> bytes:
    """A page that names its encoding in its head, or not."""
    meta = f'<meta charset="{label}">' if label else ""
    return f"<html><head>{meta}</head><p>{text}</p>".encode(encoding)


@pytest.mark.parametrize(
    ("text", "encoding", "label"),
    [
        (JAPANESE, "cp932", "Shift_JIS"),
        (JAPANESE, "euc_jp", "EUC-JP"),
        (JAPANESE, "iso2022_jp", "iso-2022-jp"),
        (CHINESE, "gb18030", "GB2312"),
        (CHINESE + "镕€㐀", "gb18030", "gb2312"),  # not in GB 2312 itself
        (CHINESE, "gbk", "gbk"),
        ("中文繁體網頁", "big5", "Big5"),
        (KOREAN, "cp949", "ks_c_5601-1987"),
        (RUSSIAN, "cp1251", "windows-1251"),
        (RUSSIAN, "koi8-r", "KOI8-R"),
        (GERMAN, "cp1252", "iso-8859-1"),  # browsers read windows-1252
        (GERMAN, "cp1252", "windows-1252"),
        (POLISH, "iso8859-2", "iso-8859-2"),
        (GREEK, "cp1253", "windows-1253"),
        (GERMAN, "utf-8", "utf-16"),  # that cannot be: the label itself is read as ASCII
    ],
)
def test_what_is_declared(text: str, encoding: str, label: str) -> None:
    assert text in decoded(page(text, encoding, label))
    assert text in decoded(page(text, encoding), label if label != "utf-16" else "")
    old_meta = f'<meta http-equiv="Content-Type" content="text/html; charset={label}">'.encode()
    assert text in decoded(old_meta + page(text, encoding))


@pytest.mark.parametrize(
    ("mark", "encoding"),
    [(codecs.BOM_UTF8, "utf-8"), (codecs.BOM_UTF16_LE, "utf-16-le"), (codecs.BOM_UTF16_BE, "utf-16-be")],
)
def test_a_byte_order_mark_counts_most(mark: bytes, encoding: str) -> None:
    assert decoded(mark + GERMAN.encode(encoding), "windows-1251") == GERMAN


def test_the_server_counts_more_than_the_page_unless_it_is_plainly_wrong() -> None:
    assert GERMAN in decoded(page(GERMAN, "utf-8", "gbk"), "utf-8")
    assert GERMAN in decoded(page(GERMAN, "cp1252", "windows-1252"), "utf-8")
    assert JAPANESE in decoded(page(JAPANESE, "cp932", "shift_jis"), "utf-8")


@pytest.mark.parametrize(
    "label", ["visual", "base64", "zlib", "rot13", "utf-7", "idna", "unicode_escape", "x" * 40, "", "none"]
)
def test_other_labels_are_ignored(label: str) -> None:
    assert GERMAN in decoded(page(GERMAN, "utf-8", label), label)


@pytest.mark.parametrize(
    ("text", "encoding"),
    [
        (GERMAN, "utf-8"),
        (GERMAN, "cp1252"),
        ("Größe", "cp1252"),
        (JAPANESE * 3, "cp932"),
        (JAPANESE * 3, "euc_jp"),
        (CHINESE * 3, "gb18030"),
        (RUSSIAN * 3, "cp1251"),
        (RUSSIAN * 3, "koi8-r"),
        (GREEK * 3, "cp1253"),
        (KOREAN * 3, "cp949"),
        ("Été à la plage, où les élèves mangent des pâtes près du café français. " * 3, "cp1252"),
        ("El niño comió la piña más pequeña en España, ¿cuándo volverá él mañana? " * 3, "cp1252"),
    ],
)
def test_what_is_not_declared_is_known_by_its_bytes(text: str, encoding: str) -> None:
    assert text in decoded(page(text, encoding))


def test_polish_is_known_where_the_page_says_that_it_is_polish() -> None:
    body = b'<html lang="pl"><p>' + (POLISH * 3).encode("cp1250")
    assert POLISH in decoded(body)


def test_one_wrong_byte_changes_nothing_else() -> None:
    text = decoded(GERMAN.encode() + b"\xff and " + GERMAN.encode(), "utf-8")
    assert text == f"{GERMAN}\ufffd and {GERMAN}"


def test_xml_says_it_in_its_first_line() -> None:
    assert RUSSIAN in decoded(b'<?xml version="1.0" encoding="windows-1251"?><a>' + RUSSIAN.encode("cp1251"))


@pytest.mark.parametrize("body", [b"", b"\xff", bytes(range(256)), b"\xff\xfe", b"<meta charset=" * 1000])
def test_nothing_is_too_odd(body: bytes) -> None:
    assert isinstance(decoded(body, "\x00"), str)
