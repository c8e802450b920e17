"""Settings while the window is open: edits of the file, switching web search on, and what is said about both."""

from __future__ import annotations

from collections.abc import Iterator

from PySide6.QtCore import QObject, QUrl, Signal
from PySide6.QtWidgets import QWidget

from llamachat.app import App, Reconfigured
from llamachat.core.clock import SystemClock
from llamachat.core.text import tr
from llamachat.ui.appearance import Appearance
from llamachat.ui.config_watch import ConfigWatch, edit_text, problem_text
from llamachat.ui.lanes import Lanes
from llamachat.ui.notices import Notices, Tone
from llamachat.ui.opener import Opener
from llamachat.ui.search_button import SearchButton
from llamachat.ui.search_settings.dialog import SearchSettings
from llamachat.ui.search_words import search_addresses, switched_on


class SettingsControl(QObject):
    """Reloads, tells, and keeps the search button and the colours in step."""

    changed = Signal()  # other settings are in force

    def __init__(
        self,
        app: App,
        *,
        lanes: Lanes,
        notices: Notices,
        opener: Opener,
        search: SearchButton,
        appearance: Appearance,
        window: QWidget,
    ) -> None:
        super().__init__(window)
        self._app, self._lanes, self._notices, self._search = app, lanes, notices, search
        self._appearance, self._opener, self._window = appearance, opener, window
        self._watch = ConfigWatch(app.paths.config_file, self)
        self._watch.edited.connect(lambda: self.take(app.reload()))
        self._searched_at = self._searches_at()
        self.dialog: SearchSettings | None = None  # made when it is wanted
        search.permission_requested.connect(self.permit_search)
        search.settings_requested.connect(self.open_search)
        self._show()
        self._look_up_key()

    def permit_search(self) -> None:
        """Switch web search on in config.toml."""
        self._lanes.store.write(lambda _: self._app.set_setting("search_enabled", value=True), self.take)

    def open_search(self) -> None:
        """Show the settings of the web search."""
        if self.dialog is None:
            self.dialog = SearchSettings(self._app, lanes=self._lanes, clock=SystemClock(), parent=self._window)
            self.dialog.saved.connect(self.take)
            self.dialog.key_changed.connect(self.take_key)
        self.dialog.bring_up()

    def open_file(self) -> None:
        """Open config.toml in whatever the desktop opens it with."""
        self._opener.open(QUrl.fromLocalFile(str(self._app.paths.config_file)))

    def take(self, done: Reconfigured) -> None:
        """config.toml was read again: show what is wrong with it, and say what is different now.

        What the program itself writes is read twice, by the writer and by the watch: the second finds nothing new.
        """
        self._show()
        self._look_up_key()
        if text := edit_text(done):
            self._notices.toast(" ".join([text, *self._search_texts()]))
            self._appearance.choose(self._app.config.theme)
            self.changed.emit()

    def take_key(self) -> None:
        """The key of a search service is new or gone, so that searches may go out now, or no longer."""
        self._show()
        if texts := list(self._search_texts()):
            self._notices.toast(" ".join(texts))
        self.changed.emit()

    def _look_up_key(self) -> None:
        """Have the keyring asked once, which may take as long as its owner needs to unlock it."""
        if self._app.search.key_unknown:
            self._lanes.keys.read(lambda _: self._app.search.look_up_key(), lambda _: self._show(), key="key")

    def _show(self) -> None:
        permission = self._app.search_permission()
        self._search.set_permission(
            refusal="" if permission.ready else permission.sentence,
            can_permit=permission.configured and self._app.savable,
            host=self._app.search.provider().host,
        )
        text = problem_text(self._app.paths.config_file, self._app.problems, savable=self._app.savable)
        if text:
            tone: Tone = "warning" if self._app.savable else "error"
            self._notices.keep("config", text, tone=tone, button=(tr("Open the file"), self.open_file))
        else:
            self._notices.drop("config")
        if self.dialog is not None:
            self.dialog.refresh()

    def _search_texts(self) -> Iterator[str]:
        """When web search was just switched on, or asks elsewhere: where queries go, and who can read them."""
        before, place = self._searched_at, self._searches_at()
        self._searched_at = place
        if place and place != before:
            yield from switched_on(self._app)

    def _searches_at(self) -> tuple[str, ...]:
        """Who is asked and who reads pages, with their addresses; nothing while searches are not permitted."""
        if not self._app.search_permission().ready:
            return ()
        config, provider = self._app.config, self._app.search.provider()
        reader = (config.page_reader, config.jina_url) if config.read_pages else ()
        return provider.id, provider.host, *reader, *search_addresses(config, self._app.search_url())
