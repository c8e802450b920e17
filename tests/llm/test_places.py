"""Places at a model server: as many at a time as it has slots, then first come, first served."""

from __future__ import annotations

import threading
from collections.abc import Iterator
from contextlib import contextmanager

import pytest

from llamachat.core.cancel import CancelToken
from llamachat.core.errors import Cancelled
from llamachat.llm.places import Place, Places

URL = "http://127.0.0.1:8080"


def made(places: Places, count: int, *, slots: int | None = 2, model: str = "m") -> list[Place]:
    return [places.place(URL, model, slots=slots) for _ in range(count)]


@contextmanager
def waiting(place: Place, cancel: CancelToken, order: list[Place]) -> Iterator[threading.Thread]:
    """A thread that waits for a place and notes that it has it."""

    def wait() -> None:
        try:
            place.wait(cancel)
        except Cancelled:
            return
        order.append(place)

    thread = threading.Thread(target=wait)
    thread.start()
    yield thread
    cancel.cancel()
    thread.join(10)
    assert not thread.is_alive()


def test_as_many_enter_as_there_are_slots() -> None:
    first, second, third = made(Places(), 3)
    assert first.enter()
    assert second.enter()
    assert not third.enter()


def test_another_model_and_another_server_have_places_of_their_own() -> None:
    places = Places()
    assert places.place(URL, "a", slots=1).enter()
    assert places.place(URL, "b", slots=1).enter()
    assert places.place("http://other", "a", slots=1).enter()
    assert not places.place(URL, "a", slots=1).enter()


def test_without_a_known_number_all_enter() -> None:
    assert all(place.enter() for place in made(Places(), 5, slots=None))


def test_who_waited_first_comes_in_first() -> None:
    first, second, third, fourth = made(Places(), 4)
    order: list[Place] = []
    tokens = CancelToken(), CancelToken()
    assert [first.enter(), second.enter(), third.enter(), fourth.enter()] == [True, True, False, False]
    with waiting(fourth, tokens[1], order) as later, waiting(third, tokens[0], order) as earlier:
        first.leave()
        earlier.join(10)
        assert order == [third]
        second.leave()
        later.join(10)
        assert order == [third, fourth]


def test_nobody_passes_those_who_wait() -> None:
    first, second, third = made(Places(), 3, slots=1)
    assert first.enter()
    assert not second.enter()
    first.leave()
    assert not third.enter()  # the place is the second one's, who has not looked yet
    second.wait(CancelToken())


def test_stop_ends_the_wait_and_lets_the_next_one_move_up() -> None:
    first, second, third = made(Places(), 3, slots=1)
    order: list[Place] = []
    stop = CancelToken()
    assert [first.enter(), second.enter(), third.enter()] == [True, False, False]
    with waiting(third, CancelToken(), order) as last:
        stop.cancel()
        with pytest.raises(Cancelled):
            second.wait(stop)
        second.leave()
        first.leave()
        last.join(10)
        assert order == [third]


def test_leaving_twice_frees_one_place() -> None:
    first, second, third = made(Places(), 3)
    assert first.enter()
    first.leave()
    first.leave()
    assert second.enter()
    assert third.enter()
    assert not first.enter()
