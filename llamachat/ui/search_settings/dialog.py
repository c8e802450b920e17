"""The window of the web search: its settings, its doctor, and the journal of what it sent."""

from __future__ import annotations

from PySide6.QtCore import QEvent, QTimer, Signal
from PySide6.QtGui import QHideEvent, QShowEvent
from PySide6.QtWidgets import (
    QDialog,
    QHBoxLayout,
    QMessageBox,
    QPushButton,
    QTabWidget,
    QVBoxLayout,
    QWidget,
)

from llamachat.app import App, Reconfigured
from llamachat.core.errors import UserFacingError
from llamachat.core.seams import Clock
from llamachat.core.text import tr
from llamachat.ui.config_watch import problem_text
from llamachat.ui.lanes import Lanes
from llamachat.ui.notices import Notices
from llamachat.ui.search_settings.check_box import CheckBox
from llamachat.ui.search_settings.context import context_tokens
from llamachat.ui.search_settings.doctor_page import DoctorPage
from llamachat.ui.search_settings.guard_text import guard_text
from llamachat.ui.search_settings.install_searxng import InstallSearxng
from llamachat.ui.search_settings.journal_page import JournalPage
from llamachat.ui.search_settings.questions import ask
from llamachat.ui.search_settings.saving import Saved, Values, save_values
from llamachat.ui.search_settings.search_page import SearchPage
from llamachat.ui.search_words import switched_on, third_party_sentence
from llamachat.websearch.budget import first_use
from llamachat.websearch.registry import PROVIDERS

GUARD_MS = 5000  # how often the state of the guard is looked at while it is in sight
# Who changes these is told where queries and the addresses of pages go.
_TOLD = frozenset(
    (
        "search_enabled",
        "search_provider",
        "search_url",
        "own_searxng",
        "ollama_url",
        "read_pages",
        "page_reader",
        "jina_url",
    )
)
_WIDTH_PX, _HEIGHT_PX = 740, 720


class SearchSettings(QDialog):
    """Made once and hidden when it is closed. Nothing is written before Apply."""

    saved = Signal(object)  # Reconfigured
    key_changed = Signal()  # a key was kept or forgotten

    def __init__(self, app: App, *, lanes: Lanes, clock: Clock, parent: QWidget) -> None:
        super().__init__(parent)
        self._app, self._lanes, self._clock = app, lanes, clock
        self.setWindowTitle(tr("Web search settings"))
        self.notices = Notices()
        install = InstallSearxng(app.searxng.package, lanes.engine, app.journal)
        self.search = SearchPage(app.search.keys, lanes.keys, install)
        self.doctor = DoctorPage(app.search.examine, lanes.doctor)
        self.journal = JournalPage(lanes.store, flush=app.journal.flush, owner=self)
        self.tabs = QTabWidget()
        self.reset = QPushButton(tr("Reset…"))
        self.apply = QPushButton(tr("Apply"))
        self.leave = QPushButton(tr("Close"))
        self._guard_timer = QTimer(self, interval=GUARD_MS)
        self._lay_out()
        self._connect()

    def _lay_out(self) -> None:
        self.tabs.setDocumentMode(True)
        self.tabs.addTab(self.search, tr("Search"))
        self.tabs.addTab(self.doctor, tr("Doctor"))
        self.tabs.addTab(self.journal, tr("Journal"))
        for button in (self.reset, self.leave):
            button.setAutoDefault(False)
        self.apply.setDefault(True)
        row = QHBoxLayout()
        row.setContentsMargins(20, 10, 20, 14)
        row.setSpacing(8)
        row.addWidget(self.reset)
        row.addStretch(1)
        row.addWidget(self.leave)
        row.addWidget(self.apply)
        column = QVBoxLayout(self)
        column.setContentsMargins(0, 0, 0, 0)
        column.setSpacing(0)
        column.addWidget(self.notices)
        column.addWidget(self.tabs, 1)
        column.addLayout(row)
        self.resize(_WIDTH_PX, _HEIGHT_PX)

    def _connect(self) -> None:
        self.search.edited.connect(self._look)
        self.search.test_requested.connect(self._test)
        self.search.reading.first_use_wanted.connect(self._suit)
        self.search.provider.key.stored.connect(self._key_stored)
        self.search.provider.key.failed.connect(self._key_failed)
        self.search.provider.install.installed.connect(self._use_own)
        self.search.provider.install.failed.connect(
            lambda error: self.notices.keep("failure", str(error), tone="error")
        )
        self.journal.switch.edited.connect(self._look)
        self.doctor.ended.connect(self._look_at_guard)
        self.tabs.currentChanged.connect(lambda _: self._read())
        self.reset.clicked.connect(self._ask_to_reset)
        self.apply.clicked.connect(self._apply)
        self.leave.clicked.connect(self.reject)
        self._guard_timer.timeout.connect(self._look_at_guard)

    def _use_own(self) -> None:
        """It is installed: have an empty address mean it, as the card says."""

        def said(done: Reconfigured) -> None:
            self.saved.emit(done)
            self.notices.toast(tr("Your own SearXNG is installed. It is started before the first search."))

        self._lanes.store.write(
            lambda _: self._app.set_setting("own_searxng", value=True),
            said,
            lambda error: self.notices.keep("failure", str(error), tone="error"),
        )

    def bring_up(self) -> None:
        """Show it with what is in force, or bring it before what is over it."""
        if not self.isVisible():
            for key in ("toast", "failure", "key"):
                self.notices.drop(key)
            self._show_config(keep=False)
            self.search.enabled.box.setFocus()
        self.show()
        self.raise_()
        self.activateWindow()

    def refresh(self) -> None:
        """config.toml was read again. What is typed here and not applied stays."""
        if self.isVisible():
            self._show_config(keep=True)

    def showEvent(self, event: QShowEvent) -> None:
        """Read what changes by itself."""
        super().showEvent(event)
        self._guard_timer.start()
        self._read()

    def hideEvent(self, event: QHideEvent) -> None:
        """Nothing is looked at any more. Minimized it goes on."""
        if not event.spontaneous():
            self._guard_timer.stop()
            self.doctor.halt()
        super().hideEvent(event)

    def changeEvent(self, event: QEvent) -> None:
        """Back in front: something may have been searched for meanwhile."""
        if event.type() == QEvent.Type.ActivationChange and self.isActiveWindow():
            self._read()
        super().changeEvent(event)

    # What is shown

    def _show_config(self, *, keep: bool) -> None:
        config = self._app.config
        self.search.show_config(config, keep=keep)
        self.journal.switch.show_value(config.journal, keep=keep)
        if self._app.savable:
            self.notices.drop("config")
        else:
            text = problem_text(self._app.paths.config_file, self._app.problems, savable=False)
            self.notices.keep("config", text, tone="error")
        self._look()

    def _look(self) -> None:
        self.apply.setEnabled(self._app.savable and (bool(self._values()) or self.search.changed))
        self.reset.setEnabled(self._app.savable)

    def _read(self) -> None:
        """Have the guard and the journal read, of which the one in sight matters."""
        if self.tabs.currentWidget() is self.journal:
            self.journal.load()
        else:
            self._look_at_guard()

    def _look_at_guard(self) -> None:
        search, name = self._app.search, self._app.config.search_provider
        self._lanes.doctor.read(
            lambda _: guard_text(search.guard.status(name), now=self._clock.now()),
            self.search.guard.setText,
            key="guard",
        )

    def _suit(self) -> None:
        """Page reading was just switched on: ask how long the model's context is."""
        reading = self.search.reading
        self._lanes.network.read(
            lambda cancel: context_tokens(self._app, cancel),
            lambda tokens: reading.take_first_use(first_use(tokens), tokens),
            key="context",
        )

    def _test(self) -> None:
        self.tabs.setCurrentWidget(self.doctor)
        self.doctor.run()

    # Saving

    def _values(self) -> Values:
        """What was changed, in the order in which it is to be written."""
        switch = self.journal.switch
        journal: Values = {switch.key: switch.value} if switch.changed else {}
        return {**journal, **self.search.changes()}

    def _apply(self) -> None:
        """A search service of somebody else is asked about once, when queries begin to go there."""
        adapter = PROVIDERS[self.search.provider.provider.value]
        begins = self.search.provider.provider.changed or self.search.enabled.changed
        if adapter is None or not (begins and self.search.enabled.value):
            self._save()
            return
        box = QMessageBox(self)
        box.setText(third_party_sentence(adapter.name, adapter.host))
        box.setInformativeText(tr("It sees every query and the address of your connection."))
        ask(box, tr("Use {provider}").format(provider=adapter.name), self._save)

    def _save(self) -> None:
        values = self._values()
        if self.search.provider.key.changed:
            self.search.provider.key.save()
        if values:
            tells = not _TOLD.isdisjoint(values)
            self._lanes.store.write(
                lambda _: save_values(self._app, values), lambda saved: self._saved(saved, tells=tells), self._failed
            )

    def _saved(self, saved: Saved, *, tells: bool) -> None:
        self.saved.emit(saved.done)
        self._show_config(keep=True)
        if saved.error:
            self._failed(saved.error)
            return
        self.notices.drop("failure")
        self._confirm(tells=tells)

    def _key_stored(self) -> None:
        self.notices.drop("key")
        self.key_changed.emit()
        self._confirm(tells=True)

    def _confirm(self, *, tells: bool) -> None:
        """Say that it is saved. tells: and while search is on where queries go now, or what is missing for them."""
        words = [tr("Saved.")]
        permission = self._app.search_permission()
        if tells and permission.ready:
            words += switched_on(self._app)
        elif tells and self._app.config.search_enabled:
            words.append(permission.sentence)
        self.notices.toast(" ".join(words))

    def _ask_to_reset(self) -> None:
        box = QMessageBox(self)
        box.setText(tr("Switch web search off and set its settings back?"))
        box.setInformativeText(tr("Chats, what was found for them, and the journal stay."))
        forget = CheckBox(tr("Forget the API keys in the keyring too"))
        box.setCheckBox(forget)
        ask(box, tr("Reset"), lambda: self._reset(forget=forget.isChecked()))

    def _reset(self, *, forget: bool) -> None:
        def done(reconfigured: Reconfigured) -> None:
            self.saved.emit(reconfigured)
            self._show_config(keep=False)
            self.notices.toast(tr("Web search is off, and its settings are what they were at first."))

        self._lanes.store.write(lambda _: self._app.reset_search(), done, self._failed)
        if forget:
            keys = self._app.search.keys
            self._lanes.keys.write(lambda _: keys.forget_all(), self._forgotten, self._key_failed)

    def _forgotten(self, names: tuple[str, ...]) -> None:
        self.key_changed.emit()
        told = [tr("API keys forgotten: {names}.").format(names=", ".join(names) or tr("there were none"))]
        told += [
            tr("{variable} is still set in the environment.").format(variable=variable)
            for variable in self._app.search.keys.set_variables()
        ]
        self.notices.keep("key", " ".join(told), tone="info")

    def _failed(self, error: UserFacingError) -> None:
        self.notices.keep("failure", str(error), tone="error")

    def _key_failed(self, error: UserFacingError) -> None:
        self.notices.keep("key", str(error), tone="error")
