"""`llamachat gateway`: the web search for other programs on this machine, until it is stopped."""

from __future__ import annotations

import argparse
from contextlib import closing
from typing import TYPE_CHECKING

from llamachat.app import App, build_app
from llamachat.cli.ask import interrupt_stops
from llamachat.cli.commands import Commands, whole_number
from llamachat.cli.output import remark, write
from llamachat.config.paths import resolve_paths
from llamachat.core.cancel import CancelToken
from llamachat.core.late import LateModule
from llamachat.core.text import tr

if TYPE_CHECKING:
    from llamachat import gateway
else:
    gateway = LateModule("llamachat.gateway")

PORT = 8790
_LOOK_S = 0.5


def add_command(commands: Commands) -> None:
    """Declare the command and its argument."""
    parser = commands.add_parser("gateway", help=tr("let other programs on this machine search the web"))
    parser.add_argument(
        "--port",
        type=_port,
        default=PORT,
        metavar="N",
        help=tr("port on loopback ({port}); 0: a free one").format(port=PORT),
    )
    parser.set_defaults(run=run)


def _port(text: str) -> int:
    return whole_number(text, low=0, high=65535, needed=tr("this needs a whole number from 0 to 65535"))


def run(options: argparse.Namespace) -> int:
    """Serve until Ctrl-C or a request to end; raises UserFacingError where the port cannot be had."""
    cancel = CancelToken()
    with closing(build_app(resolve_paths(options.config, options.data_dir))) as app, interrupt_stops(cancel):
        for problem in app.problems:
            remark(str(problem))
        with gateway.running_gateway(_parts(app), port=options.port) as address:
            write(f"{address}/v1/search\n")
            remark(_missing(app) or _told(app))
            while not cancel.wait(_LOOK_S):
                pass
    return 0


def _parts(app: App) -> gateway.GatewayParts:
    return gateway.GatewayParts(
        missing=lambda: _missing(app),
        search=lambda count: app.search.web_search(count=count, asked_by_user=True, reads_pages=False),
        status=lambda: app.search.guard.status(app.config.search_provider),
        refusal=lambda: app.search.guard.refusal(app.config.search_provider),
    )


def _missing(app: App) -> str:
    app.search.look_up_key()
    permission = app.search.permission()
    return "" if permission.ready else permission.sentence


def _told(app: App) -> str:
    provider = app.search.provider()
    return tr("Queries go to {host} ({provider}) unasked. Ctrl-C ends it.").format(
        host=provider.host, provider=provider.name
    )
