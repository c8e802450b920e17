"""Jina Reader: fetches a page in a browser of its own and gives its text. It sees the page's address, nothing else.

Its answers as of 2026: an envelope in JSON whose `code` counts, also inside HTTP 200; a target that failed comes as a
success with `httpStatus` or a warning. Text in place of JSON is read too. Not verified against the live service.
"""

from __future__ import annotations

import re
from dataclasses import dataclass

from llamachat import __version__
from llamachat.core.cancel import CancelToken
from llamachat.core.errors import PageError
from llamachat.core.plain_text import cut_at_word, plain_line
from llamachat.core.raw_page import MAX_PAGE_CHARS, PageText
from llamachat.core.seams import Clock, EgressLog
from llamachat.core.text import tr
from llamachat.core.web_address import host_of
from llamachat.searxng.reply import Reply
from llamachat.web_request import Exchange, Fault, RequestFailed, WebRequest
from llamachat.websearch.journaling import journaled
from llamachat.websearch.json_fields import inside, text_at
from llamachat.websearch.refusals import wait_named

PUBLIC_JINA = "https://r.jina.ai"

_TIMEOUT_S = 25.0
_MAX_BYTES = 4_000_000
_WORDS_CHARS = 120
_HEADERS = {
    "User-Agent": f"llamachat/{__version__}",
    "Accept": "application/json",
    "Accept-Encoding": "gzip",
    "DNT": "1",  # keep no copy of the page
    "X-Timeout": "15",  # from 20 on it waits until the page's network is idle
    "X-Retain-Images": "none",
    "X-Retain-Links": "text",
}
_TARGET_ERROR = re.compile(r"Target URL returned error (\d{3})")
_TEXT_MARK = "\nMarkdown Content:\n"


@dataclass(frozen=True, slots=True)
class JinaReader:
    """The public service, or another at `address`."""

    log: EgressLog
    clock: Clock
    address: str = ""
    timeout_s: float = _TIMEOUT_S

    def read(self, url: str, cancel: CancelToken) -> PageText:
        """The text of the page at `url`; raises PageError, or Cancelled at once on Stop."""
        address = self.address or PUBLIC_JINA
        address = (address if "://" in address else f"http://{address}").rstrip("/")
        request = WebRequest("POST", f"{address}/", headers=_HEADERS, json={"url": url})
        with journaled(self.log, self.clock, host=host_of(address), what="jina", query=url[:2000]) as traffic:
            exchange = Exchange(self.timeout_s, _MAX_BYTES, traffic=traffic)
            try:
                reply = exchange.run(lambda: exchange.send(request), cancel=cancel)
            except RequestFailed as failed:
                raise PageError(_no_answer(failed, timeout_s=self.timeout_s)) from failed
            return read_jina(Reply(reply.status, reply.headers, reply.body), now=self.clock.now())


def read_jina(reply: Reply, *, now: float) -> PageText:
    """The text in an answer of Jina Reader; raises PageError. The body counts before the status."""
    envelope = reply.json_object()
    if envelope is None:
        if reply.status != 200:
            raise PageError(_refusal(reply, reply.status, "", now=now))
        return _page(_after_the_head(reply.text), reply.text.partition(_TEXT_MARK)[0])
    code, status = inside(envelope, "code"), inside(envelope, "data", "httpStatus")
    if reply.status != 200 or not isinstance(envelope.get("data"), dict):
        said = code if isinstance(code, int) else reply.status
        raise PageError(_refusal(reply, said, text_at(envelope, "message"), now=now))
    if isinstance(status, int) and status >= 400:
        raise _target_failed(status)
    return _page(text_at(envelope, "data", "content"), text_at(envelope, "data", "warning"))


def _page(text: str, warning: str) -> PageText:
    if failed := _TARGET_ERROR.search(warning):
        raise _target_failed(int(failed[1]))
    if not text.strip():
        raise PageError(tr("it found no text"))
    return PageText(text.strip()[:MAX_PAGE_CHARS])


def _after_the_head(text: str) -> str:
    """The text without the lines of title, address and date that stand above it."""
    head, mark, rest = text.partition(_TEXT_MARK)
    return rest if mark else head


def _target_failed(status: int) -> PageError:
    return PageError(tr("the page's server answered it with the error {status}").format(status=status))


def _refusal(reply: Reply, code: int, words: str, *, now: float) -> str:
    """What an error of the service itself means; `code` is the one in its body."""
    wait_s = wait_named(reply, words, now=now)
    if code == 429 and wait_s is not None:
        return tr("it takes no more requests for {seconds:g} s").format(seconds=wait_s)
    sentences = {
        401: tr("it wants a key"),
        402: tr("its allowance is used up"),
        403: tr("it may not fetch from this site now"),
        422: tr("it could not load the page"),
        429: tr("it takes no more requests for now"),
        451: tr("it does not fetch from this site"),
    }
    if code in sentences:
        return sentences[code]
    said = cut_at_word(plain_line(words), _WORDS_CHARS)
    return tr("it answered with the error {said}").format(said=f"{code}: {said}" if said else code)


def _no_answer(failed: RequestFailed, *, timeout_s: float) -> str:
    if failed.fault is Fault.TIMEOUT:
        return tr("no answer within {seconds:g} s").format(seconds=timeout_s)
    if failed.fault is Fault.CERTIFICATE:
        return tr("its certificate is not trusted ({reason})").format(reason=failed.reason)
    if failed.fault is Fault.TOO_LONG:
        return tr("it sent too much")
    return tr("it is not reachable ({reason})").format(reason=failed.reason or tr("the connection broke off"))
