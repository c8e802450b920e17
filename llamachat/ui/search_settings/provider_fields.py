"""Who is asked: the search service, and the fields of the one that is chosen."""

from __future__ import annotations

import os

from PySide6.QtWidgets import QVBoxLayout, QWidget

from llamachat.core.cancel import CancelToken
from llamachat.core.text import tr
from llamachat.core.web_address import crosses_network_unencrypted, without_secrets
from llamachat.key_store import KeyStore
from llamachat.search_choice import SEARXNG_URL
from llamachat.ui.search_settings.fields import AmberLine, Choice, Field, Switch, Text
from llamachat.ui.search_settings.install_searxng import InstallSearxng
from llamachat.ui.search_settings.key_fields import KeyFields
from llamachat.ui.search_words import third_party_sentence, unencrypted_sentence, with_scheme
from llamachat.ui.tasks import Lane
from llamachat.websearch.registry import PROVIDERS


class ProviderFields(QWidget):
    """The picker, an amber line for third parties, and what the chosen service needs."""

    def __init__(self, keys: KeyStore, lane: Lane[CancelToken], install: InstallSearxng) -> None:
        super().__init__()
        self.install = install
        self.provider = Choice("search_provider", tr("Search service"), _names(), notes=_notes())
        self.warning = AmberLine()
        self.searxng_url = Text(
            "search_url",
            tr("Address of SearXNG"),
            placeholder=without_secrets(os.environ.get(SEARXNG_URL, "")) or "http://127.0.0.1:8888",
            note=tr("Its settings.yml must list json under search: formats."),
        )
        self.own = Switch(
            "own_searxng",
            tr("Use the SearXNG that this program installs"),
            note=tr("Where no address is given. It is started before the first search and ends with the program."),
        )
        self.language = Text("search_language", tr("Language"), placeholder=tr("of SearXNG's own settings"))
        self.categories = Text("search_categories", tr("Categories"), placeholder=tr("of SearXNG's own settings"))
        self.ollama_url = Text("ollama_url", tr("Address of Ollama"))
        self.key = KeyFields(keys, lane)
        column = QVBoxLayout(self)
        column.setContentsMargins(0, 0, 0, 0)
        _, url, own, *others = self.fields
        for widget in (self.provider, self.warning, url, own, self.install, *others, self.key):
            column.addWidget(widget)

    @property
    def fields(self) -> tuple[Field, ...]:
        """Those that stand in config.toml, in their order on the page."""
        return self.provider, self.searxng_url, self.own, self.language, self.categories, self.ollama_url

    def look(self, *, in_use: bool) -> None:
        """Show what belongs to the chosen service. in_use: search is on; a keyring is asked only then."""
        name = self.provider.value
        for field in (self.searxng_url, self.own, self.language, self.categories):
            field.setVisible(name == "searxng")
        self.ollama_url.setVisible(name == "ollama")
        if in_use and name == "searxng":
            self.install.look()
        else:
            self.install.hide()
        self.key.choose(name, looks=in_use)
        adapter = PROVIDERS[name]
        address = {"searxng": self.searxng_url.value, "ollama": self.ollama_url.value}.get(name, "")
        self.warning.say(
            third_party_sentence(adapter.name, adapter.host) if adapter else "",
            unencrypted_sentence() if crosses_network_unencrypted(with_scheme(address)) else "",
        )


def _names() -> dict[str, str]:
    """What the picker calls each service."""
    own = tr("SearXNG · Default · private")
    return {name: adapter.name if adapter else own for name, adapter in PROVIDERS.items()}


def _notes() -> dict[str, str]:
    return {
        "searxng": tr("A search server of your own, which asks the search engines for you."),
        "duckduckgo": tr("Without a key and unofficial: it may shut this computer out at any time."),
        "ollama": tr("Your Ollama sends queries on to its maker's servers. You must be signed in there."),
    }
