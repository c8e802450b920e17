"""Settings while the window is open: edits of the file, switching web search on, and what is said about both."""

from __future__ import annotations

from collections.abc import Iterator

from PySide6.QtCore import QObject, QUrl, Signal

from llamachat.app import App, Reconfigured
from llamachat.core.cancel import CancelToken
from llamachat.core.text import tr
from llamachat.storage.database import Database
from llamachat.ui.appearance import Appearance
from llamachat.ui.config_watch import ConfigWatch, edit_text, problem_text
from llamachat.ui.notices import Notices, Tone
from llamachat.ui.opener import Opener
from llamachat.ui.search_button import SearchButton
from llamachat.ui.search_words import search_addresses, switched_on
from llamachat.ui.tasks import Lane


class SettingsControl(QObject):
    """Reloads, tells, and keeps the search button and the colours in step."""

    changed = Signal()  # other settings are in force

    def __init__(
        self,
        app: App,
        *,
        tasks: Lane[Database],
        keys: Lane[CancelToken],
        notices: Notices,
        opener: Opener,
        search: SearchButton,
        appearance: Appearance,
        parent: QObject,
    ) -> None:
        super().__init__(parent)
        self._app, self._tasks, self._notices, self._search = app, tasks, notices, search
        self._keys = keys
        self._appearance, self._opener = appearance, opener
        self._watch = ConfigWatch(app.paths.config_file, self)
        self._watch.edited.connect(lambda: self.take(app.reload()))
        self._searched_at = self._searches_at()
        search.permission_requested.connect(self.permit_search)
        search.settings_requested.connect(self.open_file)
        self._show()
        self._look_up_key()

    def permit_search(self) -> None:
        """Switch web search on in config.toml."""
        self._tasks.write(lambda _: self._app.set_setting("search_enabled", value=True), self.take)

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

    def _look_up_key(self) -> None:
        """Have the keyring asked once, which may take as long as its owner needs to unlock it."""
        if self._app.search.key_unknown:
            self._keys.read(lambda _: self._app.search.look_up_key(), lambda _: self._show(), key="key")

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
        reader = config.page_reader if config.read_pages else ""
        return provider.id, provider.host, reader, *search_addresses(config, self._app.search_url())
