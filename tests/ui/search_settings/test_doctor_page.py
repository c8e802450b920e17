"""The page of the search doctor: steps as they come, Stop, and a lane that ends."""

from __future__ import annotations

import threading
from collections.abc import Iterator

import pytest
from PySide6.QtCore import QObject
from PySide6.QtWidgets import QApplication
from pytestqt.qtbot import QtBot

from llamachat.core.cancel import CancelToken
from llamachat.core.check_step import CheckStep
from llamachat.ui.search_settings.doctor_page import DoctorPage
from llamachat.ui.tasks import Lane
from tests.ui.search_settings.conftest import ON, SEARXNG, Open


class Doctor:
    """Steps that a test lets through one by one."""

    def __init__(self) -> None:
        self.gate = threading.Semaphore(0)
        self.steps = [CheckStep("It is on", ok=True), CheckStep("It answers", ok=False, detail="No. Start it.")]
        self.stopped, self.over = threading.Event(), threading.Event()
        self.heeds = True

    def examine(self, cancel: CancelToken) -> Iterator[CheckStep]:
        """Wait before each step, and at the end."""
        with cancel.on_cancel(self.gate.release):
            for step in self.steps:
                self._wait(cancel)
                yield step
            self._wait(cancel)
        self.over.set()

    def _wait(self, cancel: CancelToken) -> None:
        self.gate.acquire()
        if cancel.cancelled and self.heeds:
            self.stopped.set()
            cancel.raise_if_cancelled()


@pytest.fixture
def doctor() -> Doctor:
    """Fresh."""
    return Doctor()


@pytest.fixture
def ends() -> CancelToken:
    """Set when the lane is to end."""
    return CancelToken()


@pytest.fixture
def page(qtbot: QtBot, owner: QObject, doctor: Doctor, ends: CancelToken) -> Iterator[DoctorPage]:
    """The page on a lane of its own."""

    def ignore(_: object) -> None:
        return None

    lane = Lane("test", opened=lambda: ends, closed=ignore, failed=ignore, parent=owner)
    page = DoctorPage(doctor.examine, lane)
    qtbot.addWidget(page)
    page.show()
    yield page
    ends.cancel()
    assert lane.close()


def names(page: DoctorPage) -> list[str]:
    return [step.name for step in page.steps.steps]


def test_steps_are_shown_as_they_come(qtbot: QtBot, page: DoctorPage, doctor: Doctor) -> None:
    assert not page.stop.isVisible()
    page.start.click()
    assert (page.start.isEnabled(), page.stop.isVisible()) == (False, True)
    doctor.gate.release()
    qtbot.waitUntil(lambda: names(page) == ["It is on"])
    doctor.gate.release()
    qtbot.waitUntil(lambda: names(page) == ["It is on", "It answers"])
    assert page.running
    with qtbot.waitSignal(page.ended):
        doctor.gate.release()
    assert page.state.text() == "Mend what has a cross, then look again."
    assert (page.start.isEnabled(), page.stop.isVisible()) == (True, False)


def test_stop_ends_it_and_a_new_run_begins_with_nothing(qtbot: QtBot, page: DoctorPage, doctor: Doctor) -> None:
    page.run()
    doctor.gate.release()
    qtbot.waitUntil(lambda: names(page) == ["It is on"])
    page.stop.click()
    assert page.state.text() == "Stopped."
    qtbot.waitUntil(doctor.stopped.is_set)
    doctor.steps = [CheckStep("It is on", ok=True)]
    page.run()
    assert names(page) == []
    with qtbot.waitSignal(page.ended):
        doctor.gate.release(2)
    assert page.state.text() == "All is well."


def test_what_comes_after_stop_is_not_shown(qtbot: QtBot, page: DoctorPage, doctor: Doctor) -> None:
    doctor.heeds = False
    page.run()
    page.stop.click()  # lets one step through
    doctor.gate.release(2)
    qtbot.waitUntil(doctor.over.is_set)
    QApplication.processEvents()  # what it told lies there by now
    assert names(page) == []
    assert page.state.text() == "Stopped."


def test_a_lane_that_ends_stops_it(qtbot: QtBot, page: DoctorPage, doctor: Doctor, ends: CancelToken) -> None:
    page.run()
    doctor.gate.release()
    qtbot.waitUntil(lambda: names(page) == ["It is on"])
    ends.cancel()
    qtbot.waitUntil(doctor.stopped.is_set)


def test_the_test_button_runs_the_real_doctor(opened: Open) -> None:
    it = opened(ON + SEARXNG)
    it.search.test.click()
    assert it.dialog.tabs.currentWidget() is it.dialog.doctor
    it.until(lambda: not it.dialog.doctor.running)
    first, *_, last = it.dialog.doctor.steps.steps
    assert (first.ok, last.ok) == (True, False)
    assert "not reachable" in last.detail
    it.dialog.tabs.setCurrentWidget(it.search)
    it.until(lambda: "Sent: 1" in it.search.guard.text())


def test_what_is_not_applied_cannot_be_tested(opened: Open) -> None:
    it = opened(ON + SEARXNG)
    assert it.search.test.isEnabled()
    it.search.provider.searxng_url.set_value("http://127.0.0.1:8")
    assert not it.search.test.isEnabled()
