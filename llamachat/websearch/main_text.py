"""The main text of an HTML page: first by plain rules, then, where it does better, by trafilatura.

trafilatura finds articles best (its own and others' comparisons), but gives nothing for some pages, little for some
threads, and may drop code: then the plain rules stand.
"""

from __future__ import annotations

import logging
import re
from collections.abc import Iterator
from importlib.util import find_spec

from llamachat.websearch.plain_html import formatted_parts, plain_html

MOST_CHARS = 1_500_000  # of HTML; more takes many seconds
_ARTICLE_CHARS = 500  # for less trafilatura gives everything, menus included
_ENOUGH_VISIBLE = 2_000
_LEAST_SHARE = 4
_FENCED = re.compile(r"(^```.*?^```$)", re.MULTILINE | re.DOTALL)
_ESCAPED = re.compile(r"\\([\\`*_{}\[\]()#+.!|>~<-])")


def main_texts(html: str) -> Iterator[str]:
    """The text by plain rules, which take under a second, and then a better one if there is one."""
    html = html[:MOST_CHARS]
    visible = plain_html(html)
    yield visible
    if len(visible) >= _ARTICLE_CHARS and find_spec("trafilatura") and find_spec("selectolax"):
        article = _article(html)
        if article and not _lost_something(article, visible, html):
            yield article


def _article(html: str) -> str:
    import trafilatura

    logging.getLogger("trafilatura").setLevel(logging.CRITICAL)  # it calls pages without a tree errors
    found = trafilatura.extract(
        html, output_format="markdown", include_tables=True, include_comments=True, include_links=False
    )
    parts = _FENCED.split(found or "")
    return "".join(part if number % 2 else _ESCAPED.sub(r"\1", part) for number, part in enumerate(parts))


def _lost_something(article: str, visible: str, html: str) -> bool:
    """Whether most of the text is missing from the article, or code that the plain rules do find."""
    if len(visible) > _ENOUGH_VISIBLE and len(article) * _LEAST_SHARE < len(visible):
        return True
    kept, seen = "".join(article.split()), "".join(visible.split())
    beginnings = ("".join(part.split())[:60] for part in formatted_parts(html))
    return any(beginning in seen and beginning not in kept for beginning in beginnings)
