"""What people are told of where searches go and who sees them, out of the settings in force. No Qt."""

from __future__ import annotations

from collections.abc import Iterator

from llamachat.app import App
from llamachat.config.search_settings import SearchSettings
from llamachat.core.errors import ConfigError
from llamachat.core.text import tr
from llamachat.core.web_address import crosses_network_unencrypted, host_of, is_private_host


def switched_on(app: App) -> Iterator[str]:
    """Sentences for when web search was just switched on, or asks elsewhere now: who is asked, and who can see it."""
    provider = app.search.provider()
    name, host = provider.name, provider.host
    if host:
        yield tr("Web search is on: queries go to {provider} at {host}.").format(provider=name, host=host)
    else:
        yield tr("Web search is on: queries go to {provider}.").format(provider=name)
    if provider.requires_upload_warning:
        yield tr("{provider} is a third party and sees every query.").format(provider=name)
    if any(crosses_network_unencrypted(url) for url in _ways_of_queries(app)):
        yield unencrypted_sentence()
    if app.config.read_pages:
        yield reader_sentence(app.config.page_reader)
        if warning := address_warning(app.config.page_reader, app.config.jina_url):
            yield warning
    yield tr("Chats set to Auto may search now.")


def reader_name(reader: str) -> str:
    """A choice of `page_reader` in a few words."""
    return {
        "direct": tr("This program"),
        "jina_fallback": tr("This program, else Jina Reader"),
        "jina": tr("Jina Reader"),
    }[reader]


def reader_sentence(reader: str) -> str:
    """Who reads pages, for each choice of `page_reader`."""
    return {
        "direct": tr("Pages are fetched by this program alone: nobody but the site itself is asked."),
        "jina_fallback": tr(
            "Pages are fetched by this program. Those that it cannot read go through Jina Reader, a service that "
            "runs their scripts in a browser."
        ),
        "jina": tr("All pages go through Jina Reader, a service that runs their scripts in a browser."),
    }[reader]


def address_warning(reader: str, jina_url: str) -> str:
    """Who else could see the addresses of pages; "" where only the sites themselves do."""
    if reader == "direct":
        return ""
    url = with_scheme(jina_url)
    parts = []
    if not is_private_host(host_of(url)) or not url:
        who = host_of(url) or tr("Jina AI")
        every = tr("{who}, a third party, sees the address of every page.")
        some = tr("{who}, a third party, sees the address of each page that goes through Jina Reader.")
        parts.append((every if reader == "jina" else some).format(who=who))
    if crosses_network_unencrypted(url):
        parts.append(tr("Addresses of pages cross the network unencrypted, and can be read there."))
    return " ".join(parts)


def third_party_sentence(name: str, host: str) -> str:
    """What a choice of a search service means that is not one's own."""
    return tr("Queries go to {provider}, a third party, at {host}.").format(provider=name, host=host)


def unencrypted_sentence() -> str:
    """What follows from plain http to another machine."""
    return tr("Queries cross the network unencrypted, and can be read there.")


def _ways_of_queries(app: App) -> Iterator[str]:
    """To the search service; and the model server gets to see each query, or has written it."""
    yield from search_addresses(app.config, app.search_url())
    try:
        yield app.models.endpoint().base_url
    except ConfigError:
        return


def search_addresses(settings: SearchSettings, searxng_url: str) -> Iterator[str]:
    """The addresses of the user's own that queries go to."""
    if settings.search_provider == "searxng":
        yield with_scheme(searxng_url)
    if settings.search_provider == "ollama":
        yield with_scheme(settings.ollama_url)


def with_scheme(url: str) -> str:
    """An address as it is used; "" stays."""
    return url if "://" in url or not url else f"http://{url}"
