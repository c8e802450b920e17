"""Searches that brought no HTTP answer: the errors and their words."""

from __future__ import annotations

from llamachat.core.errors import SearchCause, SearchError
from llamachat.core.text import tr


def not_reachable(site: str, reason: str) -> SearchError:
    """Nothing listens, or the name is not known."""
    return SearchError(
        tr("SearXNG at {site} is not reachable ({reason}).").format(site=site, reason=reason),
        tr("Start it or pick another engine."),
        cause=SearchCause.UNREACHABLE,
    )


def too_late(site: str, timeout_s: float) -> SearchError:
    """The deadline over the whole search has passed."""
    return SearchError(
        tr("SearXNG at {site} did not answer within {seconds:g} s.").format(site=site, seconds=timeout_s),
        tr("Try again, or raise search_timeout."),
        cause=SearchCause.TIMEOUT,
    )


def certificate_refused(site: str, reason: str) -> SearchError:
    """A certificate of an unknown authority, for another host, or out of date."""
    return SearchError(
        tr("The certificate of {site} is not trusted ({reason}).").format(site=site, reason=reason),
        tr("If the server is your own, name the file of its CA in search_ca_file."),
        cause=SearchCause.TLS,
    )


def no_tls(site: str, reason: str) -> SearchError:
    """Something that is no TLS answers, or none both sides know."""
    return SearchError(
        tr("The server at {site} does not speak TLS as it should ({reason}).").format(site=site, reason=reason),
        tr("If it has no certificate, write http:// in search_url."),
        cause=SearchCause.TLS,
    )


def bad_ca_file(reason: str) -> SearchError:
    """The file is missing, or holds no certificate."""
    return SearchError(
        tr("The file in search_ca_file cannot be used ({reason}).").format(reason=reason),
        tr("It must be a PEM file with the certificate of your CA or of the server."),
        cause=SearchCause.TLS,
    )


def bad_proxy(host: str) -> SearchError:
    """The proxy is not quoted: its address may hold a password."""
    return SearchError(
        tr("The proxy that the environment names for {host} cannot be used.").format(host=host),
        tr("Correct HTTPS_PROXY or ALL_PROXY, or add the host to NO_PROXY; SOCKS is not supported."),
        cause=SearchCause.UNREACHABLE,
    )


def broken_off(site: str) -> SearchError:
    """The connection ended before the answer did, or what came is no HTTP."""
    return SearchError(
        tr("The server at {site} broke its answer off, or does not speak HTTP.").format(site=site),
        tr("Look into its log, and check search_url."),
        cause=SearchCause.SERVER_FAULT,
    )


def too_much(host: str) -> SearchError:
    """More than is ever read."""
    return SearchError(
        tr("The answer of the server at {host} is longer than 4 MB.").format(host=host),
        tr("Check search_url and search_categories."),
        cause=SearchCause.SERVER_FAULT,
    )


def no_words() -> SearchError:
    """Nothing is left of the query."""
    return SearchError(tr("The search has no words in it."), cause=SearchCause.BAD_QUERY)
