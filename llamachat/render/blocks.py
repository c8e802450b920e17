"""What stands around an answer: who speaks, searches, thinking, sources, what it cost. Its end: `endings.py`.

Each function gives HTML for whole blocks, like `html.py`, with all text escaped. Anchors of the program's own are
made only here and in `html.py`; text of strangers goes through `allowed_link` before it becomes a link.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from html import escape

from llamachat.core.messages import Role, StoredMessage, Usage
from llamachat.core.page_words import page_words
from llamachat.core.search_record import SearchRecord, SearchResult, numbered_results
from llamachat.core.text import tr, trn
from llamachat.render.block_html import open_block
from llamachat.render.block_kinds import FILLER, BlockKind
from llamachat.render.links import Anchor, AnchorKind, allowed_link

_CLOSED, _OPENED = "▸", "▾"
_LONGEST_TITLE = 48
_LONGEST_LINE = 300


def draw_header(message: StoredMessage, version: str = "") -> str:
    """Who speaks, and which version this is (such as `2/3`); at the right end of a person's header a Copy."""
    if message.role is Role.USER:
        copy = _action(AnchorKind.COPY, message.id, tr("Copy"))
        name = escape(tr("You")) + _remarks(version)
        return _block("you", BlockKind.HEADER, f'{name}\t<span class="plain">{copy}</span>')
    edited = tr("edited by you") if message.edited else ""
    return _block("model", BlockKind.HEADER, escape(model_name(message.model)) + _remarks(edited, version))


def _remarks(*parts: str) -> str:
    """What is told behind a name."""
    text = _dotted([part for part in parts if part])
    return f'<span class="plain">{escape(text)}</span>' if text else ""


def model_name(model: str) -> str:
    """A model's name without its folder and file type."""
    return model.rstrip("/").rsplit("/", 1)[-1].removesuffix(".gguf") or tr("Assistant")


def draw_search(record: SearchRecord, message_id: int, number: int, *, opened: bool) -> str:
    """The line of one search, and when `opened` what it found and why it was made."""
    anchor = Anchor(AnchorKind.SEARCH, message_id, number)
    line = _fold(anchor, _search_summary(record), opened=opened, failed=record.failed)
    return line + "".join(_search_details(record, message_id)) if opened else line


def _search_summary(record: SearchRecord) -> str:
    query = _shorten(record.query, _LONGEST_LINE)
    if record.failed:
        return tr("search failed: {query} — {reason}").format(query=query, reason=_one_line(record.error).rstrip("."))
    results = trn("{count} result", "{count} results", len(record.results))
    if record.engines and not record.results:
        results += "; " + trn("{count} engine did not answer", "{count} engines did not answer", len(record.engines))
    return tr("searched: {query} ({results})").format(query=query, results=results)


def _search_details(record: SearchRecord, message_id: int) -> Iterator[str]:
    for number, result in enumerate(record.results, record.first_number):
        yield from _result(number, result)
    again = ""
    if record.cached_age_s is not None:
        again = f" · {_action(AnchorKind.SEARCH_AGAIN, message_id, tr('Search again'))}"
    yield _block("why", BlockKind.DETAIL, f"{escape(' · '.join(_why(record)))}{again}")


def _result(number: int, result: SearchResult) -> Iterator[str]:
    address = allowed_link(result.url)
    title = escape(_one_line(result.title) or result.url)
    shown = escape(_shorten(result.url, _LONGEST_LINE))
    yield _block("result", BlockKind.DETAIL, f"[{number}] {_link(address, title)}")
    yield _block("address", BlockKind.DETAIL, _link(address, shown))
    if result.excerpt:
        yield _block("snippet", BlockKind.DETAIL, escape(_one_line(result.excerpt)))
    if words := page_words(result):
        yield _block("unread" if result.read_error else "page", BlockKind.DETAIL, escape(_one_line(words)))


def _why(record: SearchRecord) -> Iterator[str]:
    yield {
        "router": tr("chosen by the router"),
        "text": tr("chosen by the model, in its text"),
        "user": tr("asked by you"),
    }.get(record.route, tr("chosen by the model"))
    if record.asked and record.asked != record.query:
        yield tr("asked for “{query}”, sent “{asked}”").format(query=record.query, asked=record.asked)
    else:
        yield tr("sent “{query}”").format(query=record.query)
    if record.provider:
        yield record.provider
    if record.cached_age_s is not None:
        yield tr("from cache, {minutes} min old").format(minutes=round(record.cached_age_s / 60))
    if record.engines:
        engines = "; ".join(f"{name}: {reason}" if reason else name for name, reason in record.engines)
        yield tr("did not answer: {engines}").format(engines=engines)
    yield format_seconds(record.seconds)
    if record.note:
        yield _one_line(record.note)


def draw_thinking(reasoning: str, message_id: int, *, opened: bool) -> str:
    """The line of the thinking, and its text when `opened`; nothing when there is none."""
    if not reasoning.strip():
        return ""
    line = draw_thinking_line(reasoning, message_id, opened=opened)
    return line + draw_thoughts(thought_lines(reasoning)) if opened else line


def draw_thinking_line(reasoning: str, message_id: int, *, opened: bool) -> str:
    """The line that opens and closes the thinking."""
    return _fold(Anchor(AnchorKind.REASONING, message_id), thinking_summary(reasoning), opened=opened)


def thinking_summary(reasoning: str) -> str:
    """Such as `thinking (1441 chars, 38 lines)`."""
    text = reasoning.strip()
    chars = trn("{count} char", "{count} chars", len(text))
    lines = trn("{count} line", "{count} lines", text.count("\n") + 1)
    return tr("thinking ({chars}, {lines})").format(chars=chars, lines=lines)


def thought_lines(reasoning: str) -> list[str]:
    """The lines of the thinking as they are shown."""
    return reasoning.strip("\n").rstrip().split("\n")


def draw_thoughts(lines: Sequence[str]) -> str:
    """Lines of thinking, as plain text."""
    return "".join(_block("thought", BlockKind.DETAIL, escape(line) or FILLER) for line in lines)


def draw_waiting(text: str) -> str:
    """What goes on while nothing else comes."""
    return _block("waiting", BlockKind.WAITING, escape(_shorten(text, _LONGEST_LINE)))


def draw_notices(notices: Sequence[str]) -> str:
    """Sentences about the turn that are no errors."""
    return "".join(_block("notice", BlockKind.NOTICE, escape(_one_line(notice))) for notice in notices)


def draw_remark(message_id: int, *, plain: bool, cut: bool) -> str:
    """What the drawn text of a message does not show, and that its Markdown could not be drawn."""
    html = ""
    if plain:
        html += _block("notice", BlockKind.NOTICE, escape(tr("This text could not be drawn as Markdown.")))
    if cut:
        text = escape(tr("This text is long and not all of it is shown. Copy gives all of it."))
        html += _block("notice", BlockKind.NOTICE, f"{text} {_action(AnchorKind.WHOLE, message_id, tr('Show all'))}")
    return html


def draw_sources(searches: Sequence[SearchRecord]) -> str:
    """`Sources (SearXNG): [1] ... | [2] ...`, and what was searched where it differs from what was asked for."""
    links = [
        _link(allowed_link(result.url), f"[{number}] {escape(_shorten(_one_line(result.title) or result.url))}")
        for number, result in numbered_results(searches).items()
    ]
    if not links:
        return ""
    names = dict.fromkeys(record.provider for record in searches if record.results and record.provider)
    label = tr("Sources ({providers}):").format(providers=", ".join(names)) if names else tr("Sources:")
    sent = dict.fromkeys(record.asked for record in searches if record.asked and record.asked != record.query)
    tail = [tr("searched: “{query}”").format(query=_shorten(query, _LONGEST_LINE)) for query in sent]
    return _block("sources", BlockKind.SOURCES, f"{escape(label)} {' | '.join(links)}{escape(_dotted(tail))}")


def draw_footer(message: StoredMessage) -> str:
    """Copy, and what the answer cost."""
    copy = _action(AnchorKind.COPY, message.id, tr("Copy"))
    return _block("footer", BlockKind.FOOTER, f"{copy}{escape(_dotted(usage_parts(message.usage)))}")


def usage_parts(usage: Usage) -> list[str]:
    """Such as `512 tokens`, `42.1 tokens/s`, `1,234 prompt tokens, 800 of them cached`."""
    parts = []
    tokens = usage.predicted_n if usage.predicted_n is not None else usage.completion_tokens
    if tokens:
        parts.append(trn("{count} token", "{count} tokens", tokens))
    if tokens and usage.predicted_ms:
        parts.append(tr("{rate:.1f} tokens/s").format(rate=tokens / usage.predicted_ms * 1000))
    if usage.prompt_n is not None and usage.cache_n is not None:
        read = tr("{total:,} prompt tokens, {cached:,} of them cached")
        parts.append(read.format(total=usage.prompt_n + usage.cache_n, cached=usage.cache_n))
    elif usage.prompt_tokens:
        parts.append(tr("{total:,} prompt tokens").format(total=usage.prompt_tokens))
    return parts


def draw_empty(text: str) -> str:
    """The page without messages: plain text, a block for each paragraph."""
    paragraphs = [escape(part).replace("\n", "<br>") for part in text.split("\n\n") if part.strip()]
    return _boxed("empty", BlockKind.EMPTY, paragraphs)


def format_seconds(seconds: float) -> str:
    """Such as `3.4 s`; whole seconds from ten on."""
    return (
        tr("{seconds:.1f} s").format(seconds=seconds)
        if seconds < 9.95
        else tr("{seconds:.0f} s").format(seconds=seconds)
    )


def _block(css_class: str, kind: BlockKind, html: str) -> str:
    return f"{open_block(css_class, kind)}{html}</p>"


def _boxed(css_class: str, kind: BlockKind, lines: Sequence[str]) -> str:
    """Lines with space above the first and below the last."""
    edges = {0: " first", len(lines) - 1: " last"} if len(lines) > 1 else {0: " first last"}
    return "".join(_block(css_class + edges.get(index, ""), kind, line) for index, line in enumerate(lines))


def _fold(anchor: Anchor, text: str, *, opened: bool, failed: bool = False) -> str:
    mark = _OPENED if opened else _CLOSED
    css_class = "fold failed" if failed else "fold"
    return _block(css_class, BlockKind.FOLD, f'<a href="{anchor}">{mark} {escape(text)}</a>')


def _action(kind: AnchorKind, message_id: int, label: str) -> str:
    return f'<a href="{Anchor(kind, message_id)}">{escape(label)}</a>'


def _link(address: str | None, html: str) -> str:
    return f'<a href="{escape(address)}">{html}</a>' if address else html


def _dotted(parts: Sequence[str]) -> str:
    return "".join(f" · {part}" for part in parts)


def _one_line(text: str) -> str:
    return " ".join(text.split())


def _shorten(text: str, longest: int = _LONGEST_TITLE) -> str:
    return text if len(text) <= longest else text[: longest - 1].rstrip() + "…"
