"""The words for a search that a service refused, or that never reached it: one sentence and a next step per cause."""

from __future__ import annotations

from llamachat.core.errors import SearchCause, SearchError
from llamachat.core.plain_text import cut_at_word, plain_line
from llamachat.core.text import tr
from llamachat.web_request import Fault, RequestFailed
from llamachat.websearch.adapter import Adapter, Refusal

_WORDS_CHARS = 200


def no_key(adapter: Adapter) -> SearchError:
    """The service needs a key and has none."""
    return SearchError(
        tr("{name} needs an API key, and none is set.").format(name=adapter.name),
        tr("Store one with `llamachat config set-key {id}`, or set {variable} in the environment.").format(
            id=adapter.id, variable=adapter.key_variable
        ),
        cause=SearchCause.NO_KEY,
    )


def locked_keyring(adapter: Adapter) -> SearchError:
    """Nobody unlocked the keyring in the time that is given for it."""
    return SearchError(
        tr("The API key for {name} could not be read: the system's keyring does not answer.").format(
            name=adapter.name
        ),
        tr("Unlock it, or set {variable} in the environment.").format(variable=adapter.key_variable),
        cause=SearchCause.NO_KEY,
    )


def unusable_key(adapter: Adapter) -> SearchError:
    """The key could not even be sent."""
    return SearchError(
        tr("The API key for {name} holds characters that cannot be sent.").format(name=adapter.name),
        _key_step(adapter),
        cause=SearchCause.KEY_REJECTED,
    )


def no_words() -> SearchError:
    """Nothing is left of the query."""
    return SearchError(tr("The search has no words in it."), cause=SearchCause.BAD_QUERY)


def refused(adapter: Adapter, refusal: Refusal, *, site: str, status: int, wait_s: float | None) -> SearchError:
    """The error for a refusal, with the service's own words and the wait it named where there are any."""
    own = adapter.sentences().get(refusal.cause)
    sentence, next_step = own or _usual(adapter, refusal.cause, wait_s)
    words = cut_at_word(plain_line(refusal.words), _WORDS_CHARS).rstrip(".")
    fields = {
        "name": adapter.name,
        "site": site,
        "link": refusal.link,
        "said": f"{status}: {words}" if words else f"{status}",
        "wait": "" if wait_s is None else _duration(wait_s),
    }
    return SearchError(
        sentence.format(**fields), next_step.format(**fields), cause=refusal.cause, retry_after_s=wait_s
    )


def unreadable(adapter: Adapter, *, status: int) -> SearchError:
    """An answer of another shape than the service's."""
    return refused(adapter, Refusal(SearchCause.UNREADABLE), site="", status=status, wait_s=None)


def not_answered(adapter: Adapter, failed: RequestFailed, *, site: str, timeout_s: float) -> SearchError:
    """The error for a request that brought no answer."""
    cause, sentence, next_step = _without_answer(failed.fault)
    fields = {"name": adapter.name, "site": site, "reason": failed.reason, "seconds": f"{timeout_s:g}"}
    own = adapter.sentences().get(cause)
    sentence, next_step = own or (sentence, next_step)
    return SearchError(sentence.format(**fields), next_step.format(**fields), cause=cause)


def _usual(adapter: Adapter, cause: SearchCause, wait_s: float | None) -> tuple[str, str]:
    other = tr("Look into your account with {name}, or choose another search_provider.")
    later = tr("Try again later, or choose another search_provider.")
    sentences = {
        SearchCause.KEY_REJECTED: (tr("{name} does not accept the API key ({said})."), _key_step(adapter)),
        SearchCause.NO_CREDIT: (tr("Your credit or quota with {name} is used up ({said})."), other),
        SearchCause.LIMITED: (
            tr("{name} is asked too often ({said})."),
            tr("Wait a little, then search again.") if wait_s is None else tr("Search again in {wait}."),
        ),
        SearchCause.BAD_QUERY: (tr("{name} refuses this search ({said})."), tr("Search with other words.")),
        SearchCause.FORBIDDEN: (tr("{name} denies access ({said})."), other),
        SearchCause.NOT_FOUND: (tr("There is no search at {site} ({said})."), later),
        SearchCause.REDIRECTED: (tr("{name} sends the search elsewhere ({said}), which is not followed."), later),
        SearchCause.TIMEOUT: (tr("{name} did not finish the search in time ({said})."), tr("Try again.")),
        SearchCause.SERVER_FAULT: (tr("{name} failed ({said})."), later),
    }
    unknown = tr("{name} answered with something else than results (status {said}).")
    return sentences.get(cause, (unknown, later))


def _key_step(adapter: Adapter) -> str:
    return tr(
        "Store the right one with `llamachat config set-key {id}`; {variable} in the environment goes before it."
    ).format(id=adapter.id, variable=adapter.key_variable)


def _duration(seconds: float) -> str:
    if seconds < 120:
        return tr("{seconds:g} s").format(seconds=seconds)
    if seconds < 2 * 3600:
        return tr("{minutes} min").format(minutes=round(seconds / 60))
    return tr("{hours} h").format(hours=round(seconds / 3600))


def _without_answer(fault: Fault) -> tuple[SearchCause, str, str]:
    again = tr("Try again, or choose another search_provider.")
    connection = tr("Check the connection to the internet, or choose another search_provider.")
    return {
        Fault.UNREACHABLE: (
            SearchCause.UNREACHABLE,
            tr("{name} at {site} is not reachable ({reason})."),
            connection,
        ),
        Fault.PROXY: (
            SearchCause.UNREACHABLE,
            tr("The proxy that the environment names for {reason} cannot be used."),
            tr("Correct HTTPS_PROXY or ALL_PROXY, or add the host to NO_PROXY; SOCKS is not supported."),
        ),
        Fault.TIMEOUT: (
            SearchCause.TIMEOUT,
            tr("{name} did not answer within {seconds} s."),
            tr("Try again, or raise search_timeout."),
        ),
        Fault.CERTIFICATE: (SearchCause.TLS, tr("The certificate of {site} is not trusted ({reason})."), connection),
        Fault.NO_TLS: (SearchCause.TLS, tr("{site} does not speak TLS as it should ({reason})."), connection),
        Fault.TOO_LONG: (SearchCause.SERVER_FAULT, tr("The answer of {name} is too long to be read."), again),
        Fault.BROKEN_OFF: (
            SearchCause.SERVER_FAULT,
            tr("{name} broke its answer off, or does not speak HTTP."),
            again,
        ),
    }.get(fault, (SearchCause.BAD_ADDRESS, tr("The address of {name} cannot be used."), tr("Check its setting.")))
