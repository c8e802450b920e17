"""`llamachat search`: one web search, as the model's tool would run it, and what belongs to searching."""

from __future__ import annotations

import argparse
from contextlib import closing

from llamachat.app import build_app
from llamachat.cli.commands import Commands, whole_number
from llamachat.cli.output import remark, write, write_json
from llamachat.cli.search_acts import add_acts, check_act
from llamachat.config.paths import resolve_paths
from llamachat.core.cancel import CancelToken
from llamachat.core.errors import UserFacingError
from llamachat.core.page_words import page_words
from llamachat.core.search_record import SearchRecord, record_to_json
from llamachat.core.text import tr
from llamachat.searxng.answer import MAX_COUNT
from llamachat.websearch.registry import PROVIDERS


def add_command(commands: Commands) -> None:
    """Declare the command and its arguments."""
    parser = commands.add_parser("search", help=tr("search the web and print what was found"))
    parser.add_argument("query", metavar="QUERY", nargs="*", help=tr("what to search for"))
    parser.add_argument("--json", action="store_true", help=tr("print the record as JSON"))
    parser.add_argument("--count", type=_count, default=0, metavar="N", help=tr("how many results, 1 to 20"))
    parser.add_argument(
        "--provider",
        choices=PROVIDERS,
        default="",
        metavar="NAME",
        help=tr("whom to ask: {names}").format(names=", ".join(PROVIDERS)),
    )
    add_acts(parser)
    parser.set_defaults(run=run)


def run(options: argparse.Namespace) -> int:
    """Search once, or do what was asked for in its place.

    Raises UserFacingError when the search failed. Nothing found is no failure.
    """
    check_act(options)
    if options.act:
        return int(options.act(options))
    with closing(build_app(resolve_paths(options.config, options.data_dir))) as app:
        app.search.look_up_key(options.provider)
        permission = app.search.permission(options.provider)
        if not permission.ready:
            raise UserFacingError(permission.sentence)
        search = app.search.web_search(options.provider, count=options.count)
        record = search.find(" ".join(options.query), CancelToken())
    if options.json:
        write_json(record_to_json(record) + "\n")
    if record.failed:
        raise UserFacingError(record.error)
    if not options.json:
        _show(record)
    return 0


def _count(text: str) -> int:
    needed = tr("this needs a whole number from 1 to {most}").format(most=MAX_COUNT)
    return whole_number(text, low=1, high=MAX_COUNT, needed=needed)


def _show(record: SearchRecord) -> None:
    for number, result in enumerate(record.results, record.first_number):
        write(f"[{number}] {result.title}\n    {result.url}\n")
        for text in (result.excerpt, page_words(result)):
            if text:
                write(f"    {' '.join(text.split())}\n")
    if not record.results:
        remark(tr("Nothing was found."))
    for name, reason in record.engines:
        remark(tr("{engine} did not answer: {reason}").format(engine=name, reason=reason))
