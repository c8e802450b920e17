"""`llamachat history tags` and `tag`: listing tags, and giving, taking, renaming and deleting them."""

from __future__ import annotations

import argparse

from llamachat.cli.commands import AddAct, counting_number, stored_conversation
from llamachat.cli.output import remark, write
from llamachat.core.errors import UserFacingError
from llamachat.core.tag import tag_key, tag_name
from llamachat.core.text import tr, trn
from llamachat.storage.database import Database
from llamachat.storage.tags import delete_tag, list_tags, rename_tag, tag_chats, untag_chats


def add_actions(action: AddAct) -> None:
    """Declare the actions below `history`."""
    action("tags", _tags, tr("all tags, with the number of their chats"))
    tagging = action("tag", _tag, tr("give a tag to chats; make it where there is none"))
    tagging.add_argument("tag", metavar="TAG")
    tagging.add_argument("ids", type=counting_number, metavar="ID", nargs="*")
    instead = tagging.add_mutually_exclusive_group()
    instead.add_argument("--remove", action="store_true", help=tr("take it from the chats instead"))
    instead.add_argument(
        "--rename", metavar="NAME", help=tr("give the tag another name; where a tag has it, the two are joined")
    )
    instead.add_argument("--delete", action="store_true", help=tr("delete the tag; its chats stay"))


def _tags(db: Database, _options: argparse.Namespace) -> None:
    tags = list_tags(db)
    for tag in tags:
        write(f"{tag.chats:>6}  {tag.name}\n")
    if not tags:
        remark(tr("There are no tags yet; `llamachat history tag TAG ID` gives one to a chat."))


def _tag(db: Database, options: argparse.Namespace) -> None:
    if options.rename is not None or options.delete:
        _change(db, options)
        return
    if not options.ids:
        raise UserFacingError(
            tr("A tag is given to chats: no chat is named."), tr("`llamachat history list` shows their numbers.")
        )
    ids = [stored_conversation(db, number).id for number in options.ids]
    if options.remove:
        untag_chats(db, ids, options.tag)
    else:
        tag_chats(db, ids, options.tag)
    key = tag_key(tag_name(options.tag))
    count = next((tag.chats for tag in list_tags(db) if tag_key(tag.name) == key), 0)
    remark(trn("Chats with the tag now: {count}", "Chats with the tag now: {count}", count))


def _change(db: Database, options: argparse.Namespace) -> None:
    if options.ids:
        raise UserFacingError(
            tr("A tag is renamed or deleted for all its chats."), tr("Leave the numbers of chats out.")
        )
    if options.delete:
        delete_tag(db, options.tag)
        remark(tr("Deleted: {title}").format(title=options.tag))
    elif rename_tag(db, options.tag, options.rename):
        remark(tr("“{tag}” is joined with “{name}”.").format(tag=options.tag, name=options.rename))
