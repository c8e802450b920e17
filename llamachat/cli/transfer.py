"""`llamachat history export` and `import`: chats to files and back."""

from __future__ import annotations

import argparse
import sys
import tempfile
from collections.abc import Iterable, Iterator, Sequence
from contextlib import suppress
from itertools import chain
from pathlib import Path
from typing import TYPE_CHECKING

from llamachat.chat_files import (
    Form,
    TextFormat,
    all_chats,
    cannot_write,
    chat_text,
    is_folder,
    text_pieces,
    write_chat,
    write_chats,
    write_folder,
)
from llamachat.cli.commands import counting_number, some_path, stored_conversation
from llamachat.cli.export_pdf import PDF, export_pdf
from llamachat.cli.output import day, remark, write, write_exact, write_json
from llamachat.core.conversation import Conversation
from llamachat.core.errors import StorageError, UserFacingError
from llamachat.core.late import LateModule
from llamachat.core.text import tr, trn
from llamachat.storage.daily_copy import make_daily_copy
from llamachat.storage.database import Database
from llamachat.storage.imported import Arrival, Fate, expected_arrivals, take_in
from llamachat.storage.index_queue import refresh_index
from llamachat.transfer.markdown import Extras
from llamachat.transfer.reading import Reading, left_out

if TYPE_CHECKING:
    from llamachat.transfer import chat_reader
else:
    chat_reader = LateModule("llamachat.transfer.chat_reader")  # 15 ms, which opening the window need not wait for

_SPOOLED_BYTES = 16 * 2**20


def add_text_arguments(parser: argparse.ArgumentParser, *, more: Sequence[str] = ()) -> None:
    """What `show` and `export` share: the form of the text (`more`: others), and what is in it."""
    parser.add_argument("--format", choices=[*(form.value for form in TextFormat), *more], default="markdown")
    parser.add_argument("--reasoning", action="store_true", help=tr("with what the model thought (Markdown, PDF)"))
    parser.add_argument("--prompts", action="store_true", help=tr("with the system prompts (Markdown)"))
    parser.add_argument("--no-sources", action="store_true", help=tr("without what was searched (Markdown)"))


def add_export_arguments(parser: argparse.ArgumentParser) -> None:
    """Which chats, and where to."""
    parser.add_argument("ids", type=counting_number, metavar="ID", nargs="*")
    parser.add_argument("--all", action="store_true", help=tr("all chats"))
    parser.add_argument(
        "--output", type=_place, metavar="FILE", help=tr("instead of stdout; into a FOLDER/, each chat is a file")
    )
    add_text_arguments(parser, more=[PDF])


def add_import_arguments(parser: argparse.ArgumentParser) -> None:
    """Which files, and whether to change anything."""
    parser.add_argument(
        "files",
        type=some_path,
        metavar="FILE",
        nargs="+",
        help=tr("of llamachat, llama.cpp's page, Open WebUI, ChatGPT (also the ZIP) or Jan; or a folder of them"),
    )
    parser.add_argument("--dry-run", action="store_true", help=tr("only say what would be added"))


def chosen_form(options: argparse.Namespace) -> Form:
    """The form that was asked for."""
    extras = Extras(sources=not options.no_sources, reasoning=options.reasoning, prompts=options.prompts)
    return Form(TextFormat(options.format), extras)


def print_text(text: str, text_format: str) -> None:
    """Print what may steer no terminal."""
    if text_format == "json":
        write_json(text)
    else:
        write(text)


def export(db: Database, options: argparse.Namespace) -> None:
    """Write chats; a file gets the text as it is, also one that the shell writes."""
    if options.all == bool(options.ids):
        raise UserFacingError(
            tr("Say which chats to export."), tr("Give their numbers (`llamachat history list`), or --all.")
        )
    named = [stored_conversation(db, number) for number in dict.fromkeys(options.ids)]
    chats: Iterable[Conversation] = all_chats(db) if options.all else named
    if options.format == PDF:
        export_pdf(db, chats, options)
        return
    form = chosen_form(options)
    if options.output and is_folder(options.output):
        count = write_folder(db, chats, Path(options.output), form)
        remark(trn("{count} chat was written.", "{count} chats were written.", count))
    elif options.output and len(named) == 1:
        write_chat(db, named[0], Path(options.output), form)
    elif options.output:
        write_chats(db, chats, Path(options.output), form)
    else:
        _print([chat_text(db, named[0], form)] if len(named) == 1 else text_pieces(db, chats, form), options.format)


def import_files(db: Database, options: argparse.Namespace) -> None:
    """Read chats into the history, all or none; or say what that would do."""
    reading = Reading()
    chats = chain.from_iterable(chat_reader.read_chats(file, reading) for file in options.files)
    if options.dry_run:
        arrivals = list(expected_arrivals(db, chats))
        for arrival in arrivals:
            write(_line(arrival))
    else:
        make_daily_copy(db)
        arrivals = take_in(db, chats)
        with suppress(StorageError):  # the chats are stored; a search puts into the index what is not in it yet
            while refresh_index(db):
                pass
    for sentence in (*left_out(reading), *_summary(arrivals, dry_run=options.dry_run)):
        remark(sentence)


def _place(text: str) -> str:
    """A path as it was typed: a slash at its end says that it is a folder."""
    some_path(text)
    return text


def _print(pieces: Iterable[str], text_format: str) -> None:
    """Print once all is read: reading may meet damage, and is begun again then."""
    with tempfile.SpooledTemporaryFile(max_size=_SPOOLED_BYTES, mode="w+", encoding="utf-8", newline="") as spool:
        try:
            spool.writelines(pieces)
        except OSError as error:
            raise cannot_write(Path(tempfile.gettempdir()), error) from error
        spool.seek(0)
        while piece := spool.read(2**16):
            if sys.stdout.isatty():
                print_text(piece, text_format)
            else:
                write_exact(piece)


def _line(arrival: Arrival) -> str:
    words = {
        Fate.NEW: tr("new"),
        Fate.GROWN: tr("longer"),
        Fate.RESTORED: tr("back"),
        Fate.KNOWN: tr("here"),
    }
    return f"{words[arrival.fate]:<8}{day(arrival.updated_at)}  {arrival.added_messages:>5}  {arrival.title}\n"


def _summary(arrivals: list[Arrival], *, dry_run: bool) -> Iterator[str]:
    counts = {fate: sum(arrival.fate is fate for arrival in arrivals) for fate in Fate}
    messages = sum(arrival.added_messages for arrival in arrivals)
    yield trn("{count} chat is new.", "{count} chats are new.", counts[Fate.NEW])
    if counts[Fate.GROWN]:
        yield trn("{count} chat has new messages.", "{count} chats have new messages.", counts[Fate.GROWN])
    if counts[Fate.RESTORED]:
        yield trn(
            "{count} chat that was deleted is back.",
            "{count} chats that were deleted are back.",
            counts[Fate.RESTORED],
        )
    if counts[Fate.KNOWN]:
        yield trn("{count} chat was here already.", "{count} chats were here already.", counts[Fate.KNOWN])
    if dry_run:
        yield tr("Nothing was changed. Without --dry-run the chats are added.")
    else:
        yield trn("{count} message was added.", "{count} messages were added.", messages)
