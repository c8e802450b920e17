"""The page of the settings proper. Everything but the switch is there only while search is switched on."""

from __future__ import annotations

from collections.abc import Mapping

from PySide6.QtCore import Qt, Signal
from PySide6.QtWidgets import QFrame, QHBoxLayout, QLabel, QPushButton, QScrollArea, QVBoxLayout, QWidget

from llamachat.config.schema import Config
from llamachat.core.cancel import CancelToken
from llamachat.core.text import tr
from llamachat.key_store import KeyStore
from llamachat.ui.labels import WrapLabel
from llamachat.ui.search_settings.fields import Choice, Field, Number, Switch
from llamachat.ui.search_settings.install_searxng import InstallSearxng
from llamachat.ui.search_settings.provider_fields import ProviderFields
from llamachat.ui.search_settings.reading_fields import ReadingFields
from llamachat.ui.tasks import Lane


class SearchPage(QScrollArea):
    """`changes` is what a person changed and has not applied."""

    edited = Signal()
    test_requested = Signal()

    def __init__(self, keys: KeyStore, lane: Lane[CancelToken], install: InstallSearxng) -> None:
        super().__init__()
        self.enabled = Switch(
            "search_enabled",
            tr("Models may search the web"),
            note=tr("Nothing is sent to a search engine before this is on."),
        )
        self.provider = ProviderFields(keys, lane, install)
        self.test = QPushButton(tr("Test"))
        self.test.setAutoDefault(False)
        self.results = Number("search_results", tr("Results"), note=tr("More of them fill the model's context."))
        self.snippets = Number("search_snippet_chars", tr("Characters of a snippet"), step=50)
        self.route = Choice("search_route", tr("Who decides"), _routes(), notes=_route_notes())
        self.confirm = Choice("search_confirm", tr("Ask before a search"), _confirms())
        self.reading = ReadingFields(self.results)
        self.guard = WrapLabel()
        self.guard.setObjectName("lesser")
        self._rest = self._lay_out()
        for field in self.fields:
            field.edited.connect(self._look)
        self.provider.key.edited.connect(self._look)
        self.test.clicked.connect(self.test_requested)

    def _lay_out(self) -> QWidget:
        """Returns what is hidden while search is off."""
        rest = QWidget()
        column = QVBoxLayout(rest)
        column.setContentsMargins(0, 0, 0, 0)
        column.setSpacing(12)
        row = QHBoxLayout()
        row.addWidget(self.test)
        row.addStretch(1)
        column.addWidget(self.provider)
        column.addLayout(row)
        for widget in (
            _heading(tr("Searching")),
            *(self.results, self.snippets, self.route, self.confirm),
            _heading(tr("Pages")),
            self.reading,
            _heading(tr("How it stands")),
            self.guard,
        ):
            column.addWidget(widget)
        inside = QWidget()
        outer = QVBoxLayout(inside)
        outer.setContentsMargins(20, 16, 20, 16)
        outer.setSpacing(14)
        outer.addWidget(self.enabled)
        outer.addWidget(rest)
        outer.addStretch(1)
        self.setWidgetResizable(True)
        self.setFrameShape(QFrame.Shape.NoFrame)
        self.setHorizontalScrollBarPolicy(Qt.ScrollBarPolicy.ScrollBarAlwaysOff)
        self.setFocusPolicy(Qt.FocusPolicy.NoFocus)
        self.setWidget(inside)
        return rest

    @property
    def fields(self) -> tuple[Field, ...]:
        """All that stand in config.toml, in the order in which they are to be written.

        Addresses come before what uses them, and the permission comes last.
        """
        provider, *addresses = self.provider.fields
        pages, limit, reader, jina_url = self.reading.fields
        own = self.results, self.snippets, self.route, self.confirm
        return *addresses, *own, jina_url, reader, limit, pages, provider, self.enabled

    def show_config(self, config: Config, *, keep: bool) -> None:
        """Show what is in force. keep: what a person changed and has not applied stays."""
        values: Mapping[str, str | float] = {field.key: getattr(config, field.key) for field in self.fields}
        for field in self.fields:
            field.show_value(values[field.key], keep=keep)
        if not keep:
            self.provider.key.begin()
            self.reading.forget_first_use()
        self._look()

    def changes(self) -> dict[str, str | float]:
        """The settings that were changed, in the order in which they are to be written."""
        changed = {field.key: field.value for field in self.fields if field.changed}
        if changed.get("search_enabled") is False:  # nothing may go out any more by what is written after it
            return {"search_enabled": False, **changed}
        return changed

    @property
    def changed(self) -> bool:
        """Whether there is anything to apply."""
        return bool(self.changes()) or self.provider.key.changed

    def _look(self) -> None:
        on = self.enabled.value
        self._rest.setVisible(on)
        self.provider.look(in_use=on)
        self.test.setEnabled(not self.changed)
        self.test.setToolTip(tr("Apply the changes first.") if self.changed else "")
        self.edited.emit()


def _heading(text: str) -> QLabel:
    label = QLabel(text)
    label.setObjectName("subheading")
    label.setContentsMargins(0, 10, 0, 0)
    return label


def _routes() -> dict[str, str]:
    return {
        "auto": tr("The model, else the program"),
        "tools": tr("The model"),
        "router": tr("The program"),
    }


def _route_notes() -> dict[str, str]:
    return {
        "auto": tr("In chats on Auto the model calls a tool; if it cannot, the program asks it before each answer."),
        "tools": tr("In chats on Auto the model calls a tool when it wants to search."),
        "router": tr("In chats on Auto the program asks the model before each answer whether a search would help."),
    }


def _confirms() -> dict[str, str]:
    return {
        "never": tr("Never"),
        "always": tr("Always"),
        "cloud": tr("If a third party sees it"),
    }
