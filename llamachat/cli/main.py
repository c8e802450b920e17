"""The command line: arguments to one call each. The window is imported only when it is opened."""

from __future__ import annotations

import argparse
import gc
import os
import shlex
import signal
import sys
from collections.abc import Sequence
from pathlib import Path

from llamachat import __version__
from llamachat.app import build_app
from llamachat.cli import ask, configure, gateway, history, search
from llamachat.cli.commands import some_path
from llamachat.cli.output import complain, remark
from llamachat.config.paths import resolve_paths
from llamachat.core.errors import Cancelled, UserFacingError
from llamachat.core.text import tr

FAILED = 1


def main(argv: Sequence[str] | None = None) -> int:
    """Run one command; 0 done, 1 failed (a sentence on stderr), 2 wrong usage."""
    _mend_streams()
    parser = build_parser()
    options = parser.parse_args(argv)
    if options.run is not open_window and (options.demo or options.demo_model or options.yes):
        parser.error(_no_demo_here(options))
    try:
        _hear_interrupts()
        return int(options.run(options))
    except UserFacingError as error:
        complain(str(error))
    except (Cancelled, KeyboardInterrupt):
        complain(tr("Stopped."))
    except BrokenPipeError:  # the reader of a pipe went away, and knows
        pass
    return FAILED


def _no_demo_here(options: argparse.Namespace) -> str:
    """Why a command takes no --demo, and what does what was meant."""
    why = tr("--demo, --demo-model and --yes are for the window; they go with no command")
    folder = resolve_paths(options.config, options.data_dir, demo=True).data_dir
    chats = tr("The chats of the demo: --data-dir {folder}").format(folder=shlex.quote(str(folder)))
    ask = tr("To ask in a terminal, start llama-server with a model and set base_url in config.toml.")
    return f"{why}.\n{chats}\n{ask}"


def _hear_interrupts() -> None:
    """From here on Ctrl-C is a KeyboardInterrupt; while the program was loaded it ended the process."""
    if signal.getsignal(signal.SIGINT) is signal.SIG_DFL:
        signal.signal(signal.SIGINT, signal.default_int_handler)


def _mend_streams() -> None:
    """A stream that was closed counts as empty, and no byte that is not text stops a command."""
    for name, mode in (("stdin", "r"), ("stdout", "w"), ("stderr", "w")):
        stream = getattr(sys, name)
        if stream is None:
            setattr(sys, name, Path(os.devnull).open(mode, encoding="utf-8"))  # noqa: SIM115 - it stays open
        elif hasattr(stream, "reconfigure"):
            stream.reconfigure(errors="replace")


def build_parser() -> argparse.ArgumentParser:
    """The whole command line."""
    parser = argparse.ArgumentParser(
        prog="llamachat", description=tr("Talk to a language model on your own machine.")
    )
    parser.add_argument("--version", action="version", version=f"llamachat {__version__}")
    parser.add_argument("--config", type=some_path, metavar="FILE", help=tr("settings file to use"))
    parser.add_argument("--data-dir", type=some_path, metavar="DIR", help=tr("folder of the chats"))
    parser.add_argument("--demo", action="store_true", help=tr("open the window with a small built-in model"))
    parser.add_argument("--demo-model", type=some_path, metavar="FILE", help=tr("a GGUF file for --demo"))
    parser.add_argument("--yes", action="store_true", help=tr("answer yes when --demo asks to download its model"))
    parser.set_defaults(run=open_window)
    commands = parser.add_subparsers(title=tr("commands"), metavar="COMMAND")
    for module in (ask, search, history, configure, gateway):
        module.add_command(commands)
    return parser


def open_window(options: argparse.Namespace) -> int:
    """The default command. What Qt needs of the system is looked at first: Qt itself would abort."""
    from llamachat.ui.system_check import missing_parts  # no Qt in it

    missing = missing_parts()
    if missing:
        complain(" ".join(missing))
        return FAILED
    gc.disable()  # until the window is open: of what is made on the way nothing is waste
    try:
        from llamachat.ui.application import run_window

        demo = options.demo or options.demo_model is not None
        app = build_app(resolve_paths(options.config, options.data_dir, demo=demo))
        return run_window(app, say=remark, demo=demo, demo_model=options.demo_model, agreed=options.yes)
    finally:
        gc.enable()
