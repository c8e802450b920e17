"""What an empty chat says: what leaves this computer, with the settings that are in force. No Qt."""

from __future__ import annotations

from llamachat.app import App
from llamachat.core.errors import ConfigError
from llamachat.core.text import tr
from llamachat.core.web_address import crosses_network_unencrypted, host_of, is_loopback_host
from llamachat.ui.server_watch import address_for_people


def empty_text(app: App) -> str:
    """Paragraphs, with a blank line between."""
    return "\n\n".join([tr("What would you like to know?"), _server_text(app), _search_text(app)])


def _server_text(app: App) -> str:
    try:
        base_url = app.endpoint().base_url
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
        return tr("Web search is off. When it is on, only the search query goes out.")
    text = tr("The model may search the web when it needs to. Only the search query goes out, to {place}.")
    provider = app.search.provider()
    if provider.is_cloud:
        return text.format(place=tr("{provider}, a third party").format(provider=provider.name))
    text = text.format(place=tr("your SearXNG"))
    if crosses_network_unencrypted(app.search_url()):
        text += " " + tr("It can be read on the network between.")
    return text
