"""`llamachat history check|repair|backup|restore|purge`: keeping the history whole, safe and clean."""

from __future__ import annotations

import argparse
from collections.abc import Callable
from contextlib import closing
from datetime import datetime
from pathlib import Path

from llamachat.app import App, build_app
from llamachat.cli.commands import Commands, some_path
from llamachat.cli.output import day, remark, write
from llamachat.config.paths import resolve_paths
from llamachat.core.errors import StorageError
from llamachat.core.text import tr, trn
from llamachat.storage.backup import all_copies
from llamachat.storage.checkup import Checkup, check_history, mend
from llamachat.storage.daily_copy import make_copy
from llamachat.storage.database import Database
from llamachat.storage.purge import Purge, purge_deleted
from llamachat.storage.restore import restore

Action = Callable[[App, argparse.Namespace], None]


def add_actions(actions: Commands) -> None:
    """Declare the actions below `history`."""

    def action(name: str, act: Action, text: str) -> argparse.ArgumentParser:
        child = actions.add_parser(name, help=text)
        child.set_defaults(run=lambda options: _run(act, options))
        return child

    action("check", _check, tr("look the whole history over, and change nothing"))
    action("repair", _repair, tr("mend what `check` finds; a damaged file is kept"))
    copying = action("backup", _backup, tr("copy the history, also while it is in use"))
    copying.add_argument("file", type=some_path, metavar="FILE", nargs="?", help=tr("instead of the usual folder"))
    going_back = action("restore", _restore, tr("go back to a copy; without FILE, list the copies"))
    going_back.add_argument("file", type=some_path, metavar="FILE", nargs="?", help=tr("the copy"))
    action("purge", _purge, tr("remove for good what was deleted, also from the copies"))


def tell_purge(purge: Purge) -> None:
    """Say which files may still hold what was deleted for good."""
    for sentence in purge.remarks:
        remark(sentence)


def _run(act: Action, options: argparse.Namespace) -> int:
    with closing(build_app(resolve_paths(options.config, options.data_dir))) as app:
        act(app, options)
    return 0


def _check(app: App, _options: argparse.Namespace) -> None:
    path = app.paths.database
    found = check_history(path)
    if not found.is_whole:
        for line in _findings(found):
            remark(line)
        raise StorageError(
            tr("The history ({path}) has to be repaired.").format(path=path),
            tr("Close the windows of the program, then run `llamachat history repair`."),
        )
    write(f"{_whole(path, found)}\n")
    copies = all_copies(path)
    if copies:
        write(tr("The newest copy is {path}.").format(path=copies[-1]) + "\n")
    else:
        write(tr("There is no copy of it yet; `llamachat history backup` makes one.") + "\n")


def _whole(path: Path, found: Checkup) -> str:
    messages = trn("one message", "{count} messages", found.messages)
    return tr("The history ({path}) is whole: {messages}, {size}.").format(
        path=path, messages=messages, size=_size(path)
    )


def _findings(found: Checkup) -> list[str]:
    lines = list(found.damage)
    if found.lost_links:
        lines.append(
            trn("One row belongs to nothing.", "{count} rows belong to nothing.", found.lost_links),
        )
    if not found.index_is_whole:
        lines.append(tr("The search index does not hold what it should."))
    return lines


def _repair(app: App, _options: argparse.Namespace) -> None:
    path = app.paths.database
    found = check_history(path)
    with app.database(check=True) as db:
        for sentence in db.report.sentences:
            remark(sentence)
        mend(db, found)
    after = check_history(path)
    if not after.is_whole:
        raise StorageError(
            tr("The history ({path}) could not be repaired in full.").format(path=path),
            tr("`llamachat history restore` lists the copies to go back to."),
        )
    remark(tr("Nothing had to be repaired.") if found.is_whole else tr("It is repaired."))
    write(f"{_whole(path, after)}\n")


def _backup(app: App, options: argparse.Namespace) -> None:
    with _existing(app) as db:
        copy = make_copy(db, options.file)
    write(tr("The history was copied to {path} ({size}).").format(path=copy, size=_size(copy)) + "\n")


def _restore(app: App, options: argparse.Namespace) -> None:
    path = app.paths.database
    if options.file is None:
        _list_copies(path)
        return
    replaced = restore(path, options.file, now=datetime.now().timestamp())
    write(tr("The history is as it was in {path}.").format(path=options.file) + "\n")
    if replaced:
        write(tr("What it replaced is kept as {path}.").format(path=replaced) + "\n")


def _list_copies(path: Path) -> None:
    copies = all_copies(path)
    for copy in copies:
        write(f"{day(copy.stat().st_mtime)}  {_size(copy):>10}  {copy}\n")
    if not copies:
        remark(tr("There is no copy yet; `llamachat history backup` makes one."))


def _purge(app: App, _options: argparse.Namespace) -> None:
    with _existing(app) as db:
        purge = purge_deleted(db)
    chats = trn("one chat", "{count} chats", purge.chats)
    messages = trn("one single message", "{count} single messages", purge.messages)
    write(tr("Gone for good: {chats}, {messages}.").format(chats=chats, messages=messages) + "\n")
    tell_purge(purge)


def _existing(app: App) -> Database:
    """The history, which is not made for this; raises StorageError."""
    if not app.paths.database.exists():
        raise StorageError(tr("There is no history at {path} yet.").format(path=app.paths.database))
    db = app.database(check=True)
    for sentence in db.report.sentences:
        remark(sentence)
    return db


def _size(path: Path) -> str:
    megabytes = path.stat().st_size / 1e6
    return f"{megabytes:.1f} MB"
