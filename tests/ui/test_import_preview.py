"""What a look through files has found, in sentences; and the rows of its chats."""

from __future__ import annotations

import pytest
from PySide6.QtCore import QObject, Qt

from llamachat.storage.imported import Arrival, Fate
from llamachat.transfer.reading import Reading
from llamachat.ui.import_model import FATE, MESSAGES, TITLE, ImportModel
from llamachat.ui.import_preview import Preview, done_sentence, found_sentence, remarks

DAY_S = 86_400.0  # from noon of a day in UTC, which is the same day nearly everywhere


def arrival(number: int, fate: Fate = Fate.NEW, *, messages: int = 4, branches: bool = False) -> Arrival:
    return Arrival(
        uid=str(number),
        title=f"Chat {number}",
        updated_at=1_699_963_200.0 + number * DAY_S,
        fate=fate,
        added_messages=messages if fate is not Fate.KNOWN else 0,
        messages=messages,
        has_branches=branches,
    )


def test_the_chats_are_summed_up_in_a_sentence() -> None:
    chats = (arrival(0), arrival(10, messages=6, branches=True), arrival(3))
    found = found_sentence(Preview(chats, Reading(formats=["ChatGPT", "Jan"])))
    assert found == "ChatGPT, Jan: 3 chats with 14 messages, from 2023-11-14 to 2023-11-24, 1 of them with versions."
    one = found_sentence(Preview((arrival(0, messages=1),), Reading(formats=["Jan"])))
    assert one == "Jan: 1 chat with 1 message, of 2023-11-14."


def test_what_is_here_and_what_is_left_out_is_told() -> None:
    chats = (arrival(0, Fate.KNOWN), arrival(1, Fate.KNOWN), arrival(2, Fate.GROWN), arrival(3, Fate.RESTORED))
    told = list(remarks(Preview(chats, Reading(attachments=2))))
    assert [sentence.split()[0] for sentence in told] == ["2", "1", "1", "Of"]
    assert list(remarks(Preview((arrival(1),), Reading()))) == []


def test_the_end_says_what_came() -> None:
    assert done_sentence([arrival(1), arrival(2, Fate.RESTORED)]) == "2 chats were imported."
    assert done_sentence([arrival(1), arrival(2, Fate.GROWN)]) == ("1 chat was imported. 1 chat has new messages.")
    assert done_sentence([arrival(2, Fate.GROWN), arrival(3, Fate.KNOWN)]) == "1 chat has new messages."
    assert done_sentence([]) == "0 chats were imported."


@pytest.fixture
def model(owner: QObject) -> ImportModel:
    model = ImportModel(owner)
    model.show([arrival(0), arrival(9, Fate.KNOWN), arrival(5, Fate.GROWN, messages=7)])
    return model


def test_rows_stand_with_the_newest_first(model: ImportModel) -> None:
    rows = [[model.index(row, column).data() for column in (TITLE, MESSAGES, FATE)] for row in range(3)]
    assert rows == [["Chat 9", "4", "is here"], ["Chat 5", "7", "7 are new"], ["Chat 0", "4", "new"]]


def test_what_is_ticked_stays_so_while_others_are_shown(model: ImportModel) -> None:
    assert [chosen.title for chosen in model.chosen] == ["Chat 5", "Chat 0"]
    model.find("CHAT 0")
    model.tick_shown(on=False)
    model.find("")
    assert [chosen.title for chosen in model.chosen] == ["Chat 5"]
    model.tick_shown(on=True)
    assert [chosen.title for chosen in model.chosen] == ["Chat 5", "Chat 0"]
    assert not model.flags(model.index(0, TITLE)) & Qt.ItemFlag.ItemIsUserCheckable
    assert model.flags(model.index(1, TITLE)) & Qt.ItemFlag.ItemIsUserCheckable
