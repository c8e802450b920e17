"""The settings of the web search: whether, whom to ask, and how much of it a model gets to see."""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar

from llamachat.config.option import setting
from llamachat.config.shapes import absolute_path, no_blanks, search_address


@dataclass(frozen=True, kw_only=True)
class SearchSettings:
    """Web search through SearXNG."""

    heading: ClassVar[str] = "Web search"

    search_enabled: bool = setting(
        default=False,
        prose="""Whether models may search the web at all. Nothing is sent to a search engine before this is true and
        search_url names a SearXNG.""",
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
