"""`llamachat history`: list, search, show, export, import and delete stored chats.

`history_deleted` and `history_care` have more.
"""

from __future__ import annotations

import argparse
from contextlib import closing

from llamachat.app import build_app
from llamachat.chat_files import chat_text
from llamachat.cli import history_care, history_deleted, history_tags
from llamachat.cli.commands import Commands, HistoryAct, counting_number, stored_conversation
from llamachat.cli.output import day, remark, write, write_marked
from llamachat.cli.store import begin_on_history
from llamachat.cli.transfer import (
    add_export_arguments,
    add_import_arguments,
    add_text_arguments,
    chosen_form,
    export,
    import_files,
    print_text,
)
from llamachat.config.paths import resolve_paths
from llamachat.core.conversation import ListOrder, SearchHit
from llamachat.core.text import tr, trn
from llamachat.storage.conversations import list_conversations
from llamachat.storage.database import Database
from llamachat.storage.deletions import delete_chats
from llamachat.storage.fulltext import IndexRebuilding, by_chat, search_history
from llamachat.storage.purge import purge_chat
from llamachat.storage.query import parse_query


def add_command(commands: Commands) -> None:
    """Declare the command, its actions and their arguments."""
    parser = commands.add_parser("history", help=tr("list, search, show, export, import or delete chats"))
    actions = parser.add_subparsers(title=tr("actions"), metavar="ACTION", required=True)

    def action(name: str, act: HistoryAct, text: str) -> argparse.ArgumentParser:
        child = actions.add_parser(name, help=text)
        child.set_defaults(run=lambda options: _run(act, options))
        return child

    listing = action("list", _list, tr("the newest chats"))
    listing.add_argument("--limit", type=counting_number, default=50, metavar="N", help=tr("how many (50)"))
    listing.add_argument("--archived", action="store_true", help=tr("those that were put away instead"))
    listing.add_argument("--tag", default="", metavar="TAG", help=tr("only those that have this tag"))
    listing.add_argument(
        "--sort",
        choices=[order.value for order in ListOrder],
        default=ListOrder.ACTIVITY.value,
        help=tr("by the newest message (activity), by when they were begun, or by title"),
    )
    finding = action("search", _search, tr("find words in all messages and titles"))
    finding.epilog = tr(
        "Words are found by how they begin, not inside others: wor finds word, and not sword. Besides words: "
        '"a phrase", title:WORD, tag:TAG, model:PART of its name, model:"NAME", role:user, role:assistant, '
        "before:2026-05-31, after:2026-05, after:yesterday, has:search, has:code; behind `--` also -WORD, which must "
        "not be there."
    )
    finding.add_argument("words", metavar="TEXT", nargs="+")
    finding.add_argument("--limit", type=counting_number, default=20, metavar="N", help=tr("how many (20)"))
    showing = action("show", _show, tr("print a chat"))
    showing.add_argument("id", type=counting_number, metavar="ID")
    add_text_arguments(showing)
    add_export_arguments(action("export", export, tr("write chats to files")))
    add_import_arguments(action("import", import_files, tr("add chats from files, also of other programs")))
    deleting = action("delete", _delete, tr("delete chats"))
    deleting.add_argument("ids", type=counting_number, metavar="ID", nargs="+")
    deleting.add_argument(
        "--for-good", action="store_true", help=tr("nothing of it stays, not in the copies of the history either")
    )
    history_tags.add_actions(action)
    history_deleted.add_actions(action)
    history_care.add_actions(actions)


def _run(act: HistoryAct, options: argparse.Namespace) -> int:
    with closing(build_app(resolve_paths(options.config, options.data_dir))) as app:
        options.settings = app.config
        db, _ = begin_on_history(app, lambda db: act(db, options))
        db.close()
    return 0


def _list(db: Database, options: argparse.Namespace) -> None:
    listed = list_conversations(
        db, limit=options.limit, archived=options.archived, order=ListOrder(options.sort), tag=options.tag
    )
    for conversation in listed:
        tags = f"  [{', '.join(conversation.tags)}]" if conversation.tags else ""
        pinned = f"  ({tr('pinned')})" if conversation.pinned else ""
        write(f"{conversation.id:>6}  {day(conversation.updated_at)}  {conversation.title}{tags}{pinned}\n")
    if options.tag and not listed:
        remark(tr("No chat of this list has the tag; `llamachat history tags` shows all tags."))


def _search(db: Database, options: argparse.Namespace) -> None:
    text = " ".join(options.words)
    hits = _found(db, text, limit=options.limit)
    for sentence in parse_query(text, now=db.clock.now()).remarks:
        remark(sentence)
    for chat in by_chat(hits):
        archived = f"  ({tr('archived')})" if chat.hits[0].archived else ""
        write(f"{chat.conversation_id:>6}  {day(chat.hits[0].created_at)}  {chat.title}{archived}\n")
        for hit in chat.hits:
            if hit.message_id is not None:
                write_marked(hit.snippet)
    if not hits:
        remark(f"{tr('Nothing was found.')} {tr('`llamachat history search --help` says what can be looked for.')}")


def _found(db: Database, text: str, *, limit: int) -> list[SearchHit]:
    """What a search finds, after the index has been rebuilt where it has to be."""
    while True:
        try:
            return search_history(db, text, limit=limit)
        except IndexRebuilding as rebuilding:
            remark(rebuilding.sentence)


def _show(db: Database, options: argparse.Namespace) -> None:
    print_text(chat_text(db, stored_conversation(db, options.id), chosen_form(options)), options.format)


def _delete(db: Database, options: argparse.Namespace) -> None:
    chats = [stored_conversation(db, number) for number in dict.fromkeys(options.ids)]
    ids = [chat.id for chat in chats]
    if options.for_good:
        history_care.tell_purge(purge_chat(db, *ids))
    else:
        delete_chats(db, ids)
    for chat in chats:
        remark(tr("Deleted: {title}").format(title=chat.title))
    if not options.for_good:
        remark(
            trn(
                "`llamachat history undelete` brings it back.",
                "`llamachat history undelete` brings them back.",
                len(chats),
            )
        )
