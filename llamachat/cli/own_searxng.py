"""`llamachat search --install-searxng` and `--remove-searxng`: a SearXNG of one's own, after a word about it."""

from __future__ import annotations

import argparse
import sys
from contextlib import closing

from llamachat.app import App, build_app
from llamachat.cli.ask import interrupt_stops
from llamachat.cli.output import agreed, remark
from llamachat.config.paths import resolve_paths
from llamachat.core.cancel import CancelToken
from llamachat.core.errors import UserFacingError
from llamachat.core.text import tr


def install_searxng(options: argparse.Namespace) -> int:
    """Say what is installed, install it once the user agrees, and have an empty search_url mean it."""
    cancel = CancelToken()
    with closing(build_app(resolve_paths(options.config, options.data_dir))) as app, interrupt_stops(cancel):
        package = app.searxng.package
        remark(package.about())
        if not options.agreed and not agreed(tr("Install it?")):
            where = "" if sys.stdin.isatty() else tr("Say --yes where nobody can be asked.")
            raise UserFacingError(tr("Nothing was installed."), where)
        if not package.installed():
            remark(tr("Installing; this takes about half a minute."))
        package.install(cancel=cancel, log=app.journal)
        app.set_setting("own_searxng", value=True)
        remark(tr("Your own SearXNG is installed. It is started before the first search."))
        _remark_rest(app)
    return 0


def remove_searxng(options: argparse.Namespace) -> int:
    """Take it out, and have an empty search_url mean nothing again."""
    with closing(build_app(resolve_paths(options.config, options.data_dir))) as app:
        there = app.searxng.package.folder.exists()
        if app.config.own_searxng:
            app.set_setting("own_searxng", value=False)
        app.searxng.package.remove()
        remark(tr("Your own SearXNG is removed.") if there else tr("There was no SearXNG of your own."))
    return 0


def _remark_rest(app: App) -> None:
    """What else stands between it and the first search."""
    config = app.config
    if config.search_provider != "searxng":
        remark(tr('Set search_provider = "searxng" to use it; now it is {name}.').format(name=config.search_provider))
    elif config.search_url:
        remark(tr("search_url names another SearXNG, which is asked in its place. Empty it to use your own."))
    elif not config.search_enabled:
        remark(tr("Web search is off. Set search_enabled = true in config.toml."))
