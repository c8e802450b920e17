"""The states of the window of the web search that there are pictures of."""

from __future__ import annotations

from collections.abc import Iterator

from PySide6.QtWidgets import QWidget

from tests.end2end.stage import Stage


def search_settings_states(shown: Stage) -> Iterator[tuple[str, QWidget]]:
    """Brings it into one state after the other: in use, doctor, journal, a third party, off; (name, window)."""
    shown.window.settings.open_search()
    dialog = shown.window.settings.dialog
    assert dialog is not None
    yield "search-settings", dialog
    dialog.search.test.click()
    shown.until(lambda: not dialog.doctor.running)
    yield "search-doctor", dialog
    dialog.tabs.setCurrentWidget(dialog.journal)
    shown.until(dialog.journal.model.rowCount)
    dialog.journal.table.selectRow(0)
    yield "search-journal", dialog
    dialog.tabs.setCurrentWidget(dialog.search)
    dialog.search.provider.provider.set_value("brave")
    dialog.search.reading.switch.box.click()
    dialog.search.reading.reader.set_value("jina")
    shown.until(dialog.search.reading.suited.isVisible)
    dialog.resize(420, 1000)
    yield "search-third-party-narrow", dialog
    dialog.search.enabled.box.click()
    yield "search-off-narrow", dialog
