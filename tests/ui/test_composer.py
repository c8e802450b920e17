"""The message field and its buttons: keys, input methods, growth, Send and Stop."""

from __future__ import annotations

import pytest
from PySide6.QtCore import QEvent, QMimeData, QObject, Qt
from PySide6.QtGui import QInputMethodEvent, QKeyEvent, QPaintEvent, QTextOption
from PySide6.QtWidgets import QApplication
from pytestqt.qtbot import QtBot

from llamachat.ui.composer import MAX_LINES, Composer


@pytest.fixture
def composer(qtbot: QtBot) -> Composer:
    """A composer on the screen."""
    composer = Composer()
    qtbot.addWidget(composer)
    composer.resize(500, 200)
    composer.show()
    return composer


@pytest.fixture
def sent(composer: Composer) -> list[str]:
    """What was sent."""
    texts: list[str] = []
    composer.sent.connect(texts.append)
    return texts


def press(composer: Composer, key: Qt.Key, text: str = "", *, shift: bool = False) -> None:
    """A key that reaches the field."""
    modifier = Qt.KeyboardModifier.ShiftModifier if shift else Qt.KeyboardModifier.NoModifier
    QApplication.sendEvent(composer.edit, QKeyEvent(QEvent.Type.KeyPress, key, modifier, text))


def compose(composer: Composer, preedit: str, commit: str = "") -> None:
    """What an input method sends."""
    event = QInputMethodEvent(preedit, [])
    event.setCommitString(commit)
    QApplication.sendEvent(composer.edit, event)


def paste(composer: Composer, text: str) -> None:
    """What the clipboard hands over."""
    data = QMimeData()
    data.setText(text)
    composer.edit.insertFromMimeData(data)


@pytest.mark.parametrize("key", [Qt.Key.Key_Return, Qt.Key.Key_Enter])
def test_enter_sends_and_leaves_the_text(composer: Composer, sent: list[str], key: Qt.Key) -> None:
    composer.edit.setPlainText("Why?\n  indented")
    press(composer, key, "\r")
    assert sent == ["Why?\n  indented"]
    assert composer.text == "Why?\n  indented"


def test_shift_enter_breaks_the_line(composer: Composer, sent: list[str]) -> None:
    composer.edit.insertPlainText("a")
    press(composer, Qt.Key.Key_Return, "\r", shift=True)
    composer.edit.insertPlainText("b")
    assert composer.text == "a\nb"
    assert sent == []


def test_enter_while_composing_does_neither(composer: Composer, sent: list[str]) -> None:
    composer.edit.insertPlainText("a")
    compose(composer, "に")
    press(composer, Qt.Key.Key_Return, "\r")
    assert (composer.text, sent) == ("a", [])
    compose(composer, "", "日")
    press(composer, Qt.Key.Key_Return, "\r")
    assert sent == ["a日"]


def test_a_composition_that_is_given_up_ends(composer: Composer, sent: list[str]) -> None:
    composer.edit.insertPlainText("a")
    compose(composer, "に")
    compose(composer, "")
    press(composer, Qt.Key.Key_Return, "\r")
    assert sent == ["a"]


@pytest.mark.parametrize("text", ["", " \n\t "])
def test_nothing_is_not_sent(composer: Composer, sent: list[str], text: str) -> None:
    composer.edit.setPlainText(text)
    press(composer, Qt.Key.Key_Return, "\r")
    assert not composer.send.isEnabled()
    assert sent == []


def test_send_becomes_stop(qtbot: QtBot, composer: Composer, sent: list[str]) -> None:
    composer.edit.setPlainText("next question")
    composer.set_running(True)
    assert composer.send.accessibleName() == "Stop"
    press(composer, Qt.Key.Key_Return, "\r")
    assert sent == []
    with qtbot.waitSignal(composer.stop_requested):
        composer.send.click()
    composer.set_running(True, stopping=True)
    assert not composer.send.isEnabled()
    composer.set_running(False)
    assert composer.send.accessibleName() == "Send"
    composer.send.click()
    assert sent == ["next question"]


def test_stop_can_be_pressed_with_an_empty_field(composer: Composer) -> None:
    composer.set_running(True)
    assert composer.send.isEnabled()
    composer.set_running(False)
    assert not composer.send.isEnabled()


def test_held_text_can_be_read_and_not_changed(composer: Composer, sent: list[str]) -> None:
    composer.edit.setPlainText("on its way")
    composer.hold(True)
    press(composer, Qt.Key.Key_X, "x")
    press(composer, Qt.Key.Key_Return, "\r")
    assert (composer.text, sent) == ("on its way", [])
    composer.hold(False)
    press(composer, Qt.Key.Key_Return, "\r")
    assert sent == ["on its way"]


def test_the_field_grows_to_its_limit_and_shrinks(qtbot: QtBot, composer: Composer) -> None:
    heights = []
    for lines in (1, 2, MAX_LINES, MAX_LINES + 5):
        composer.edit.setPlainText("\n".join("x" * lines))
        heights.append(composer.edit.height())
    assert heights[0] < heights[1] < heights[2] == heights[3]
    composer.edit.setPlainText("")
    assert composer.edit.height() == heights[0]


def test_a_long_word_breaks_and_grows_the_field(composer: Composer) -> None:
    low = composer.edit.height()
    composer.edit.setPlainText("W" * 400)
    assert composer.edit.height() > low
    assert not composer.edit.horizontalScrollBar().isVisible()


def test_setting_a_text_announces_nothing(qtbot: QtBot, composer: Composer) -> None:
    with qtbot.assertNotEmitted(composer.text_changed):
        composer.set_text("a draft")
    assert composer.send.isEnabled()
    assert composer.edit.textCursor().atEnd()
    with qtbot.waitSignal(composer.text_changed):
        composer.edit.insertPlainText("!")


def test_pasted_text_is_plain_and_clean(composer: Composer) -> None:
    data = QMimeData()
    data.setHtml("<b>bold</b>")
    data.setText("bold\0 \U0001f600")
    composer.edit.insertFromMimeData(data)
    assert composer.text == "bold \U0001f600"


def wraps_anywhere(composer: Composer) -> bool:
    return composer.edit.wordWrapMode() is QTextOption.WrapMode.WrapAnywhere


@pytest.mark.parametrize("text", ["a" * 5000, "words before " + "b" * 1000 + "\nand after", "漢字" * 3000])
def test_a_word_without_end_is_laid_out_without_looking_for_it(composer: Composer, text: str) -> None:
    document, laid_out = composer.edit.document(), list[bool]()

    def note_wrapping() -> None:
        if document.firstBlock().layout().lineCount() > 1:
            laid_out.append(wraps_anywhere(composer))

    document.documentLayout().documentSizeChanged.connect(note_wrapping)
    paste(composer, text)
    composer.edit.undo()
    assert not wraps_anywhere(composer)
    composer.edit.redo()
    composer.set_text("")
    composer.set_text(text)
    assert composer.text == text
    assert len(laid_out) >= 3
    assert all(laid_out)


def test_two_words_that_become_a_long_one_wrap_anywhere(composer: Composer) -> None:
    composer.set_text("a" * 600 + " " + "b" * 600)
    assert not wraps_anywhere(composer)
    cursor = composer.edit.textCursor()
    cursor.setPosition(600)
    cursor.deleteChar()
    assert wraps_anywhere(composer)


@pytest.mark.parametrize("text", ["word " * 1000, ("x" * 300 + "\n") * 20])
def test_words_are_kept_whole_in_long_texts(composer: Composer, text: str) -> None:
    paste(composer, text)
    assert not wraps_anywhere(composer)


def test_while_an_answer_is_written_enter_queues(composer: Composer, sent: list[str]) -> None:
    queued: list[str] = []
    composer.queued.connect(queued.append)
    composer.set_running(True)
    assert composer.queue.isHidden()
    assert composer.edit.placeholderText() == "Write the next message"
    composer.edit.setPlainText("And then?")
    assert composer.queue.isVisible()
    press(composer, Qt.Key.Key_Return, "\r")
    composer.queue.click()
    assert (sent, queued) == ([], ["And then?", "And then?"])
    composer.hold(held=True)  # it is on its way into the store
    press(composer, Qt.Key.Key_Return, "\r")
    assert len(queued) == 2
    assert composer.queue.isHidden()


def test_the_hint_in_the_empty_field_is_painted_anew(qtbot: QtBot, composer: Composer) -> None:
    painted: list[int] = []

    class Watch(QObject):
        def eventFilter(self, watched: QObject, event: QEvent) -> bool:
            if isinstance(event, QPaintEvent):
                painted.append(event.rect().width())
            return super().eventFilter(watched, event)

    composer.edit.clearFocus()
    composer.set_running(True)
    qtbot.wait(50)
    watch = Watch(composer)
    composer.edit.viewport().installEventFilter(watch)
    composer.set_running(False)
    qtbot.waitUntil(lambda: composer.edit.viewport().width() in painted)
