"""The settings of the web search: whether, whom to ask, and how much of it a model gets to see."""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar, Literal

from llamachat.config.option import setting
from llamachat.config.shapes import absolute_path, bare_address, bare_address_or_none, no_blanks, search_address


@dataclass(frozen=True, kw_only=True)
class SearchSettings:
    """Web search: off until it is switched on, and through one's own SearXNG unless another service is chosen."""

    heading: ClassVar[str] = "Web search"

    search_enabled: bool = setting(
        default=False,
        prose="""Whether models may search the web at all. Nothing is sent to a search engine before this is true and
        the service below has what it needs: for searxng, an address in search_url.""",
    )
    search_provider: Literal[
        "searxng",
        "duckduckgo",
        "brave",
        "tavily",
        "serper",
        "exa",
        "perplexity",
        "serpapi",
        "firecrawl",
        "ollama",
    ] = setting(
        "searxng",
        safe_default=True,
        prose="""Who is asked. searxng is a server of your own; all others are third parties, which see every query.
        All but searxng, duckduckgo (unofficial) and ollama (which asks its maker's servers) need an API key, which
        never stands in this file: see docs/providers.md.""",
    )
    search_url: str = setting(
        "",
        shape=search_address,
        secret=True,
        example="http://127.0.0.1:8888",
        prose="""The address of your SearXNG. A user name and a password may stand in it. Its settings.yml must list
        json under search: formats. Empty: the environment variable SEARXNG_URL is used, if there is one.""",
    )
    search_results: int = setting(
        5, low=1, high=20, prose="How many results of a search the model gets to see. More results fill its context."
    )
    search_snippet_chars: int = setting(
        300, low=50, high=4000, prose="How many characters of the text of each result the model gets to see."
    )
    search_timeout: float = setting(
        10.0, low=0.1, high=300, prose="How long, in seconds, a search may take before it is given up."
    )
    max_searches: int = setting(
        2, low=1, high=8, prose="How many times in one turn the model may search before it has to answer."
    )
    search_language: str = setting(
        "",
        shape=no_blanks,
        example="de",
        prose="""The language of the results, as SearXNG takes it: de, en-GB, all, auto. Empty: SearXNG's own
        setting.""",
    )
    search_categories: str = setting(
        "",
        example="general,news",
        prose="""The categories to search in, as SearXNG names them, with commas between. Empty: SearXNG's own
        setting.""",
    )
    search_ca_file: str = setting(
        "",
        shape=absolute_path,
        example="/etc/ssl/certs/my-own-ca.pem",
        prose="""A file of certificates (PEM) that are trusted when SearXNG is asked over https, for a certificate
        you signed yourself. Empty: the usual ones.""",
    )
    ollama_url: str = setting(
        "http://127.0.0.1:11434",
        shape=bare_address,
        prose="""The address of your Ollama, for search_provider = "ollama". It sends queries on to its maker's
        servers, so they leave this computer all the same.""",
    )
    read_pages: int = setting(
        0,
        low=0,
        high=5,
        prose="""How many of the pages that a search found are fetched, so that the model gets to see their text in
        place of a snippet. 0: none. Pages are fetched only from the public internet. The optional packages of
        llamachat[pages] find the main text better, and the text of PDF files.""",
    )
    page_text_limit: int = setting(
        5000,
        low=0,
        high=400_000,
        prose="""How many characters of a page the model gets to see. All pages of a search together never take more
        than a tenth of its context. 0: whole pages, which together may take a quarter of it.""",
    )
    page_reader: Literal["direct", "jina_fallback", "jina"] = setting(
        "direct",
        safe_default=True,
        prose="""Who fetches pages. direct: this program alone. jina_fallback: pages that this program cannot read go
        through Jina Reader, a service that runs their scripts in a browser. jina: all of them do. The service sees
        the address of every page that goes through it.""",
    )
    jina_url: str = setting(
        "",
        shape=bare_address_or_none,
        example="http://127.0.0.1:3000",
        prose="The address of a Jina Reader of your own. Empty: the public one of Jina AI, which needs no key.",
    )
