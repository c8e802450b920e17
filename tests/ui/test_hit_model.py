"""Results of a search stand below their chats, the rest of a chat's behind one row; more come below."""

from __future__ import annotations

from pytestqt.qtbot import QtBot

from llamachat.core.conversation import SearchHit
from llamachat.ui.history_search import HitList
from llamachat.ui.hit_model import HitKind, HitModel, row_text


def hit(chat: int, message: int | None, text: str = "b", *, archived: bool = False) -> SearchHit:
    """A hit in a chat that is called by its number."""
    title = f"Chat {chat}"
    snippet = ("a ", text, " c") if message else ("", title, "")
    return SearchHit(chat, message, title, snippet, 0.0, "user" if message else "", archived)


def shown(model: HitModel) -> list[str]:
    """The rows in short."""
    names = {HitKind.CHAT: "chat {0.conversation_id}", HitKind.MESSAGE: "{0.message_id}", HitKind.MORE: "more"}
    return [names[row.kind].format(row.hit) + (f" {row.more}" if row.more else "") for row in model.rows]


def test_hits_stand_below_their_chats_in_the_order_they_were_found(qtbot: QtBot) -> None:
    model = HitModel()
    model.set_hits([hit(2, None), hit(1, 9), hit(2, 8), hit(1, 7)], has_more=False)
    assert shown(model) == ["chat 2", "8", "chat 1", "9", "7"]
    assert model.found == 4


def test_many_hits_of_a_chat_are_shown_when_asked_for(qtbot: QtBot) -> None:
    model = HitModel()
    model.set_hits([*(hit(1, number) for number in range(9, 4, -1)), hit(2, 4)], has_more=False)
    assert shown(model) == ["chat 1", "9", "8", "7", "more 2", "chat 2", "4"]
    assert row_text(model.rows[4]) == "2 more in this chat"
    model.open_chat(1)
    assert shown(model) == ["chat 1", "9", "8", "7", "6", "5", "chat 2", "4"]


def test_one_more_hit_takes_no_more_room_than_to_say_so(qtbot: QtBot) -> None:
    model = HitModel()
    model.set_hits([hit(1, number) for number in range(4, 0, -1)], has_more=False)
    assert shown(model) == ["chat 1", "4", "3", "2", "1"]


def test_more_hits_go_to_their_chats(qtbot: QtBot) -> None:
    model = HitModel()
    model.set_hits([hit(1, 9), hit(2, 8)], has_more=True)
    with qtbot.waitSignal(model.more_wanted):
        model.fetchMore(model.index(-1))
    model.add_hits([hit(1, 5), hit(3, 4)], has_more=False)
    assert shown(model) == ["chat 1", "9", "5", "chat 2", "8", "chat 3", "4"]
    assert model.found == 4
    assert not model.canFetchMore(model.index(-1))


def test_a_chat_that_was_put_away_says_so(qtbot: QtBot) -> None:
    model = HitModel()
    model.set_hits([hit(1, 9, archived=True)], has_more=False)
    assert row_text(model.rows[0]) == "Chat 1 (archived)"


def test_what_is_in_sight_stays_where_it_is_when_more_is_found(qtbot: QtBot) -> None:
    view = HitList()
    qtbot.addWidget(view)
    view.resize(240, 300)
    view.show()
    view.rows.set_hits([hit(chat, chat) for chat in range(1, 40)], has_more=True)
    view.setCurrentIndex(view.rows.index(view.rows.row_of(30, 30)))
    view.scrollTo(view.currentIndex(), HitList.ScrollHint.PositionAtCenter)
    before = view.visualRect(view.currentIndex())
    view.rows.add_hits([hit(1, 100), hit(2, 101), hit(50, 102)], has_more=False)
    assert view.currentIndex().row() == view.rows.row_of(30, 30)
    assert view.visualRect(view.currentIndex()) == before


def test_a_text_that_fits_on_one_line_takes_one(qtbot: QtBot) -> None:
    view = HitList()
    qtbot.addWidget(view)
    view.resize(240, 300)
    view.show()
    view.rows.set_hits([hit(1, 2), hit(1, 3, "long " * 40)], has_more=False)
    short, long = (view.visualRect(view.rows.index(row)).height() for row in (1, 2))
    assert long - short == view.fontMetrics().lineSpacing()
    view.resize(2400, 300)
    qtbot.waitUntil(lambda: view.visualRect(view.rows.index(2)).height() == short)


def test_the_last_row_of_a_chat_opens_the_rest(qtbot: QtBot) -> None:
    view = HitList()
    qtbot.addWidget(view)
    view.rows.set_hits([hit(1, number) for number in range(9, 0, -1)], has_more=False)
    view.setCurrentIndex(view.rows.index(4))
    with qtbot.assertNotEmitted(view.chosen):
        view.choose_first()
    assert len(shown(view.rows)) == 10
    with qtbot.waitSignal(view.chosen) as chosen:
        view.choose_first()
    assert chosen.args is not None
    assert chosen.args[0].message_id == 6


def test_a_row_is_drawn_with_its_words_marked_and_cut_where_it_ends(qtbot: QtBot) -> None:
    view = HitList()
    qtbot.addWidget(view)
    view.resize(240, 300)
    view.show()
    colours: list[set[str]] = []
    for snippet in (("", "water", " is wet, and so it goes on " * 20), ("", "", "")):
        view.rows.set_hits([SearchHit(1, 2, "Chat", snippet, 0.0, "user")], has_more=False)
        picture = view.grab(view.visualRect(view.rows.index(1))).toImage()
        half = range(picture.height() // 2, picture.height())
        colours.append({picture.pixelColor(x, y).name() for x in range(picture.width()) for y in half})
    drawn, blank = colours
    assert len(blank) == 1
    assert view.painter.match_colour.name() in drawn
    assert len(drawn) > 10
