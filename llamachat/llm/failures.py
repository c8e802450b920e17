"""What a model server says when it fails -> one ServerError: a sentence, a next step and a cause. No I/O.

Sources: llama-server b10434 and b11434, vLLM, SGLang, Ollama, TabbyAPI and gateways in front of them; they agree on
little, so the type is looked at first and the words after it.
"""

from __future__ import annotations

import json
import re
from dataclasses import dataclass

from llamachat.core.errors import ServerCause, ServerError
from llamachat.core.messages import JsonObject
from llamachat.core.text import clean, tr

_MAX_WORDS = 300
_MARKUP = re.compile(r"<\s*(!doctype|html|head|body|title|h1|p|div|script)\b", re.IGNORECASE)
_CONTEXT = re.compile(
    r"context[ _](?:size|length|window)|maximum context|max_model_len|exceed_context|context_length_exceeded"
    r"|(?:prompt|input) (?:is )?too long",
    re.IGNORECASE,
)
_TOOLS = re.compile(
    r"(?:does not|doesn't|not) support (?:tools?|function)|tools? (?:is |are )?not supported|tools? param requires"
    r"|enable-auto-tool-choice|--jinja|tool[ _]choice\b.*(?:support|requires|allowed)",
    re.IGNORECASE,
)
_PREFILL = re.compile(r"prefill|assistant messages? at the end", re.IGNORECASE)
_NO_MODEL = re.compile(
    r"model\b.{0,120}\b(?:not found|does(?: not|n't) exist|not (?:available|loaded)|unknown)|model_not_found"
    r"|(?:unknown|invalid|no such) model|not find.{0,40}\bmodel|model name is missing",
    re.IGNORECASE | re.DOTALL,
)
_LOAD_FAILED = re.compile(
    r"model\b.{0,200}\bfailed to load|failed to load (?:the )?model|(?:unable|failed) to start",
    re.IGNORECASE | re.DOTALL,
)


@dataclass(frozen=True, slots=True)
class Told:
    """What a failure says of itself: the words, a type or code in words, and token numbers where there are any."""

    words: str = ""
    kind: str = ""
    status: int | None = None
    prompt_tokens: int | None = None
    context_tokens: int | None = None


def told_by_object(body: JsonObject) -> Told | None:
    """Read the failure in a JSON object of a server; None when it tells of none.

    Shapes: `{"error": {...}}`, `{"error": "text"}`, `{"error_type", "error_message"}`, `{"object": "error", ...}`,
    `{"detail": ...}`.
    """
    error = body.get("error")
    if isinstance(error, dict):
        return told_by_error(error)
    if isinstance(error, str) and error:
        return Told(words=error, kind=str(body.get("type") or ""))
    if body.get("error_message") or body.get("error_type"):
        return Told(words=str(body.get("error_message") or ""), kind=str(body.get("error_type") or ""))
    if body.get("object") == "error":
        return told_by_error(body)
    detail = body.get("detail")
    if detail and "choices" not in body:
        return Told(words=detail if isinstance(detail, str) else json.dumps(detail))
    return None


def told_by_error(error: JsonObject) -> Told:
    """Read the object under `error`."""
    code = error.get("code")
    words = str(error.get("message") or error.get("detail") or "")
    kind = " ".join(str(value) for value in (error.get("type"), code) if isinstance(value, str))
    prompt, context = _whole(error.get("n_prompt_tokens")), _whole(error.get("n_ctx"))
    if context is None and _CONTEXT.search(f"{kind} {words}"):
        prompt, context = _numbers(words)
    return Told(words, kind, _whole(code), prompt, context)


def told_by_body(text: str) -> Told:
    """Read the body of an answer that is no success: JSON of any shape, plain words, or a web page."""
    try:
        body = json.loads(text)
    except (ValueError, RecursionError):
        return Told(words=text.strip())
    if isinstance(body, dict):
        return told_by_object(body) or Told(words=str(body.get("message") or ""))
    return Told(words=body) if isinstance(body, str) else Told()


def server_error(told: Told, *, status: int | None = None, secret: str = "") -> ServerError:
    """The failure as an error for people. `status` is the HTTP status; `secret` is never repeated."""
    status = told.status if status is None else status
    words = _one_line(told.words, secret)
    cause = _cause(f"{told.kind} {words}", told, status)
    sentence, step = _sentences(cause, told, _quoted(words, status))
    if cause is ServerCause.UNAUTHORIZED and not secret:
        sentence = tr("The model server wants a key{quoted}").format(quoted=_quoted(words, status))
        step = tr("Put it into an environment variable, name that in api_key_env, and start llamachat anew.")
    return ServerError(
        sentence,
        step,
        cause=cause,
        status=status,
        prompt_tokens=told.prompt_tokens,
        context_tokens=told.context_tokens,
    )


def answer_error(status: int, body: str, *, location: str = "", secret: str = "") -> ServerError:
    """The failure in an HTTP answer that is no success; `location` is where a redirect points."""
    told = told_by_body(body)
    if location and 300 <= status < 400:
        told = Told(words=tr("it sends on to {place}").format(place=location))
    return server_error(told, status=status, secret=secret)


def _is_page(text: str) -> bool:
    """True when `text` is a web page and not an answer."""
    return bool(_MARKUP.search(text[:2000]))


def _cause(text: str, told: Told, status: int | None) -> ServerCause:
    if status in (401, 403) or "authentication_error" in text:
        return ServerCause.UNAUTHORIZED
    if told.context_tokens is not None or _CONTEXT.search(text):
        return ServerCause.CONTEXT_FULL
    for pattern, cause in _BY_WORDS:
        if pattern.search(text):
            return cause
    if status == 503:
        return ServerCause.LOADING
    if status in (404, 405) or (status is not None and 300 <= status < 400):
        return ServerCause.NOT_A_SERVER
    if status is not None and (400 <= status < 429 or status in (431, 501)):
        return ServerCause.BAD_REQUEST
    return ServerCause.SERVER_FAULT


_BY_WORDS = (
    (_PREFILL, ServerCause.PREFILL_REFUSED),
    (_TOOLS, ServerCause.TOOLS_REFUSED),
    (_LOAD_FAILED, ServerCause.MODEL_FAILED),
    (_NO_MODEL, ServerCause.MODEL_NOT_FOUND),
)


def _sentences(cause: ServerCause, told: Told, quoted: str) -> tuple[str, str]:
    """The sentence and the next step for a cause; `quoted` is what the server said, as the end of a sentence."""
    if cause is ServerCause.CONTEXT_FULL:
        return _context_sentence(told, quoted), tr(
            "Start a new chat, shorten the message, or give the server a larger context (llama-server -c N)."
        )
    sentence, step = {
        ServerCause.UNAUTHORIZED: (
            tr("The model server refused the key{quoted}"),
            tr("Put the right key into the environment variable named by api_key_env and start llamachat anew."),
        ),
        ServerCause.MODEL_NOT_FOUND: (
            tr("The model server has no such model{quoted}"),
            tr("Choose a model from the list."),
        ),
        ServerCause.MODEL_FAILED: (
            tr("The model could not be loaded{quoted}"),
            tr("The server's own output says why; another model may work."),
        ),
        ServerCause.LOADING: (
            tr("The model server is not ready yet{quoted}"),
            tr("Try again when the model is loaded."),
        ),
        ServerCause.TOOLS_REFUSED: (
            tr("The model server takes no tools with this model{quoted}"),
            tr("Switch the search of this chat off, or choose a model that can call tools."),
        ),
        ServerCause.PREFILL_REFUSED: (
            tr("The model server does not continue an answer that was begun{quoted}"),
            tr("Ask the model in a new message to go on."),
        ),
        ServerCause.NOT_A_SERVER: (
            tr("There is no chat at this address{quoted}"),
            tr("Check base_url: it is the address of the server without /v1."),
        ),
        ServerCause.BAD_REQUEST: (
            tr("The model server refused the request{quoted}"),
            tr("Another model, or other sampling settings, may be taken."),
        ),
    }.get(cause, (tr("The model server failed{quoted}"), tr("Try again; the server's own output may say more.")))
    return sentence.format(quoted=quoted), step


def _context_sentence(told: Told, quoted: str) -> str:
    if told.prompt_tokens is not None and told.context_tokens is not None:
        return tr("The chat is too long for the model: {prompt:,} tokens, and the context holds {context:,}.").format(
            prompt=told.prompt_tokens, context=told.context_tokens
        )
    return tr("The chat is too long for the model's context{quoted}").format(quoted=quoted)


def _quoted(words: str, status: int | None) -> str:
    if words:
        return f": {words}" if words.endswith((".", "!", "?")) else f": {words}."
    return f" (HTTP {status})." if status is not None else "."


def _one_line(words: str, secret: str) -> str:
    """The server's words, safe to show: one line, bounded, never a web page, never the key."""
    if _is_page(words):
        return ""
    if secret:
        words = words.replace(secret, "***")
    line = " ".join("".join(c if c.isprintable() else " " for c in clean(words[: 4 * _MAX_WORDS])).split())
    return line if len(line) <= _MAX_WORDS else f"{line[:_MAX_WORDS]}…"


def _numbers(words: str) -> tuple[int | None, int | None]:
    """Prompt and context size out of words: "request (18020 tokens) exceeds the context size (4096 tokens)"."""
    stated = re.search(r"context (?:length|size|window)\D{0,20}(\d{2,9})\b", words, re.IGNORECASE)
    if stated is None:
        return None, None
    context = int(stated.group(1))
    larger = [number for number in map(int, re.findall(r"\b\d{2,9}\b", words)) if number > context]
    return max(larger, default=None), context


def _whole(value: object) -> int | None:
    return value if isinstance(value, int) and not isinstance(value, bool) else None
