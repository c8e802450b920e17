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
    own_searxng: bool = setting(
        default=False,
        prose="""Whether an empty search_url means the SearXNG that this program has installed for you
        (llamachat search --install-searxng). It is started before the first search and ends with the program.""",
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
    search_route: Literal["auto", "tools", "router"] = setting(
        "auto",
        prose="""Who decides to search in chats on Auto. tools: the model, by calling a tool. router: the program, by
        a short question to the model before each answer, for models that cannot call tools. auto: tools, where the
        server says that the model can call them or does not say, else router.""",
    )
    search_speculate: bool = setting(
        default=True,
        prose="""Whether the answer may start while the router is still deciding. Only where the server has two or
        more slots (llama-server --parallel 2).""",
    )
    search_optimize: bool = setting(
        default=True,
        prose="""Whether a message is first put into the words of a query, by a short question to the model, in chats
        that always search.""",
    )
    search_confirm: Literal["never", "always", "cloud"] = setting(
        "cloud",
        prose="""When you are asked before a query goes out: never, always, or (cloud) where it goes to a third party.
        You see the exact query then, and can change it.""",
    )
    search_keep_turns: int = setting(
        0,
        low=0,
        high=1000,
        prose="""For how many of the latest turns of a chat the model sees all that was found. Of older ones it sees
        titles and addresses, which leaves room in its context; they are shortened so many turns at a time. The chat
        itself keeps everything. 0: all turns.""",
    )
    journal: bool = setting(
        default=True,
        prose="""Whether the program keeps a list of what left for anything but the model server: when, to whom, the
        words or the address, how many bytes. It lies in the database of the chats, and is shown by
        llamachat search --journal. What a temporary chat or llamachat ask --no-save sends is not kept.""",
    )
    search_cache_s: float = setting(
        900.0,
        low=0,
        high=86_400,
        prose="""For how many seconds the answer to a query is remembered, with the pages that were read for it, so
            that the same one is not sent again. A window or gateway remembers what it asked itself, until it ends;
            a temporary chat what it asked, until it is left.""",
    )
    search_burst: int = setting(
        6, low=1, high=1000, prose="How many searches may go out one right after the other. Then they are paced."
    )
    search_refill_s: float = setting(
        20.0, low=0.1, high=3600, prose="How many seconds it takes after a burst until one more search may go out."
    )
    search_trip_after: int = setting(
        2, low=1, high=100, prose="After how many searches in a row that all search engines refused it is paused."
    )
    search_pause_s: float = setting(
        300.0,
        low=1,
        high=86_400,
        prose="How long, in seconds, the first pause lasts. Each next one is twice as long, while engines refuse.",
    )
    search_pause_max_s: float = setting(
        3600.0, low=1, high=604_800, prose="How long, in seconds, a pause lasts at most."
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
