"""`llamachat history`: list, search, show, export and delete stored chats."""

from __future__ import annotations

import argparse
import sys
from collections.abc import Callable
from contextlib import closing
from pathlib import Path

from llamachat.app import build_app
from llamachat.cli.commands import Commands, counting_number, some_path, stored_conversation
from llamachat.cli.output import day, remark, write, write_exact, write_json, write_marked
from llamachat.cli.store import begin_on_history
from llamachat.config.paths import resolve_paths
from llamachat.core.conversation import SearchHit
from llamachat.core.errors import UserFacingError
from llamachat.core.text import tr
from llamachat.storage.conversations import delete_conversation, list_conversations
from llamachat.storage.database import Database
from llamachat.storage.fulltext import IndexRebuilding, search_history
from llamachat.storage.messages import load_branch, load_messages
from llamachat.transfer.json_export import conversation_json
from llamachat.transfer.markdown import conversation_markdown

# Reads first and prints then: it is begun again where reading meets damage.
Action = Callable[[Database, argparse.Namespace], None]


def add_command(commands: Commands) -> None:
    """Declare the command, its actions and their arguments."""
    parser = commands.add_parser("history", help=tr("list, search, show, export or delete stored chats"))
    actions = parser.add_subparsers(title=tr("actions"), metavar="ACTION", required=True)

    def action(name: str, act: Action, text: str) -> argparse.ArgumentParser:
        child = actions.add_parser(name, help=text)
        child.set_defaults(run=lambda options: _run(act, options))
        return child

    listing = action("list", _list, tr("the newest chats"))
    listing.add_argument("--limit", type=counting_number, default=50, metavar="N", help=tr("how many (50)"))
    finding = action("search", _search, tr("find words in all messages and titles"))
    finding.add_argument("words", metavar="TEXT", nargs="+")
    finding.add_argument("--limit", type=counting_number, default=20, metavar="N", help=tr("how many (20)"))
    for name, act, text in (("show", _show, tr("print a chat")), ("export", _export, tr("write a chat to a file"))):
        child = action(name, act, text)
        child.add_argument("id", type=counting_number, metavar="ID")
        child.add_argument("--format", choices=["markdown", "json"], default="markdown")
        if name == "export":
            child.add_argument("--output", type=some_path, metavar="FILE", help=tr("instead of stdout"))
        child.add_argument("--reasoning", action="store_true", help=tr("with what the model thought (Markdown)"))
    action("delete", _delete, tr("delete a chat")).add_argument("id", type=counting_number, metavar="ID")


def _run(act: Action, options: argparse.Namespace) -> int:
    with closing(build_app(resolve_paths(options.config, options.data_dir))) as app:
        db, _ = begin_on_history(app, lambda db: act(db, options))
        db.close()
    return 0


def _list(db: Database, options: argparse.Namespace) -> None:
    for conversation in list_conversations(db, limit=options.limit):
        write(f"{conversation.id:>6}  {day(conversation.updated_at)}  {conversation.title}\n")


def _search(db: Database, options: argparse.Namespace) -> None:
    hits = _found(db, " ".join(options.words), limit=options.limit)
    for hit in hits:
        write(f"{hit.conversation_id:>6}  {day(hit.created_at)}  {hit.title}\n")
        if hit.message_id is not None:
            write_marked(hit.snippet)
    if not hits:
        remark(tr("Nothing was found."))


def _found(db: Database, text: str, *, limit: int) -> list[SearchHit]:
    """What a search finds, after the index has been rebuilt where it has to be."""
    while True:
        try:
            return search_history(db, text, limit=limit)
        except IndexRebuilding as rebuilding:
            remark(rebuilding.sentence)


def _show(db: Database, options: argparse.Namespace) -> None:
    _print(_exported(db, options), options.format)


def _print(text: str, text_format: str) -> None:
    if text_format == "json":
        write_json(text)
    else:
        write(text)


def _export(db: Database, options: argparse.Namespace) -> None:
    """A file gets the text as it is, also one that the shell writes."""
    text = _exported(db, options)
    if options.output:
        _write_file(options.output, text)
    elif sys.stdout.isatty():
        _print(text, options.format)
    else:
        write_exact(text)


def _write_file(path: Path, text: str) -> None:
    try:
        path.write_text(text, encoding="utf-8")
    except OSError as error:
        reason = error.strerror or str(error)
        raise UserFacingError(tr("{file} cannot be written: {reason}.").format(file=path, reason=reason)) from error


def _exported(db: Database, options: argparse.Namespace) -> str:
    conversation = stored_conversation(db, options.id)
    if options.format == "json":
        return conversation_json(conversation, load_messages(db, conversation.id))
    return conversation_markdown(conversation, load_branch(db, conversation.id), reasoning=options.reasoning)


def _delete(db: Database, options: argparse.Namespace) -> None:
    conversation = stored_conversation(db, options.id)
    delete_conversation(db, conversation.id)
    remark(tr("Deleted: {title}").format(title=conversation.title))
