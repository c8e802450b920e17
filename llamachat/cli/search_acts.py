"""What `llamachat search` does in place of a search: journal, reset, doctor, status, the trial of the router."""

from __future__ import annotations

import argparse
import json
from collections.abc import Callable
from contextlib import closing
from dataclasses import asdict
from typing import TypeAlias

from llamachat.app import build_app
from llamachat.cli.commands import some_path
from llamachat.cli.output import agreed, day, remark, write, write_json
from llamachat.cli.own_searxng import install_searxng, remove_searxng
from llamachat.cli.search_checks import examine, show_status
from llamachat.cli.store import begin_on_history
from llamachat.cli.try_router import judge
from llamachat.config.paths import resolve_paths
from llamachat.core.errors import UserFacingError
from llamachat.core.text import tr, trn
from llamachat.storage.journal import JournalEntry, clear_journal, list_journal

Act: TypeAlias = Callable[[argparse.Namespace], int]


def add_acts(parser: argparse.ArgumentParser) -> None:
    """Declare the arguments. Which act was chosen stands in `act`, None for a search."""
    acts = parser.add_mutually_exclusive_group()
    for name, act, text in (
        ("--journal", show_journal, tr("print what has left this computer")),
        ("--reset", reset, tr("switch web search off and set its settings back")),
        ("--install-searxng", install_searxng, tr("install a SearXNG of your own, after a word about it")),
        ("--remove-searxng", remove_searxng, tr("remove it")),
        ("--doctor", examine, tr("find out what is wrong with the search, by one harmless search")),
        ("--status", show_status, tr("print how many searches went out, and whether they are paused")),
    ):
        acts.add_argument(name, dest="act", action="store_const", const=act, help=text)
    trial = tr("have the model judge labelled messages, and print how often it was right")
    acts.add_argument("--try-router", type=some_path, metavar="FILE", help=trial)
    parser.add_argument("--clear", action="store_true", help=tr("with --journal: empty it"))
    yes = tr("with --install-searxng: do not ask")
    parser.add_argument("--yes", dest="agreed", action="store_true", help=yes)
    parser.add_argument("--forget-keys", action="store_true", help=tr("with --reset: forget the API keys too"))


def check_act(options: argparse.Namespace) -> None:
    """Settle which act it is; raises UserFacingError where arguments do not go together."""
    if options.try_router:
        options.act = judge
    if options.act and options.query:
        raise UserFacingError(tr("Words to search for do not go with this."), tr("Leave them out."))
    if options.clear and options.act is not show_journal:
        raise UserFacingError(tr("--clear goes with --journal."))
    if options.agreed and options.act is not install_searxng:
        raise UserFacingError(tr("--yes goes with --install-searxng."))
    if options.forget_keys and options.act is not reset:
        raise UserFacingError(tr("--forget-keys goes with --reset."))
    if not options.act and not options.query:
        raise UserFacingError(tr("There are no words to search for."), tr("Give them as arguments."))


def show_journal(options: argparse.Namespace) -> int:
    """Print every row, the newest last, or delete them."""
    with closing(build_app(resolve_paths(options.config, options.data_dir))) as app:
        db, entries = begin_on_history(app, list_journal)
        with db:
            if options.clear:
                count = clear_journal(db)
                remark(trn("{count} row was deleted.", "{count} rows were deleted.", count).format(count=count))
                return 0
        for entry in reversed(entries):
            if options.json:
                write_json(json.dumps({"id": entry.id, **asdict(entry.egress)}, ensure_ascii=False) + "\n")
            else:
                write(_line(entry))
        if not entries:
            remark(tr("The journal is empty."))
        if not app.config.journal:
            remark(tr("It is switched off: journal = false."))
    return 0


def reset(options: argparse.Namespace) -> int:
    """Switch off and set back; keys go only where that was said, or is when asked."""
    with closing(build_app(resolve_paths(options.config, options.data_dir))) as app:
        app.reset_search()
        remark(tr("Web search is off, and its settings are what they were at first."))
        if options.forget_keys or agreed(tr("Forget the API keys in the system's keyring too?")):
            forgotten = app.search.keys.forget_all()
            names = ", ".join(forgotten) or tr("there were none")
            remark(tr("API keys forgotten: {names}.").format(names=names))
        for variable in app.search.keys.set_variables():
            remark(tr("{variable} is still set in the environment.").format(variable=variable))
    return 0


def _line(entry: JournalEntry) -> str:
    row = entry.egress
    words = " ".join(row.query.split())
    amounts = tr("{sent} B out, {received} B in, {seconds:.2f} s").format(
        sent=f"{row.bytes_out:,}", received=f"{row.bytes_in:,}", seconds=row.seconds
    )
    answer = tr(", answer {id}").format(id=row.message_id) if row.message_id else ""
    outcome = " ".join(row.outcome.split())
    return f"{day(row.at)}  {row.what}  {row.host}  {words}\n    {outcome}: {amounts}{answer}\n"
