"""What an empty chat says: what leaves this computer, with the settings that are in force. No Qt."""

from __future__ import annotations

from llamachat.app import App
from llamachat.config.schema import Config
from llamachat.core.errors import ConfigError
from llamachat.core.text import tr
from llamachat.core.web_address import crosses_network_unencrypted, host_of, is_loopback_host
from llamachat.ui.search_words import address_warning, reader_sentence, search_addresses, unencrypted_sentence
from llamachat.ui.server_watch import address_for_people


def empty_text(app: App) -> str:
    """Paragraphs, with a blank line between."""
    return "\n\n".join([tr("What would you like to know?"), _server_text(app), _search_text(app)])


def temporary_text(app: App) -> str:
    """The same for a temporary chat."""
    kept = tr("This program writes nothing of this chat down. It is gone when you leave it.")
    return "\n\n".join([kept, _server_text(app), _search_text(app)])


def _server_text(app: App) -> str:
    try:
        base_url = app.models.endpoint().base_url
    except ConfigError as error:
        return str(error)
    if is_loopback_host(host_of(base_url)):
        return tr("The model runs on this computer: what you write stays here.")
    server = address_for_people(base_url)
    if crosses_network_unencrypted(base_url):
        return tr("What you write goes to {server}, and can be read on the network between.").format(server=server)
    return tr("What you write goes to {server}.").format(server=server)


def _search_text(app: App) -> str:
    if not app.search_permission().ready:
        off, lacking = tr("Web search is off, as it is by default."), tr("Web search is off: it lacks what it needs.")
        return f"{lacking if app.config.search_enabled else off} {_what_goes_out(app.config, place='')}"
    text = tr("The model may search the web when it needs to.")
    provider = app.search.provider()
    third_party = tr("{provider}, a third party").format(provider=provider.name)
    text += " " + _what_goes_out(app.config, place=third_party if provider.is_cloud else tr("your SearXNG"))
    if any(crosses_network_unencrypted(url) for url in search_addresses(app.config, app.search_url())):
        text += " " + unencrypted_sentence()
    return text


def _what_goes_out(config: Config, *, place: str) -> str:
    """Of a search; place: where queries go, "" while they go nowhere."""
    if not config.read_pages:
        if not place:
            return tr("When it is on, only the search query goes out.")
        return tr("Only the search query goes out, to {place}.").format(place=place)
    if place:
        text = tr("The search query goes out to {place}, and pages that were found are read.").format(place=place)
    else:
        text = tr("When it is on, the search query goes out, and pages that were found are read.")
    parts = text, reader_sentence(config.page_reader), address_warning(config.page_reader, config.jina_url)
    return " ".join(part for part in parts if part)
