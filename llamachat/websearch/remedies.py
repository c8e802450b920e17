"""What each way to fail means and what helps: the doctor's words, beside the sentence that the failure has itself."""

from __future__ import annotations

from collections.abc import Mapping

from llamachat.core.errors import SearchCause
from llamachat.core.text import tr

_SUSPENDED = "suspended: "


def remedy(cause: SearchCause) -> str:
    """The doctor's words for a cause; each has its own."""
    return {**_about_settings(), **_about_the_way(), **_about_the_service(), **_about_this_program()}[cause]


def engine_remedy(reason: str) -> str:
    """The doctor's words for what SearXNG says of an engine; it says it in English, as it is asked to."""
    said = reason.casefold()
    bare = said.removeprefix(_SUSPENDED)
    words = next((text for start, text in _about_engines().items() if bare.startswith(start)), "")
    words = words or tr("SearXNG's log says more.")
    if said == bare:
        return words
    return tr("SearXNG leaves it out for a while and then tries it again by itself. {words}").format(words=words)


def _about_settings() -> Mapping[SearchCause, str]:
    return {
        SearchCause.NOT_CONFIGURED: tr("Nobody was asked: there is no address to ask."),
        SearchCause.NO_KEY: tr("Nobody was asked: without a key this service answers nothing."),
        SearchCause.KEY_REJECTED: tr(
            "The service was reached and knows no such key: it was mistyped, withdrawn, or is for another service."
        ),
        SearchCause.NO_CREDIT: tr(
            "The key is right, but pays for no more searches: top it up, or wait until the quota starts anew."
        ),
        SearchCause.BAD_ADDRESS: tr("Nobody was asked: an address begins with http:// or https:// and has a host."),
        SearchCause.UNAUTHORIZED: tr(
            "Something answers and wants to know who asks: SearXNG has no passwords, so a server in front of it does."
        ),
        SearchCause.JSON_OFF: tr("SearXNG is shipped with JSON switched off, and programs can read nothing else."),
        SearchCause.SWITCHED_OFF: tr("The service is there and has its web search switched off in its own settings."),
        SearchCause.TOO_OLD: tr("The program that was asked is there, but from before it could search the web."),
    }


def _about_the_way() -> Mapping[SearchCause, str]:
    return {
        SearchCause.UNREACHABLE: tr(
            "No connection came about: nothing listens there, the name is unknown, or the network is down."
        ),
        SearchCause.TIMEOUT: tr(
            "A connection came about, or was tried, and then nothing whole came back in time."
            " Slow search engines behind SearXNG are a usual reason: it waits for the slowest."
        ),
        SearchCause.TLS: tr(
            "Something listens there, but no safe connection comes about: a certificate of one's own making,"
            " or http and https mixed up."
        ),
        SearchCause.REDIRECTED: tr(
            "The answer points to another place. A search is sent on only to the same server,"
            " so write the address that it points to into the setting."
        ),
        SearchCause.NOT_FOUND: tr(
            "A server answers and has no search under this path; behind a proxy it may be another, such as /searxng."
        ),
        SearchCause.NOT_SEARXNG: tr(
            "A server answers, but another program's: perhaps the port belongs to something else."
        ),
    }


def _about_the_service() -> Mapping[SearchCause, str]:
    return {
        SearchCause.FORBIDDEN: tr("The service knows who asks, and refuses it: this account may not search."),
        SearchCause.LIMITED: tr(
            "Too many searches came from this computer or with this key. Searches go on by themselves after a while."
        ),
        SearchCause.BOT_PAGE: tr(
            "The service takes this computer for a robot and asks a person to prove otherwise."
            " That passes after some hours; another search_provider helps at once."
        ),
        SearchCause.UNREADABLE: tr(
            "What came back is no answer as the service gives them; it may have changed, or something stands between."
        ),
        SearchCause.SERVER_FAULT: tr("The server was reached and failed; that is not for this program to mend."),
        SearchCause.ENGINES_REFUSED: tr(
            "SearXNG works, but every search engine behind it turned it away. The reasons follow, engine by engine."
        ),
        SearchCause.BAD_QUERY: tr(
            "The service was reached and refuses how it was asked: look at search_language and search_categories."
        ),
    }


def _about_this_program() -> Mapping[SearchCause, str]:
    return {
        SearchCause.PACED: tr("Nobody was asked. How many may go out is set by search_burst and search_refill_s."),
        SearchCause.PAUSED: tr(
            "Nobody was asked, so that the search engines do not shut this computer out for longer."
        ),
        SearchCause.BAD_CALL: tr("The model called the search without words; nothing was sent."),
        SearchCause.DECLINED: tr("You were asked about the search and did not let it go out."),
        SearchCause.CANCELLED: tr("The search was stopped before it ended."),
    }


def _about_engines() -> Mapping[str, str]:
    """By the beginning of the reason."""
    return {
        "too many requests": tr("It is asked too often from that address: wait, or switch other engines on."),
        "captcha": tr("It takes SearXNG for a robot: wait some hours, or switch it off in SearXNG."),
        "access denied": tr("It refuses the address that SearXNG asks from: switch it off in SearXNG."),
        "timeout": tr("It is too slow: raise its timeout in SearXNG's settings.yml, or switch it off."),
        "http connection error": tr("SearXNG cannot reach it: look at the network of the computer SearXNG runs on."),
        "network error": tr("The connection from SearXNG to it broke off: try again."),
        "http protocol error": tr("It hung up on SearXNG: try again, or switch it off in SearXNG."),
        "http error": tr("It answered SearXNG with an error: try again later, or switch it off in SearXNG."),
        "parsing error": tr("It has changed its answers: a newer SearXNG may read them."),
        "unexpected crash": tr("SearXNG stumbled over its answer: a newer SearXNG may not."),
    }
