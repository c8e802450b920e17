"""The address of a SearXNG: every form that people type or paste becomes one endpoint."""

from __future__ import annotations

import ipaddress
import re
from dataclasses import dataclass, field, replace
from urllib.parse import SplitResult, parse_qsl, unquote, urlencode, urljoin, urlsplit

from llamachat.core.errors import SearchCause, SearchError
from llamachat.core.plain_text import cut_at_word, plain_line
from llamachat.core.text import tr
from llamachat.core.web_address import is_private_host
from llamachat.searxng.secrets import Mask, mask_for

_SCHEME = re.compile(r"[A-Za-z][A-Za-z0-9+.-]*:(?!\d)")  # what "localhost:8888" does not have
_IPV4 = re.compile(r"\d+(\.\d+){3}")
_OURS = frozenset(("q", "format", "locale", "pageno"))
_PLACEHOLDERS = frozenset(("%s", "<query>", "{query}", "{searchTerms}"))


@dataclass(frozen=True, slots=True)
class SearxngAddress:
    """Where a search is posted.

    endpoint: the whole address without user and password. site: the same for people, down to the folder of
    `/search`, without parameters, since those may hold a token. credentials: `user:password` or "". mask: hides
    all of these.
    """

    endpoint: str
    site: str
    credentials: str = field(default="", repr=False)
    mask: Mask = field(default_factory=Mask)


def searxng_address(typed: str) -> SearxngAddress:
    """Read a `search_url`; raises SearchError. Nothing of it but a host is ever quoted back: it may hold a password.

    Taken are the start page, a sub-path, `.../search`, and a search address with or without a placeholder for
    the words: `q` and `format` of it are replaced, other parameters kept. http:// may be left out for hosts of
    one's own network.
    """
    text = typed.strip()
    if not text:
        raise SearchError(
            tr("No SearXNG address is set."),
            tr("Write one into search_url, such as http://127.0.0.1:8888."),
            cause=SearchCause.NOT_CONFIGURED,
        )
    parts = _split(text)
    pairs = parse_qsl(parts.query, keep_blank_values=True)
    kept = [(name, value) for name, value in pairs if name not in _OURS and value not in _PLACEHOLDERS]
    user, password = unquote(parts.username or ""), unquote(parts.password or "")
    return _address(
        parts._replace(path=parts.path.rstrip("/").removesuffix("/search") + "/search", query=urlencode(kept)),
        credentials=f"{user}:{password}" if user or password else "",
        mask=mask_for(user, password, (value for _, value in kept)),
    )


def redirected(address: SearxngAddress, location: str) -> SearxngAddress:
    """Where a search may be sent on to: the search of the same host, never from https to http.

    Raises SearchError for every other place; the start page is where SearXNG sends those it takes for a robot.
    """
    try:
        old, new = urlsplit(address.endpoint), urlsplit(urljoin(address.endpoint, location))
        upgrade = (old.scheme, new.scheme) == ("http", "https")
        same_server = (new.scheme, _port(new)) == (old.scheme, _port(old))
    except ValueError:
        raise elsewhere(address.site, "") from None
    if new.hostname != old.hostname or not (upgrade or same_server):
        raise elsewhere(address.site, new.hostname or "")
    if new.path.endswith("/search"):
        found = _address(new, credentials=address.credentials, mask=address.mask)
        return replace(found, site=address.mask.text(found.site))
    if new.path.rstrip("/") == old.path.removesuffix("/search"):
        raise SearchError(
            tr("SearXNG at {site} takes this program for a robot and shows its start page.").format(
                site=address.site
            ),
            tr("Switch its limiter's link token off (public_instance), or use another SearXNG."),
            cause=SearchCause.LIMITED,
        )
    raise elsewhere(address.site, address.mask.text(new.path))


def _address(parts: SplitResult, *, credentials: str, mask: Mask) -> SearxngAddress:
    """The address whose path ends in `/search`."""
    endpoint = parts._replace(netloc=parts.netloc.rpartition("@")[2].lower(), fragment="")
    site = endpoint._replace(path=endpoint.path.removesuffix("/search"), query="")
    return SearxngAddress(endpoint.geturl(), site.geturl(), credentials, mask)


def _split(text: str) -> SplitResult:
    scheme = _SCHEME.match(text)
    if scheme and not re.match("https?://", text, re.IGNORECASE):
        raise _bad(tr("search_url must begin with http:// or https://."))
    try:
        parts = urlsplit(text if scheme else f"http://{text}")
        usable = bool(parts.hostname) and parts.port != 0 and not re.search(r"[\s\\\x00-\x1f]", text)
        _check_host(parts.hostname or "")
    except ValueError:
        usable = False
    if not usable:
        raise unusable()
    if not scheme and not is_private_host(parts.hostname or ""):
        raise SearchError(
            tr("search_url does not say how {host} is reached.").format(host=parts.hostname),
            tr("Write https:// in front of it, or http:// if that server has no certificate."),
            cause=SearchCause.BAD_ADDRESS,
        )
    return parts


def _check_host(host: str) -> None:
    """Raise ValueError for what a look-up would refuse."""
    host.encode("idna").decode("idna")
    if _IPV4.fullmatch(host):
        ipaddress.ip_address(host)


def _port(parts: SplitResult) -> int:
    return parts.port or (443 if parts.scheme == "https" else 80)


def _bad(sentence: str) -> SearchError:
    next_step = tr("Write it like http://127.0.0.1:8888; in a password, @ / # are written %40 %2F %23.")
    return SearchError(sentence, next_step, cause=SearchCause.BAD_ADDRESS)


def unusable() -> SearchError:
    """The error for an address that cannot be read."""
    return _bad(tr("search_url is not an address that can be used."))


def elsewhere(site: str, place: str) -> SearchError:
    """The error for a redirect to a place that is not the search."""
    return SearchError(
        tr("SearXNG at {site} sends the search elsewhere ({place}), which is not followed.").format(
            site=site, place=cut_at_word(plain_line(place), 80) or "?"
        ),
        tr("Write the address of the search itself into search_url; a page that asks for a login cannot be used."),
        cause=SearchCause.REDIRECTED,
    )
