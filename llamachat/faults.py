"""What is wrong with settings that read well: addresses that name no host, certificates that cannot be read."""

from __future__ import annotations

from llamachat.config.problem import Problem
from llamachat.config.scan import join_key
from llamachat.config.schema import Config
from llamachat.core.errors import ConfigError
from llamachat.llm.address import normalize_base_url
from llamachat.search import check_ca_file, check_search_url


def config_faults(config: Config) -> tuple[Problem, ...]:
    """What only shows when a value is used."""
    found = {
        "search_url": check_search_url(config.search_url) if config.search_url else None,
        "search_ca_file": check_ca_file(config.search_ca_file),
    }
    try:
        normalize_base_url(config.active_server().base_url)
    except ConfigError as error:
        found[join_key(("servers", config.server, "base_url") if config.server else ("base_url",))] = str(error)
    return tuple(Problem(None, key, reason, "warning") for key, reason in found.items() if reason)
